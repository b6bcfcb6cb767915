import { setImmediate as turn } from 'node:timers/promises';
import type { Condition, Find, Found, ReadModels } from '../stores/read-store.ts';
import type { PageCursor } from './cursor.ts';

export interface KeysetQuery {
  collection: string;
  organizationId: string;
  where: readonly Condition[];
  order: { key: string; direction: 'ASC' | 'DESC' };
  size: number;
  after: Pick<PageCursor, 'empty' | 'key' | 'id'> | null;
}

export interface PageRow extends Found {
  empty: boolean;
}

/**
 * One page by key, never by offset. Empty values come last in both directions, so an order is two segments: the records
 * that have the key, in its order; then those that lack it, by id.
 * @returns up to size + 1 rows: one more than asked for says that there is a next page
 */
export async function readKeysetPage(models: ReadModels, query: KeysetQuery): Promise<PageRow[]> {
  const limit = query.size + 1;
  const rows: PageRow[] = [];
  if (!query.after?.empty) {
    const after = query.after ? { key: query.after.key, id: query.after.id } : null;
    const found = await models.find(segment(query, 'present', query.order.key, after, limit));
    for (const { id, key, doc } of found) rows.push({ id, key, doc, empty: false });
  }
  if (rows.length < limit) {
    const after = query.after?.empty ? { key: null, id: query.after.id } : null;
    const found = await models.find(segment(query, 'empty', null, after, limit - rows.length));
    for (const { id, doc } of found) rows.push({ id, key: null, doc, empty: true });
  }
  return rows;
}

/** Where the first that some conditions find stands in an order; null where there is none. */
export async function findPageStart(
  models: ReadModels,
  source: Pick<KeysetQuery, 'collection' | 'organizationId' | 'order'>,
  where: readonly Condition[],
): Promise<KeysetQuery['after']> {
  const [found] = await models.find({ ...source, where, limit: 1 });
  return found === undefined ? null : { empty: found.key === null, key: found.key, id: found.id };
}

/** All that a query finds, from a place on, in pages of its size: none is held longer than it is looked at. */
export async function* readKeysetPages(models: ReadModels, query: KeysetQuery): AsyncGenerator<PageRow[]> {
  let { after } = query;
  for (;;) {
    const rows: PageRow[] = await readKeysetPage(models, { ...query, after });
    const page = rows.slice(0, query.size);
    if (page.length > 0) yield page;
    if (rows.length <= query.size) return;
    after = page.at(-1)!;
    // An embedded store answers within this turn: what others wait for goes between.
    await turn();
  }
}

function segment(
  query: KeysetQuery,
  op: 'present' | 'empty',
  key: string | null,
  after: Find['after'] | null,
  limit: number,
): Find {
  return {
    collection: query.collection,
    organizationId: query.organizationId,
    where: [...query.where, { key: query.order.key, op }],
    order: { key, direction: query.order.direction },
    limit,
    ...(after ? { after } : {}),
  };
}
