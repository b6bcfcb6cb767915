import { invalidField } from '../../commands/engine/refusal.ts';
import { modelOfId } from '../../projections/models.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { linkedToCondition } from '../../queries/records/record-links.ts';
import { EVIDENCE, type EvidenceKind } from '../../register/evidence.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import { figuresOfRecords } from '../figures/figure-values.ts';
import type { HeadFact, ReportColumn, ReportContext, ReportType } from '../report-type.ts';
import { ATTACHED_RECORDS_COLUMNS, attachedRecords } from '../sections/attached-records.ts';
import { versionOf } from '../sections/first-version.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { recordName, recordsAt, recordsSection } from '../sections/records.ts';
import { familyColumns, withBelow } from '../sections/report-columns.ts';

interface EvidenceFilter {
  kind?: readonly EvidenceKind[];
  valid_until_before?: string;
  owner_id?: readonly string[];
  linked_to?: string;
  query?: string;
}

const COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(EVIDENCE, [
    'name',
    'kind',
    'description',
    'url',
    'text',
    'sha256',
    'collected_at',
    'valid_until',
    'expired',
  ]),
  ...ATTACHED_RECORDS_COLUMNS,
  ...familyColumns(EVIDENCE, ['owner_id', 'id']),
];

const ATTACHED_TYPES = FAMILY_DESCRIPTIONS.map(({ type }) => type).filter((type) => type !== EVIDENCE.type);

export const evidenceRegister: ReportType = {
  title: EVIDENCE.figures.group,
  acceptedInputs: ['owner_id', 'filter', 'report_version'],
  collect: async (context) => {
    const { filter: filterText, owner_id } = context.inputs;
    const filter: EvidenceFilter = filterText === undefined ? {} : JSON.parse(filterText);
    if (owner_id !== undefined && filter.owner_id !== undefined) {
      throw invalidField('owner_id', 'Give owner_id or filter.owner_id, not both.');
    }
    const family = familyQueryOfType(EVIDENCE.type);
    const where = filter.linked_to === undefined ? [] : [await linkedToCondition(context, family, { ...filter })];
    const source = recordsAt(context, family, { ...filter });
    const section = {
      name: EVIDENCE.plural,
      title: EVIDENCE.figures.group,
      family,
      source: { ...source, where: [...where, ...source.where] },
      columns: withBelow(COLUMNS, ['description', 'url', 'text', 'sha256']),
      addFields: (_context: ReportContext, evidence: readonly Record<string, unknown>[]) =>
        attachedRecords(context, evidence, ATTACHED_TYPES),
    };
    return {
      ...versionOf(context),
      inputs: filterText === undefined ? {} : { filter: filterText },
      about: await filterFacts(context, filter),
      figures: () => figuresOfRecords(context, EVIDENCE, section.source),
      sections: [recordsSection(context, section)],
    };
  },
};

async function filterFacts(context: ReportContext, filter: EvidenceFilter): Promise<HeadFact[]> {
  const { kind, valid_until_before, owner_id = [], linked_to, query } = filter;
  const { labels } = EVIDENCE.fields.kind;
  return [
    ...(kind === undefined ? [] : [{ label: 'Kind', value: kind.map((each) => labels[each]).join(', ') }]),
    ...(valid_until_before === undefined ? [] : [{ label: 'Valid until before', value: valid_until_before }]),
    ...owner_id.map((value) => ({ label: 'Owner', value })),
    ...(linked_to === undefined ? [] : [{ label: 'Evidence of', value: await titleOf(context, linked_to) }]),
    ...(query === undefined ? [] : [{ label: 'Words', value: query }]),
  ];
}

/** Returns the title of a record at the report's moment; its id if it did not exist. */
async function titleOf(context: ReportContext, id: string): Promise<string> {
  const [record] = await recordsAtMoment(context, modelOfId(id)!.family.type, [id]);
  return record === undefined ? id : recordName(record);
}
