import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { type PinnedMoment, pinnedMoment } from '../../queries/moments/moment.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import { AUDIT } from '../../register/audit.ts';
import { EVIDENCE } from '../../register/evidence.ts';
import { MEASURE } from '../../register/measure.ts';
import type {
  ReportColumn,
  ReportContext,
  ReportInputs,
  ReportRow,
  ReportSection,
  ReportType,
} from '../report-type.ts';
import { ATTACHED_RECORDS_COLUMNS, attachedRecords } from '../sections/attached-records.ts';
import { changesSection } from '../sections/changes-section.ts';
import { versionOf } from '../sections/first-version.ts';
import { linkedTo, recordAtMoment } from '../sections/linked-records.ts';
import { auditPeriod, type Period, periodFacts, periodInputs } from '../sections/period.ts';
import { type RecordsSectionOptions, recordSection, recordsSection } from '../sections/records.ts';
import { familyColumns, withBelow } from '../sections/report-columns.ts';
import { missingAudit, unfinishedAudit } from '../sections/unfinished-audit.ts';
import { NONCONFORMITY_COLUMNS, namesOfAudits } from './nonconformities.ts';
import { frameworkControls, statementContent } from './statement-of-applicability.ts';

const AUDIT_COLUMNS: readonly ReportColumn[] = familyColumns(AUDIT, [
  'name',
  'kind',
  'auditor',
  'state',
  'starts_on',
  'period_from',
  'period_until',
  'valid_from',
  'valid_until',
  'owner_id',
  'id',
]);

const MEASURE_COLUMNS: readonly ReportColumn[] = familyColumns(MEASURE, [
  'reference_id',
  'name',
  'description',
  'state',
  'justification',
  'due_date',
  'implemented_at',
  'evidence_count',
  'owner_id',
  'id',
]);

const EVIDENCE_SOURCE = ['description', 'url', 'sha256'];

const EVIDENCE_COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(EVIDENCE, ['name']),
  ...withBelow(familyColumns(EVIDENCE, EVIDENCE_SOURCE), EVIDENCE_SOURCE),
  ...familyColumns(EVIDENCE, ['collected_at', 'valid_until', 'expired']),
  ...ATTACHED_RECORDS_COLUMNS,
  ...familyColumns(EVIDENCE, ['id']),
];

export const auditPack: ReportType = {
  title: 'Audit pack',
  acceptedInputs: ['audit_id', 'report_version'],
  requiredInputs: { audit_id: 'the id of a completed audit' },
  permission: 'exportHistory',
  hasProof: true,
  moment: completion,
  collect: async (context) => {
    const audit = (await recordAtMoment(context, 'AUDIT', context.inputs.audit_id!))!;
    const framework = (await recordAtMoment(context, 'FRAMEWORK', String(audit.framework_id)))!;
    const statement = statementContent(context, framework);
    const period = await auditPeriod(context, dayOf(audit.period_from), dayOf(audit.period_until));
    const changes = changesSection(context, period, noteOf(period, audit));
    return {
      ...versionOf(context),
      title: `Audit pack: ${audit.name}`,
      inputs: { audit_id: String(audit.id), ...periodInputs(period) },
      startsWithoutRows: true,
      about: [{ label: 'Audit', value: String(audit.name) }, ...statement.about, ...periodFacts(period)],
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

function noteOf({ from, to, isCut }: Period & { isCut: boolean }, { period_from, period_until }: ReportRow): string {
  if (!period_from && !period_until) return 'All changes until the audit’s completion. The audit states no period.';
  const period = `Changes from ${from} to ${to}, the period that the audit examined.`;
  if (!isCut) return period;
  return `${period} The period ends on ${period_until}; changes after the audit’s completion are not included.`;
}

/**
 * Returns the position pinned by the audit's completion: the last one, or the one in force at `as_of`. Therefore a pack
 * shows the register as it was then, whatever has changed since.
 */
async function completion(
  snapshot: Snapshot,
  organizationId: string,
  input: ReportInputs & { as_of?: string | undefined },
): Promise<PinnedMoment> {
  const { audit_id } = input;
  const moment = await pinnedMoment(snapshot, organizationId, input.as_of);
  const context: ReportContext = { snapshot, organizationId, moment, inputs: {} };
  if (audit_id === undefined) throw await missingAudit(context);
  const audit = await recordAtMoment(context, 'AUDIT', audit_id);
  if (audit === null) {
    throw new Refusal('not_found', `${audit_id} was not found in this organization. Find audits with listAudits.`, {
      field: 'audit_id',
    });
  }
  if (typeof audit.completed_position !== 'string') {
    const [now] = await snapshot.models.get('audits', [audit_id]);
    const laterCompletion = now?.doc.completed_position;
    if (typeof laterCompletion !== 'string') throw await unfinishedAudit(context, audit);
    const message = `The audit was completed after as_of, at position ${laterCompletion}. Leave as_of out, or give that position or a later one.`;
    throw invalidField('audit_id', message);
  }
  return pinnedMoment(snapshot, organizationId, audit.completed_position);
}

/** Returns the ids of the audit, its framework, controls, their measures, and its findings. */
async function scopeOf(context: ReportContext, audit: ReportRow, framework: ReportRow): Promise<ReadonlySet<string>> {
  const scope = new Set([String(audit.id), String(framework.id)]);
  const findings = await linkedTo(context, [String(audit.id)], ['NONCONFORMITY']);
  for (const { id } of [...findings.values()].flat()) scope.add(String(id));
  for await (const controls of frameworkControls(context, framework)) {
    const controlIds = controls.map(({ id }) => String(id));
    for (const id of controlIds) scope.add(id);
    const measures = await linkedTo(context, controlIds, ['MEASURE']);
    for (const { id } of [...measures.values()].flat()) scope.add(String(id));
  }
  return scope;
}

/** Returns the sections for the audit's measures, evidence and findings, and for other open nonconformities. */
function aboutIt(context: ReportContext, audit: ReportRow, framework: ReportRow): ReportSection[] {
  // Computed once, when the first section that needs it is read.
  let cachedScope: Promise<ReadonlySet<string>> | undefined;
  const scope = () => {
    cachedScope ??= scopeOf(context, audit, framework);
    return cachedScope;
  };
  const nonconformities = { family: familyQueryOfType('NONCONFORMITY'), columns: NONCONFORMITY_COLUMNS };
  const sections: RecordsSectionOptions[] = [
    {
      name: 'measures',
      title: 'Measures of the controls',
      family: familyQueryOfType('MEASURE'),
      columns: MEASURE_COLUMNS,
      addFields: async (_context, measures) => {
        const ids = await scope();
        return measures.map(({ id }) => (ids.has(String(id)) ? {} : null));
      },
    },
    {
      name: 'evidence',
      title: 'Evidence',
      family: familyQueryOfType('EVIDENCE'),
      columns: EVIDENCE_COLUMNS,
      addFields: async (_context, evidence) => evidenceOf(context, evidence, await scope()),
    },
    {
      ...nonconformities,
      name: 'findings',
      title: 'Nonconformities of the audit',
      filter: { audit_id: [audit.id] },
      addFields: namesOfAudits,
    },
    {
      ...nonconformities,
      name: 'other_open_nonconformities',
      title: 'Other open nonconformities',
      filter: { open: true },
      addFields: async (_context, others) => {
        const auditNames = await namesOfAudits(context, others);
        return others.map(({ audit_id }, index) => (audit_id === audit.id ? null : auditNames[index]!));
      },
    },
  ];
  return sections.map((section) => recordsSection(context, section));
}

/** Lists for each piece of evidence the records of the scope that it is attached to. Null for one without any. */
async function evidenceOf(
  context: ReportContext,
  evidence: readonly ReportRow[],
  scope: ReadonlySet<string>,
): Promise<(ReportRow | null)[]> {
  const types = ['AUDIT', 'FRAMEWORK', 'CONTROL', 'MEASURE', 'NONCONFORMITY'];
  const rows = await attachedRecords(context, evidence, types, scope);
  return rows.map((row) => ((row.records as readonly unknown[]).length === 0 ? null : row));
}
