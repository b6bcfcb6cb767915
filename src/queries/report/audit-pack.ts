import { Refusal } from '../../commands/refusal.ts';
import { evidenceQuery } from '../evidence.ts';
import { measureQuery } from '../measures.ts';
import { type PinnedMoment, pinnedMoment } from '../moment.ts';
import { nonconformityQuery } from '../nonconformities.ts';
import type { Reader } from '../reader.ts';
import { besideEach, newestOf, recordThen } from './beside.ts';
import { changesOf } from './changes.ts';
import { column, detail, ID, OWNER, prose, REFERENCE } from './columns.ts';
import { aboutPeriod, inputsOfPeriod, type Period, periodExamined } from './period.ts';
import { type RecordsSection, recordSection, recordsSection } from './records-section.ts';
import { auditNames, NONCONFORMITY_COLUMNS } from './registers.ts';
import type { Column, Narrowings, ReportContext, ReportType, Row, Section } from './report-type.ts';
import { controlsOf, statementOf } from './statement.ts';
import { nameOf } from './walk.ts';

const AUDIT_COLUMNS: readonly Column[] = [
  column('name', 'Audit'),
  column('kind', 'Kind'),
  column('auditor', 'Auditor'),
  column('state', 'State'),
  column('starts_on', 'Starts'),
  column('period_from', 'Period from'),
  column('period_until', 'Period until'),
  column('valid_from', 'Valid from'),
  column('valid_until', 'Valid until'),
  OWNER,
  ID,
];

const MEASURE_COLUMNS: readonly Column[] = [
  REFERENCE,
  column('name', 'Measure'),
  prose('description', 'Description'),
  column('state', 'State'),
  prose('justification', 'Justification'),
  column('due_date', 'Due'),
  column('implemented_at', 'Implemented'),
  column('evidence_count', 'Evidence'),
  OWNER,
  ID,
];

const EVIDENCE_COLUMNS: readonly Column[] = [
  column('name', 'Evidence'),
  prose('description', 'Description'),
  column('url', 'Address'),
  column('sha256', 'SHA-256'),
  column('collected_at', 'Collected'),
  column('valid_until', 'Valid until'),
  column('expired', 'Expired'),
  prose('records', 'Evidence of'),
  detail('records_total', 'Evidence of, in all'),
  ID,
];

export const auditPack: ReportType = {
  title: 'Audit pack',
  takes: ['audit_id'],
  needs: { audit_id: 'the completed audit whose pack it is' },
  proved: true,
  moment: completion,
  draw: async (context) => {
    const audit = (await recordThen(context, 'AUDIT', context.inputs.audit_id!))!;
    const framework = (await recordThen(context, 'FRAMEWORK', String(audit.framework_id)))!;
    const statement = statementOf(context, framework);
    const period = await periodExamined(context, dayOf(audit.period_from), dayOf(audit.period_until));
    const changes = changesOf(context, period, noteOf(period, audit));
    return {
      title: `Audit pack: ${audit.name}`,
      inputs: { audit_id: String(audit.id), ...inputsOfPeriod(period) },
      about: [{ label: 'Audit', value: String(audit.name) }, ...statement.about, ...aboutPeriod(period)],
      figures: async () => [...(await statement.figures()), ...(await changes.figures())],
      sections: [
        recordSection('audit', 'Audit', AUDIT_COLUMNS, audit),
        ...statement.sections,
        ...aboutIt(context, audit, framework),
        changes.section,
      ],
    };
  },
};

const dayOf = (day: unknown): string | null => (day ?? null) as string | null;

function noteOf({ from, to, cut }: Period & { cut: boolean }, { period_from, period_until }: Row): string {
  if (!period_from && !period_until) return 'All that was changed until the audit was completed: it names no period.';
  const told = `What was changed from ${from} to ${to}, in the period that the audit examined.`;
  if (!cut) return told;
  return `${told} That period is until ${period_until}; what came after the audit’s completion is not here.`;
}

/**
 * The position that completing the audit pinned: the newest one, or of the completion that held at as_of. So a pack is
 * drawn from the register as it was then, whatever has been changed since.
 */
async function completion(
  reader: Reader,
  organizationId: string,
  input: Narrowings & { as_of?: string | undefined },
): Promise<PinnedMoment> {
  const audit_id = input.audit_id!;
  const moment = await pinnedMoment(reader, organizationId, input.as_of);
  const context: ReportContext = { reader, organizationId, moment, inputs: {} };
  const audit = await recordThen(context, 'AUDIT', audit_id);
  if (audit === null) {
    throw new Refusal('not_found', `There is no ${audit_id} here: listAudits names the audits there are.`, {
      field: 'audit_id',
    });
  }
  if (typeof audit.completed_position !== 'string') {
    const [now] = await reader.models.get('audits', [audit_id]);
    const later = now?.doc.completed_position;
    const message =
      typeof later === 'string'
        ? `This audit was completed after as_of, at position ${later}: leave as_of out, or give that position or a later one.`
        : 'This audit was never completed: complete it with updateAudit first.';
    throw new Refusal('invalid_input', message, { field: 'audit_id' });
  }
  return pinnedMoment(reader, organizationId, audit.completed_position);
}

/** What the audit is about: itself, its framework, the controls, their measures, and its findings. */
async function scopeOf(context: ReportContext, audit: Row, framework: Row): Promise<ReadonlySet<string>> {
  const scope = new Set([String(audit.id), String(framework.id)]);
  const found = await besideEach(context, [String(audit.id)], ['NONCONFORMITY']);
  for (const { id } of [...found.values()].flat()) scope.add(String(id));
  for await (const controls of controlsOf(context, framework)) {
    const some = controls.map(({ id }) => String(id));
    for (const id of some) scope.add(id);
    for (const { id } of [...(await besideEach(context, some, ['MEASURE'])).values()].flat()) scope.add(String(id));
  }
  return scope;
}

/** Its measures, its evidence with what that is evidence of, its findings, and what else was open. */
function aboutIt(context: ReportContext, audit: Row, framework: Row): Section[] {
  // Worked out when a section is read that goes by it, and once.
  let known: Promise<ReadonlySet<string>> | undefined;
  const scope = () => {
    known ??= scopeOf(context, audit, framework);
    return known;
  };
  const nonconformities = { family: nonconformityQuery, columns: NONCONFORMITY_COLUMNS };
  const sections: RecordsSection[] = [
    {
      name: 'measures',
      title: 'Measures of the controls',
      family: measureQuery,
      columns: MEASURE_COLUMNS,
      more: async (_context, measures) => {
        const ids = await scope();
        return measures.map(({ id }) => (ids.has(String(id)) ? {} : null));
      },
    },
    {
      name: 'evidence',
      title: 'Evidence',
      family: evidenceQuery,
      columns: EVIDENCE_COLUMNS,
      more: async (_context, evidence) => evidenceOf(context, evidence, await scope()),
    },
    {
      ...nonconformities,
      name: 'findings',
      title: 'Nonconformities of the audit',
      filter: { audit_id: [audit.id] },
      more: auditNames,
    },
    {
      ...nonconformities,
      name: 'other_open_nonconformities',
      title: 'Other open nonconformities',
      filter: { open: true },
      more: async (_context, others) => {
        const named = await auditNames(context, others);
        return others.map(({ audit_id }, at) => (audit_id === audit.id ? null : named[at]!));
      },
    },
  ];
  return sections.map((section) => recordsSection(context, section));
}

/** What of the scope each is evidence of. */
async function evidenceOf(
  context: ReportContext,
  evidence: readonly Row[],
  scope: ReadonlySet<string>,
): Promise<(Row | null)[]> {
  const ids = evidence.map(({ id }) => String(id));
  const types = ['AUDIT', 'FRAMEWORK', 'CONTROL', 'MEASURE', 'NONCONFORMITY'];
  const linked = await besideEach(context, ids, types, scope);
  return ids.map((id) => {
    const named = linked.get(id)!.map((record) => ({ id: record.id, name: nameOf(record) }));
    return named.length === 0 ? null : newestOf('records', named);
  });
}
