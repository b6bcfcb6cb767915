import { type ProposalState, shownState } from '../commands/proposal.ts';
import { proposals } from '../projections/proposals.ts';
import type { PROPOSAL_STATES } from '../register/proposal.ts';
import type { Condition } from '../stores/read-store.ts';
import type { Snapshot } from './moments/snapshot.ts';

/** The states of proposals as readers see them. */
export type ShownState = (typeof PROPOSAL_STATES)[number] | 'EXPIRED';

/** A proposal as it is read today. */
export interface Proposal extends Omit<ProposalState, 'state' | 'archived_at' | 'owner_id'> {
  id: string;
  state: ShownState;
  created_at: string;
}

const COLLECTION = proposals.family.plural;

/** Lists an organization's proposals, newest first. @param only `OPEN` for those that wait for a decision */
export async function listProposals(
  { models, now }: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  { only, limit }: { only?: 'OPEN'; limit: number },
): Promise<Proposal[]> {
  const time = now().toISOString();
  const where = only === undefined ? [] : isOpen(time);
  const order = { key: 'expires_at', direction: 'DESC' } as const;
  const rows = await models.find({ collection: COLLECTION, organizationId, where, order, limit });
  return rows.map(({ doc }) => present(doc, time));
}

/** Returns a proposal; null if the organization has none of this id. */
export async function findProposal(
  { models, now }: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  id: string,
): Promise<Proposal | null> {
  const [row] = await models.get(COLLECTION, [id]);
  return row === undefined || row.doc.organization_id !== organizationId ? null : present(row.doc, now().toISOString());
}

/** Counts the proposals that wait for a decision. */
export async function countOpenProposals({ models, now }: Snapshot, organizationId: string): Promise<number> {
  const where = isOpen(now().toISOString());
  const [count] = await models.count({ collection: COLLECTION, organizationId, where });
  return count?.total ?? 0;
}

const isOpen = (now: string): Condition[] => [
  { key: 'state', op: 'eq', value: 'OPEN' },
  { key: 'expires_at', op: 'range', gte: now },
];

function present(doc: Record<string, unknown>, now: string): Proposal {
  const proposal = doc as unknown as Proposal & ProposalState;
  return { ...proposal, state: shownState(proposal, now) };
}
