import { addDays, MAX_DATE } from '../../commands/engine/dates.ts';
import { proposals } from '../../projections/read-models/proposal-model.ts';
import { historyOf } from '../../projections/read-models/read-model.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { versionConditions } from '../../queries/moments/moment.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import type { DueItem } from '../../register/family-description.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { ReportContext, ReportRow } from '../report-type.ts';
import { isFirstVersion } from './first-version.ts';
import { type RecordSource, readInBatches, recordName, recordsAt } from './records.ts';
import { valueAt } from './report-columns.ts';

/** Something that falls due, with the type of its records. */
export type DueKind = DueItem & { type: FamilyName | typeof PROPOSAL };

const PROPOSAL = proposals.family.type as 'PROPOSAL';

/** Everything of records that falls due, in the order of the families. */
export const DUE_KINDS: readonly (DueKind & { type: FamilyName })[] = FAMILY_DESCRIPTIONS.flatMap(
  ({ type, dueItems = [] }) => dueItems.map((item) => ({ ...item, type })),
);

/** All kinds of the report. A proposal has no owner: everybody who may do what it says may decide on it. */
export const REPORT_DUE_KINDS: readonly DueKind[] = [
  ...DUE_KINDS,
  {
    name: PROPOSAL,
    type: PROPOSAL,
    label: 'Proposals',
    isLater: true,
    meaning: 'proposals that wait for a decision, by the day on which they expire',
    request: 'Decide on the proposal',
    date: 'expires_at',
  },
];

/** Returns the stored key that holds the item's date as long as it matters. */
const keyOf = ({ key, date }: DueKind): string => key ?? date;

/**
 * Returns a stored key with the same order of the items. That of the date itself has an index if lists can be ordered by
 * it. Without an index, each batch would sort all items.
 */
function orderOf(kind: DueKind): string {
  if (kind.type === PROPOSAL) return kind.date;
  const { orders } = familyQueryOfType(kind.type);
  return orders.includes(kind.date) ? kind.date : keyOf(kind);
}

/** A filter as lists take it. */
export type RecordFilter = Readonly<Record<string, unknown>>;

/** The days on which items are due. */
export type DueBounds = Partial<Record<'gte' | 'lte' | 'lt', string>>;

/** The days of a report, the last one included. */
export type DuePeriod = Pick<DueBounds, 'gte'> & { lte: string };

/** Returns the days of a period that are over. */
export function overdueIn({ lte, ...from }: DuePeriod, today: string): DueBounds {
  return today <= lte ? { ...from, lt: today } : { ...from, lte };
}

/**
 * Returns the kinds that a report's input names, in the order of the families. By default all. The report's first version
 * also has evidence that newer evidence replaces. A kind that came later is left out while it has no items.
 */
export async function dueKindsOf(context: ReportContext, bounds: DueBounds): Promise<readonly DueKind[]> {
  const names = context.inputs.kinds?.split(',');
  const isAsked = async (kind: DueKind) =>
    names?.includes(kind.name) ?? (!kind.isLater || (await countDueItems(context, kind, bounds, 1)) > 0);
  const asked = await Promise.all(REPORT_DUE_KINDS.map(async (kind) => ((await isAsked(kind)) ? kind : [])));
  const kinds = asked.flat();
  if (!isFirstVersion(context)) return kinds;
  return kinds.map((kind) => (kind.name === 'EVIDENCE_ENDS' ? { ...kind, key: 'ends' } : kind));
}

/**
 * Counts the items of a kind that are due within bounds and not done.
 * @param limit stops after this many
 * @param filter narrows their records, as lists do
 */
export async function countDueItems(
  context: ReportContext,
  kind: DueKind,
  bounds: DueBounds,
  limit?: number,
  filter?: RecordFilter,
): Promise<number> {
  const [result] = await context.snapshot.models.count({ ...dueSource(context, kind, bounds, filter), limit });
  return result?.total ?? 0;
}

/** Returns the query for a kind's items. @param filter narrows their records, as lists do */
export function dueSource(context: ReportContext, kind: DueKind, bounds: DueBounds, filter: RecordFilter = {}) {
  if (kind.type === PROPOSAL) return openProposals(context, bounds, filter);
  const source = recordsAt(context, familyQueryOfType(kind.type), { ...kind.filter, ...filter });
  const key = keyOf(kind);
  // MAX_DATE stands for an absent date.
  const withinBounds = { key, op: 'range', ...bounds } as Condition;
  return { ...source, where: [withinBounds, { key, op: 'range', lt: MAX_DATE } as Condition, ...source.where] };
}

/** Returns the query for the proposals that are open on the report's day. One that expires on it counts until its end. */
function openProposals(
  { organizationId, moment, inputs }: ReportContext,
  { gte = moment.today, lte, lt }: DueBounds,
  filter: RecordFilter,
): RecordSource {
  const isOfOwner = inputs.owner_id !== undefined || filter.owner_id !== undefined;
  const until = lt ?? (lte === undefined ? undefined : addDays(lte, 1));
  const from = gte > moment.today ? gte : moment.today;
  return {
    collection: historyOf(proposals.family.plural),
    organizationId,
    where: [
      { key: 'state', op: 'eq', value: isOfOwner ? '' : 'OPEN' },
      { key: 'expires_at', op: 'range', gte: from, ...(until === undefined ? {} : { lt: until }) },
      ...versionConditions(moment.position),
    ],
  };
}

/** Merges the items of these kinds in order of due date. @param filter narrows their records, as lists do */
export async function* dueRows(
  context: ReportContext,
  kinds: readonly DueKind[],
  bounds: DueBounds,
  filter: RecordFilter = {},
): AsyncGenerator<ReportRow> {
  const iterators = kinds.map((kind) => dueRowsOfKind(context, kind, dueSource(context, kind, bounds, filter)));
  const nextRows = await Promise.all(iterators.map(async (iterator) => (await iterator.next()).value));
  for (;;) {
    let first = -1;
    for (const [index, head] of nextRows.entries()) {
      if (head && (first < 0 || String(head.due) < String(nextRows[first]!.due))) first = index;
    }
    if (first < 0) return;
    yield nextRows[first]!;
    nextRows[first] = (await iterators[first]!.next()).value;
  }
}

async function* dueRowsOfKind(
  context: ReportContext,
  kind: DueKind,
  source: RecordSource,
): AsyncGenerator<ReportRow, undefined> {
  const order = { key: orderOf(kind), direction: 'ASC' } as const;
  for await (const batch of readInBatches(context, source, order)) {
    for (const { doc } of batch) yield dueRow(context, kind, doc);
  }
  return undefined;
}

/** Returns the record's name without its reference id, which has a column of its own. */
function nameWithoutReference(document: ReportRow): string {
  const { reference_id } = document;
  const name = recordName(document);
  return reference_id && name.startsWith(`${reference_id}: `) ? name.slice(String(reference_id).length + 2) : name;
}

function dueRow({ moment }: ReportContext, { name, type, date }: DueKind, document: ReportRow): ReportRow {
  const day = String(valueAt(document, date)).slice(0, 10);
  const { id, reference_id, owner_id } = document;
  return {
    due: day,
    overdue: day < moment.today,
    what: name,
    ...(reference_id ? { reference_id } : {}),
    name: nameWithoutReference(document),
    type,
    ...(owner_id ? { owner_id } : {}),
    id,
    ...(document.stale ? { stale: true } : {}),
  };
}
