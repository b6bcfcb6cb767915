import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Condition, DocumentQuery, MatchingDocument, ReadModels } from '../../stores/read-store.ts';
import type { PageCursor } from './cursor.ts';

export interface KeysetQuery {
  collection: string;
  organizationId: string;
  where: readonly Condition[];
  order: { key: string; direction: 'ASC' | 'DESC' };
  size: number;
  after: Pick<PageCursor, 'isKeyEmpty' | 'key' | 'id'> | null;
}

export interface PageRow extends MatchingDocument {
  isKeyEmpty: boolean;
}

/**
 * Reads one page by key, never by offset. Empty values come last in both directions, so an order has two segments: records
 * with the key in its order, then records without it by id.
 * @returns up to size + 1 rows. The extra row means that there is a next page
 */
export async function readKeysetPage(models: ReadModels, query: KeysetQuery): Promise<PageRow[]> {
  const limit = query.size + 1;
  const rows: PageRow[] = [];
  if (!query.after?.isKeyEmpty) {
    const after = query.after ? { key: query.after.key, id: query.after.id } : null;
    const present = await models.find(segment(query, 'present', query.order.key, after, limit));
    for (const { id, key, doc } of present) rows.push({ id, key, doc, isKeyEmpty: false });
  }
  if (rows.length < limit) {
    const after = query.after?.isKeyEmpty ? { key: null, id: query.after.id } : null;
    const empty = await models.find(segment(query, 'empty', null, after, limit - rows.length));
    for (const { id, doc } of empty) rows.push({ id, key: null, doc, isKeyEmpty: true });
  }
  return rows;
}

/** Returns the start of a page after the first record that matches conditions; null if there is none. */
export async function findPageStart(
  models: ReadModels,
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
export async function* readKeysetPages(models: () => ReadModels, query: KeysetQuery): AsyncGenerator<PageRow[]> {
  let { after } = query;
  for (;;) {
    const rows: PageRow[] = await readKeysetPage(models(), { ...query, after });
    const page = rows.slice(0, query.size);
    if (page.length > 0) yield page;
    if (rows.length <= query.size) return;
    after = page.at(-1)!;
    // An embedded store answers synchronously, so other calls get a turn between two pages.
    await nextTurn();
  }
}

function segment(
  query: KeysetQuery,
  op: 'present' | 'empty',
  key: string | null,
  after: DocumentQuery['after'] | null,
  limit: number,
): DocumentQuery {
  return {
    collection: query.collection,
    organizationId: query.organizationId,
    where: [...query.where, { key: query.order.key, op }],
    order: { key, direction: query.order.direction },
    limit,
    ...(after ? { after } : {}),
  };
}
