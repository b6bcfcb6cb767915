import { modelOfId } from '../../projections/models.ts';
import { historyOf } from '../../projections/read-models/read-model.ts';
import type { FamilyQuery } from '../../queries/family-query.ts';
import { findPageStart, type KeysetQuery, type PageRow, readKeysetPages } from '../../queries/lists/keyset-page.ts';
import { listConditions } from '../../queries/lists/list-records.ts';
import { notCaughtUp as notThere } from '../../queries/moments/snapshot.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { ReportContext } from '../report-type.ts';

type Document = Record<string, unknown>;
/** The query of a read, without order and page. */
export type RecordSource = Pick<KeysetQuery, 'collection' | 'organizationId' | 'where'>;
type Order = KeysetQuery['order'];

const RECORDS_PER_READ = 500;

/** Returns the query for a family's records at the report's moment. @param filter as the family's list takes it */
export function recordsAt(
  { organizationId, moment, inputs }: ReportContext,
  family: FamilyQuery,
  filter: Readonly<Record<string, unknown>> = {},
): RecordSource {
  const owned = inputs.owner_id === undefined ? {} : { owner_id: [inputs.owner_id] };
  const context = { today: moment.today, account_id: '', filter: { ...owned, ...filter } };
  return { collection: historyOf(family.plural), organizationId, where: listConditions(family, moment, context) };
}

/**
 * Reads all matches of a query in batches. Only one batch is in memory at a time.
 * @param after finds the match after which to begin; by default reading begins with the first
 */
export async function* readInBatches(
  context: ReportContext,
  source: RecordSource,
  order: Order,
  after?: readonly Condition[],
): AsyncGenerator<PageRow[]> {
  const { models } = context.snapshot;
  const pageStart = after === undefined ? null : await findPageStart(models, { ...source, order }, after);
  if (after !== undefined && pageStart === null) throw notThere();
  for await (const rows of readKeysetPages(() => models, {
    ...source,
    order,
    size: RECORDS_PER_READ,
    after: pageStart,
  })) {
    context.signal?.throwIfAborted();
    context.recordsRead?.(rows.length);
    yield rows;
  }
}

/** Adds the facts that depend on the day, such as `overdue`. */
export function withDayFacts(family: FamilyQuery, document: Document, today: string): Document {
  return { ...document, ...family.dayFacts?.(document, today) };
}

/** Returns some fields of a record without the empty ones. A record that may lack an event always has `stale`. */
export function pickFields(document: Document, fields: readonly string[]): Document {
  const row: Document = {};
  for (const field of fields) {
    const value = document[field];
    if (value !== null && value !== undefined) row[field] = value;
  }
  if (document.stale) row.stale = true;
  return row;
}

/** Returns a record's name for a list with records of several families. */
export function recordTitle(document: Document): string {
  return modelOfId(String(document.id))?.nameOf?.(document) ?? String(document.name);
}
