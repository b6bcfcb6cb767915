import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProposalState } from '../commands/proposal.ts';
import { proposals } from '../projections/read-models/proposal-model.ts';
import type { DocumentQuery } from '../stores/read-store.ts';
import type { Snapshot } from './moments/snapshot.ts';

/** A proposal as the read model keeps it. */
export type ProposalDocument = ProposalState & { id: string; created_at: string };

/**
 * Reads proposals one by one. Each can hold 700 KB, so only one of them is in memory. An embedded store answers synchronously, so
 * other calls get a turn before each.
 */
export async function* eachProposalDocument(
  { models }: Pick<Snapshot, 'models'>,
  conditions: Omit<DocumentQuery, 'collection' | 'limit'>,
): AsyncGenerator<ProposalDocument> {
  const query: DocumentQuery = { ...conditions, collection: proposals.family.plural, limit: 1 };
  for (;;) {
    await nextTurn();
    const [row] = await models.find(query);
    if (row === undefined) return;
    yield row.doc as unknown as ProposalDocument;
    query.after = { key: row.key, id: row.id };
  }
}
