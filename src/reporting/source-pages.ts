import type { Condition, DocumentQuery, MatchingDocument, ReadModels } from '../stores/read-store.ts';

/** Documents per read. Long texts are in them. */
const PAGE_SIZE = 200;

/** Reads an organization's documents with a key in a range, in the order of that key, page by page. */
export async function* pagesInRange(
  models: Pick<ReadModels, 'find'>,
  { collection, organizationId, key, where = [] }: RangeQuery,
  range: { gt?: number; lte?: number; gte?: string },
): AsyncGenerator<MatchingDocument[]> {
  let after: DocumentQuery['after'];
  for (;;) {
    const conditions: Condition[] = [{ key, op: 'range', ...range }, ...where];
    const order = { key, direction: 'ASC' } as const;
    const query: DocumentQuery = { collection, organizationId, where: conditions, order, limit: PAGE_SIZE };
    const page = await models.find(after === undefined ? query : { ...query, after });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < PAGE_SIZE || last === undefined) return;
    after = { key: last.key, id: last.id };
  }
}

interface RangeQuery {
  collection: string;
  organizationId: string;
  key: string;
  where?: readonly Condition[];
}
