import type { Condition, DocumentReads } from '../../stores/read-store.ts';
import { type KeysetQuery, type PageRow, readKeysetPages } from '../lists/keyset-page.ts';

const LINKS_PER_READ = 1_000;

/** Reads the rows of links that meet conditions, by their ids or in another order of a key that every row has. */
export function readLinkPages(
  models: DocumentReads,
  source: { organizationId: string; where: readonly Condition[] },
  order: Pick<KeysetQuery['order'], 'key' | 'direction'> = { key: null, direction: 'ASC' },
): AsyncGenerator<PageRow[]> {
  const query = { collection: 'links', ...source, order: { ...order, isNeverEmpty: true } as const };
  return readKeysetPages(() => models, { ...query, size: LINKS_PER_READ, after: null });
}
