import { modelOfId } from '../../projections/models.ts';
import { historyOf } from '../../projections/read-model.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { FamilyQuery } from '../family.ts';
import { listConditions } from '../list.ts';
import { type PageQuery, type PageRow, placeOf, readPages } from '../page.ts';
import { behind as notThere } from '../reader.ts';
import type { ReportContext } from './report-type.ts';

type Document = Record<string, unknown>;
/** What is walked. */
export type Source = Pick<PageQuery, 'collection' | 'organizationId' | 'where'>;
type Order = PageQuery['order'];

/** Records of one read. */
const AT_ONCE = 500;

/** Where a family's records are read from at the report's moment, and which. A filter is that of its list. */
export function recordsAt(
  { organizationId, moment, inputs }: ReportContext,
  family: FamilyQuery,
  filter: Readonly<Record<string, unknown>> = {},
): Source {
  const owned = inputs.owner_id === undefined ? {} : { owner_id: [inputs.owner_id] };
  const context = { today: moment.today, account_id: '', filter: { ...owned, ...filter } };
  return { collection: historyOf(family.plural), organizationId, where: listConditions(family, moment, context) };
}

/**
 * All that a query finds, in batches, by key: no row is held longer than its batch.
 * @param behind finds the one behind which to begin; from the first unless given
 */
export async function* walk(
  context: ReportContext,
  source: Source,
  order: Order,
  behind?: readonly Condition[],
): AsyncGenerator<PageRow[]> {
  const { models } = context.reader;
  const after = behind === undefined ? null : await placeOf(models, { ...source, order }, behind);
  if (behind !== undefined && after === null) throw notThere();
  for await (const rows of readPages(models, { ...source, order, size: AT_ONCE, after })) {
    context.recordsRead?.(rows.length);
    yield rows;
  }
}

/** A record with the facts of the report's day. */
export function onDay(family: FamilyQuery, document: Document, today: string): Document {
  return { ...document, ...family.onDay?.(document, today) };
}

/** Some fields of a record, those that are empty left out: what cannot be known any more is always said. */
export function rowOf(document: Document, fields: readonly string[]): Document {
  const row: Document = {};
  for (const field of fields) {
    const value = document[field];
    if (value !== null && value !== undefined) row[field] = value;
  }
  if (document.stale) row.stale = true;
  return row;
}

/** What a record is called in lists of records of several families. */
export function nameOf(document: Document): string {
  return modelOfId(String(document.id))?.nameOf?.(document) ?? String(document.name);
}
