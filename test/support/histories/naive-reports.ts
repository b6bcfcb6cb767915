/** Computes the reports' figures and rows from scratch in the plain register. */
import type { StoredEvent } from '../../../src/stores/event-store.ts';
import { factsOf, isReplaced, MISSING_TESTS } from './naive-facts.ts';
import { NaiveRegister, type Plain } from './naive-register.ts';

type Fields = Record<string, unknown>;

/** Returns the register at a position, as of a day. The default is the day of the newest event. */
export function naiveAt(log: readonly StoredEvent[], position: number, today?: string): NaiveRegister {
  const register = new NaiveRegister();
  for (const event of log.slice(0, position)) register.take(event);
  if (today !== undefined) register.today = today;
  return register;
}

/** Returns the last position whose log time is on that day or before. */
export function positionOn(log: readonly StoredEvent[], day: string): number {
  let logTime = '';
  let last = 0;
  for (const [index, { metadata }] of log.entries()) {
    if (metadata.recorded_at > logTime) logTime = metadata.recorded_at;
    if (logTime.slice(0, 10) <= day) last = index + 1;
  }
  return last;
}

const live = (register: NaiveRegister, type: string): Plain[] =>
  register.ofType(type).filter((record) => register.archivedAt(record) === null);

/** Returns the figures of POSTURE. */
export function naiveFigures(register: NaiveRegister): Record<string, number | null> {
  const figures: Record<string, number | null> = {};
  const put = (
    name: string,
    records: readonly Plain[],
    keep: (fields: Fields, record: Plain) => boolean = () => true,
  ) => {
    figures[name] = records.filter((record) => keep({ ...record.fields, ...factsOf(register, record) }, record)).length;
  };
  const lacks = (option: string) => (record: Plain) => MISSING_TESTS[option]!(register, record);
  const isPast = (day: unknown) => typeof day === 'string' && day < register.today;

  const risks = live(register, 'RISK');
  put('risks', risks);
  for (const status of ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED']) {
    put(`risks_${status.toLowerCase()}`, risks, (risk) => risk.status === status);
  }
  const unclosed = risks.filter(({ fields }) => fields.status !== 'CLOSED');
  put('risks_not_closed', unclosed);
  for (const priority of ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']) {
    put(`risks_${priority.toLowerCase()}`, unclosed, (risk) => risk.priority === priority);
  }
  put('risks_without_score', unclosed, ({ score }) => score === null);
  const untreated = unclosed.filter(({ fields }) => fields.status !== 'ACCEPTED');
  put('risks_without_measures', untreated, (_fields, risk) => lacks('MEASURES')(risk));
  put('risks_review_overdue', unclosed, ({ next_review_due }) => isPast(next_review_due));
  put('risk_acceptances_expired', risks, ({ acceptance }) => Boolean((acceptance as Fields | null)?.expired));

  const vendors = live(register, 'VENDOR');
  const activeVendors = vendors.filter(({ fields }) => fields.status !== 'OFFBOARDED');
  put('vendors', vendors);
  put('vendors_active', activeVendors);
  for (const status of ['PENDING_REVIEW', 'APPROVED', 'CONDITIONAL', 'REJECTED', 'SUSPENDED', 'OFFBOARDED']) {
    put(`vendors_${status.toLowerCase()}`, vendors, (vendor) => vendor.status === status);
  }
  put(
    'vendors_high_or_critical',
    activeVendors,
    ({ criticality }) => criticality === 'HIGH' || criticality === 'CRITICAL',
  );
  put('vendors_review_overdue', activeVendors, ({ next_review_due }) => isPast(next_review_due));
  put('vendors_never_reviewed', activeVendors, ({ last_reviewed }) => last_reviewed === null);

  put('frameworks', live(register, 'FRAMEWORK'));
  Object.assign(figures, controlFigures(register, live(register, 'CONTROL')));
  const coverage = naiveCoverage(register);
  if (Object.keys(coverage).length > 1) Object.assign(figures, coverage);

  const measures = live(register, 'MEASURE');
  put('measures', measures);
  for (const state of ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE']) {
    put(`measures_${state.toLowerCase()}`, measures, (measure) => measure.state === state);
  }
  put('measures_overdue', measures, ({ overdue }) => overdue === true);
  put(
    'measures_without_evidence',
    measures,
    ({ state }, record) => state === 'IMPLEMENTED' && lacks('EVIDENCE')(record),
  );

  const obligations = live(register, 'OBLIGATION');
  put('obligations', obligations);
  for (const status of ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT']) {
    put(`obligations_${status.toLowerCase()}`, obligations, (obligation) => obligation.status === status);
  }
  put('obligations_overdue', obligations, ({ overdue }) => overdue === true);

  const findings = live(register, 'NONCONFORMITY');
  const open = findings.filter(({ fields }) => fields.status !== 'CLOSED');
  put('nonconformities', findings);
  put('nonconformities_open', open);
  put('nonconformities_closed', findings, ({ status }) => status === 'CLOSED');
  for (const severity of ['MAJOR', 'MINOR', 'OBSERVATION']) {
    put(`nonconformities_${severity.toLowerCase()}`, open, (finding) => finding.severity === severity);
  }
  put('nonconformities_without_severity', open, ({ severity }) => !severity);
  put('nonconformities_overdue', findings, ({ overdue }) => overdue === true);

  const audits = live(register, 'AUDIT');
  put('audits', audits);
  for (const state of ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED']) {
    put(`audits_${state.toLowerCase()}`, audits, (audit) => audit.state === state);
  }
  const evidence = live(register, 'EVIDENCE');
  put('evidence', evidence);
  put('evidence_expired', evidence, ({ expired }) => expired === true);
  return figures;
}

/** Returns the rows of EVIDENCE with the fields that depend on others: those that a filter finds, in no order. */
export function naiveEvidence(
  register: NaiveRegister,
  filter: { kind?: string; valid_until_before?: string; linked_to?: string },
): { id: string; kind: string; expired: boolean; records: string[] }[] {
  const { kind, valid_until_before, linked_to } = filter;
  const rows = live(register, 'EVIDENCE').map((record) => {
    const { text, url, valid_until } = record.fields;
    const attached = register.linkedTo(record.id).filter((other) => register.archivedAt(other) === null);
    const endsBefore = typeof valid_until === 'string' && valid_until < (valid_until_before ?? '9999-12-31');
    return {
      row: {
        id: record.id,
        kind: text ? 'TEXT' : url ? 'URL' : 'FILE',
        expired: factsOf(register, record).expired as boolean,
        records: attached.map(({ id }) => id).sort(),
      },
      endsBefore,
    };
  });
  return rows
    .filter(({ row }) => kind === undefined || row.kind === kind)
    .filter(({ endsBefore }) => valid_until_before === undefined || endsBefore)
    .filter(({ row }) => linked_to === undefined || row.records.includes(linked_to))
    .map(({ row }) => row);
}

function controlFigures(register: NaiveRegister, controls: readonly Plain[]): Record<string, number | null> {
  const included = controls.filter(({ fields }) => fields.status === 'INCLUDED');
  const countOf = (implementation: string) =>
    included.filter((control) => factsOf(register, control).implementation === implementation).length;
  return {
    controls: controls.length,
    controls_included: included.length,
    controls_excluded: controls.length - included.length,
    controls_full: countOf('FULL'),
    controls_partial: countOf('PARTIAL'),
    controls_started: countOf('STARTED'),
    controls_none: countOf('NONE'),
    coverage: included.length === 0 ? null : countOf('FULL') / included.length,
  };
}

/** Returns the coverage of each framework. */
export function naiveCoverage(register: NaiveRegister): Record<string, number | null> {
  return Object.fromEntries(
    live(register, 'FRAMEWORK').map(({ id }) => {
      const controls = live(register, 'CONTROL').filter(({ fields }) => fields.framework_id === id);
      return [`coverage:${id}`, controlFigures(register, controls).coverage!];
    }),
  );
}

/** Returns the figures of a framework's statement. An archived framework counts controls that were not archived by themselves. */
export function naiveStatementFigures(register: NaiveRegister, framework: string): Record<string, number | null> {
  const controls = controlsOf(register, framework);
  const unexplained = controls.filter(
    ({ fields }) => fields.status === 'INCLUDED' && !(fields.inclusion_justification as string | null),
  );
  return { ...controlFigures(register, controls), controls_without_justification: unexplained.length };
}

/** Returns a control's reasons for inclusion, and the records that they follow from. */
function naiveReasons(register: NaiveRegister, { id, fields }: Plain) {
  const owners = [id, ...register.live(id, 'MEASURE').map((measure) => measure.id)];
  const linked = (type: string) => [...new Set(owners.flatMap((owner) => register.live(owner, type)))];
  const risks = linked('RISK').filter((risk) => risk.fields.status !== 'CLOSED');
  const obligations = linked('OBLIGATION');
  const reasons: string[] = [];
  if (obligations.some((obligation) => obligation.fields.regulator)) reasons.push('LAW');
  if (obligations.some((obligation) => !obligation.fields.regulator)) reasons.push('LAW_OR_CONTRACT');
  if (risks.length > 0) reasons.push('RISK');
  if (risks.length + obligations.length === 0 && fields.inclusion_justification) reasons.push('STATED');
  const ids = (records: readonly Plain[]) => [...new Set(records.map((record) => record.id))].sort();
  return {
    reasons: fields.status === 'INCLUDED' ? reasons : [],
    risks: ids(risks),
    obligations: ids(obligations),
  };
}

/** Returns the figures of a statement's second version: those of the first, and how many controls have each reason. */
export function naiveReasonFigures(register: NaiveRegister, framework: string): Record<string, number | null> {
  const included = controlsOf(register, framework).filter(({ fields }) => fields.status === 'INCLUDED');
  const all = included.map((control) => naiveReasons(register, control).reasons);
  const by = (reason: string) => all.filter((reasons) => reasons.includes(reason)).length;
  return {
    ...naiveStatementFigures(register, framework),
    controls_by_law: by('LAW'),
    controls_by_law_or_contract: by('LAW_OR_CONTRACT'),
    controls_by_risk: by('RISK'),
    controls_by_stated: by('STATED'),
    controls_without_reason: all.filter((reasons) => reasons.length === 0).length,
  };
}

const controlsOf = (register: NaiveRegister, framework: string): Plain[] =>
  register
    .ofType('CONTROL')
    .filter((control) => control.fields.framework_id === framework && control.archived_at === null);

/** Returns the risk matrix: the number of risks not closed, by likelihood and impact. */
export function naiveMatrix(register: NaiveRegister): Record<string, number> {
  const cells: Record<string, number> = {};
  for (const { fields } of live(register, 'RISK')) {
    if (fields.status === 'CLOSED') continue;
    const residual = fields.residual_likelihood && fields.residual_impact;
    const [likelihood, impact] = residual
      ? [fields.residual_likelihood, fields.residual_impact]
      : [fields.inherent_likelihood, fields.inherent_impact];
    if (likelihood && impact) cells[`${likelihood}x${impact}`] = (cells[`${likelihood}x${impact}`] ?? 0) + 1;
  }
  return cells;
}

/** Returns a framework's controls by id, with their linked records. */
export function naiveStatement(register: NaiveRegister, framework: string): Record<string, object> {
  const controls = controlsOf(register, framework);
  return Object.fromEntries(
    controls.map((control) => {
      const measures = register.live(control.id, 'MEASURE').map(({ id }) => id);
      const evidence = [control.id, ...measures].flatMap((id) =>
        register.live(id, 'EVIDENCE').map((record) => record.id),
      );
      const { implementation } = factsOf(register, control);
      const reasons = naiveReasons(register, control);
      return [
        control.id,
        { implementation, measures: measures.sort(), evidence: [...new Set(evidence)].sort(), ...reasons },
      ];
    }),
  );
}

/** Returns a pack's record ids by section. Evidence comes with the records in the audit's scope that it is attached to. */
export function naivePack(register: NaiveRegister, audit: Plain): Record<string, string[]> {
  const controls = controlsOf(register, String(audit.fields.framework_id)).map(({ id }) => id);
  const measures = new Set(controls.flatMap((id) => register.live(id, 'MEASURE').map((measure) => measure.id)));
  const isOurs = ({ fields }: Plain) => fields.audit_id === audit.id;
  const all = live(register, 'NONCONFORMITY');
  const findings = all.filter(isOurs).map(({ id }) => id);
  const scope = new Set([audit.id, String(audit.fields.framework_id), ...controls, ...measures, ...findings]);
  const evidence = live(register, 'EVIDENCE').flatMap(({ id }) => {
    const linkedInScope = register.linkedTo(id).filter((record) => scope.has(record.id));
    return linkedInScope.length === 0 ? [] : [`${id} of ${linkedInScope.map((record) => record.id).sort()}`];
  });
  const openElsewhere = all
    .filter((nonconformity) => nonconformity.fields.status !== 'CLOSED' && !isOurs(nonconformity))
    .map(({ id }) => id);
  const idLists = { controls, measures: [...measures], evidence, findings, other_open_nonconformities: openElsewhere };
  return Object.fromEntries(Object.entries(idLists).map(([name, ids]) => [name, ids.sort()]));
}

/** Returns everything due until a day or overdue: day, kind and record. */
export function naiveDueItems(register: NaiveRegister, until: string): string[] {
  const items: string[] = [];
  const put = (what: string, day: unknown, { id }: Plain) => {
    if (typeof day === 'string' && day <= until) items.push(`${day} ${day < register.today} ${what} ${id}`);
  };
  for (const risk of live(register, 'RISK')) {
    if (risk.fields.status !== 'CLOSED') put('RISK_REVIEW', risk.fields.next_review_due, risk);
    put('RISK_ACCEPTANCE_ENDS', (risk.fields.acceptance as Fields | null)?.until, risk);
  }
  for (const vendor of live(register, 'VENDOR')) {
    if (vendor.fields.status === 'OFFBOARDED') continue;
    put('VENDOR_REVIEW', vendor.fields.next_review_due, vendor);
    put('VENDOR_CONTRACT_ENDS', vendor.fields.contract_until, vendor);
  }
  for (const measure of live(register, 'MEASURE')) {
    if (['NOT_STARTED', 'IN_PROGRESS'].includes(String(measure.fields.state)))
      put('MEASURE', measure.fields.due_date, measure);
    if (measure.fields.state !== 'NOT_APPLICABLE') put('MEASURE_REVIEW', measure.fields.next_review_due, measure);
  }
  for (const control of live(register, 'CONTROL')) put('CONTROL_REVIEW', control.fields.next_review_due, control);
  for (const obligation of live(register, 'OBLIGATION')) {
    // A met obligation is never overdue.
    const ever = Object.assign(Object.create(register) as NaiveRegister, { today: '9999-12-31' });
    if (factsOf(ever, obligation).overdue) put('OBLIGATION', obligation.fields.due_date, obligation);
  }
  for (const finding of live(register, 'NONCONFORMITY')) {
    if (finding.fields.status !== 'CLOSED') put('NONCONFORMITY', finding.fields.due_date, finding);
  }
  for (const audit of live(register, 'AUDIT')) {
    if (audit.fields.state === 'NOT_STARTED') put('AUDIT_STARTS', audit.fields.starts_on, audit);
    if (audit.fields.state === 'COMPLETED') put('CERTIFICATE_ENDS', audit.fields.valid_until, audit);
  }
  for (const evidence of live(register, 'EVIDENCE')) {
    if (!isReplaced(register, evidence)) put('EVIDENCE_ENDS', evidence.fields.valid_until, evidence);
  }
  return items.sort();
}
