import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Condition, DocumentQuery, DocumentReads, MatchingDocument } from '../../stores/read-store.ts';
import type { PageCursor } from './cursor.ts';

export interface KeysetOrder {
  /** Null orders by id. */
  key: string | null;
  direction: 'ASC' | 'DESC';
  /** All documents have the key, so none need to be searched that don't. */
  isNeverEmpty?: true;
}

export interface KeysetQuery {
  collection: string;
  organizationId: string;
  where: readonly Condition[];
  order: KeysetOrder;
  size: number;
  /** The row before the page; in the reversed order, the row after it. */
  after: Pick<PageCursor, 'isKeyEmpty' | 'key' | 'id'> | null;
  /** Reads the order backwards, for the page before a row. */
  isReversed?: boolean;
}

const OPPOSITE = { ASC: 'DESC', DESC: 'ASC' } as const;

export interface PageRow extends MatchingDocument {
  isKeyEmpty: boolean;
}

/**
 * Reads one page by key, never by offset. Empty values come last in both directions, so an order has two segments: records
 * with the key in its order, then records without it by id. The reversed order has both the other way round.
 * @returns up to size + 1 rows. The extra row means that there is a next page
 */
export async function readKeysetPage(models: DocumentReads, query: KeysetQuery): Promise<PageRow[]> {
  const { after, isReversed = false } = query;
  const limit = query.size + 1;
  const rows: PageRow[] = [];
  for (const isKeyEmpty of segmentsOf(query)) {
    if (rows.length >= limit) break;
    // The page starts in the second segment, so all of the first one is before it.
    if (isKeyEmpty === isReversed && after !== null && after.isKeyEmpty !== isKeyEmpty) continue;
    const start = after?.isKeyEmpty === isKeyEmpty ? after : null;
    const found = await models.find(segment(query, isKeyEmpty, start, limit - rows.length));
    for (const { id, key, doc } of found) rows.push({ id, key: isKeyEmpty ? null : key, doc, isKeyEmpty });
  }
  return rows;
}

/** Returns the start of a page after the first record that matches conditions; null if there is none. */
export async function findPageStart(
  models: DocumentReads,
  source: Pick<KeysetQuery, 'collection' | 'organizationId' | 'order'>,
  where: readonly Condition[],
): Promise<KeysetQuery['after']> {
  const [row] = await models.find({ ...source, where, limit: 1 });
  return row === undefined ? null : { isKeyEmpty: row.key === null, key: row.key, id: row.id };
}

/**
 * Reads everything that a query matches in pages of its size, without keeping earlier pages in memory.
 * @param models returns the read models of the next page
 */
export async function* readKeysetPages(models: () => DocumentReads, query: KeysetQuery): AsyncGenerator<PageRow[]> {
  let { after } = query;
  for (;;) {
    // An embedded store answers synchronously, so other calls get a turn before each page.
    await nextTurn();
    const rows: PageRow[] = await readKeysetPage(models(), { ...query, after });
    const page = rows.slice(0, query.size);
    if (page.length > 0) yield page;
    if (rows.length <= query.size) return;
    after = page.at(-1)!;
  }
}

function segmentsOf({ order, isReversed }: KeysetQuery): boolean[] {
  if (order.isNeverEmpty) return [false];
  return isReversed ? [true, false] : [false, true];
}

function segment(query: KeysetQuery, isKeyEmpty: boolean, start: KeysetQuery['after'], limit: number): DocumentQuery {
  const { collection, organizationId, where, order, isReversed = false } = query;
  const direction = isReversed ? OPPOSITE[order.direction] : order.direction;
  return {
    collection,
    organizationId,
    where: order.isNeverEmpty ? where : [...where, { key: order.key!, op: isKeyEmpty ? 'empty' : 'present' }],
    order: { key: isKeyEmpty ? null : order.key, direction },
    limit,
    ...(start === null ? {} : { after: { key: start.key, id: start.id } }),
  };
}
