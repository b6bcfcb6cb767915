import type { DocumentQuery, DocumentReads } from '../../stores/read-store.ts';

/** Documents that are read at once. */
const PAGE_SIZE = 200;

/** Returns all documents with these conditions. */
export async function findAll(
  models: DocumentReads,
  conditions: Pick<DocumentQuery, 'collection' | 'organizationId' | 'where'>,
): Promise<Record<string, unknown>[]> {
  const query = { ...conditions, order: { key: null, direction: 'ASC' }, limit: PAGE_SIZE } as const;
  const documents: Record<string, unknown>[] = [];
  let page = await models.find(query);
  for (;;) {
    documents.push(...page.map(({ doc }) => doc));
    if (page.length < PAGE_SIZE) return documents;
    page = await models.find({ ...query, after: { key: null, id: page.at(-1)!.id } });
  }
}
