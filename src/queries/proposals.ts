import { setImmediate as nextTurn } from 'node:timers/promises';
import { effectsLeftOut, type ProposalState, proposalStateAt } from '../commands/proposal.ts';
import { proposals } from '../projections/read-models/proposal-model.ts';
import type { PROPOSAL_STATES, ProposedEffect } from '../register/proposal.ts';
import type { Condition } from '../stores/read-store.ts';
import type { AccountName } from './changes/proposed-calls.ts';
import { type WrittenChanges, writtenChanges } from './changes/written-changes.ts';
import type { Snapshot } from './moments/snapshot.ts';
import { eachProposalDocument } from './proposal-documents.ts';
import { readMemberNames } from './records/member-names.ts';

/** The states of proposals as readers see them. */
export type ProposalStateNow = (typeof PROPOSAL_STATES)[number] | 'EXPIRED';

/** A proposal as it is read today. */
export interface Proposal extends Omit<ProposalState, 'state' | 'archived_at' | 'owner_id'> {
  id: string;
  state: ProposalStateNow;
  created_at: string;
}

/** The collection of proposals, and the name of their pages. */
export const PROPOSALS = proposals.family.plural;

/** The prefix of proposals' ids. */
export const PROPOSAL_PREFIX = proposals.family.prefix;

interface ProposalFilter {
  only?: keyof typeof CONDITIONS | undefined;
  proposedBy?: string | undefined;
  after?: Pick<Proposal, 'id' | 'expires_at'>;
}

/** Lists an organization's proposals, newest first: at most `limit`. */
export async function listProposals(
  snapshot: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  { limit, ...filter }: ProposalFilter & { limit: number },
): Promise<Proposal[]> {
  const found: Proposal[] = [];
  if (limit === 0) return found;
  for await (const proposal of eachProposal(snapshot, organizationId, filter)) {
    found.push(proposal);
    if (found.length === limit) break;
  }
  return found;
}

/**
 * Reads an organization's proposals one by one, newest first.
 * @param only those in this state; DEPENDENT are the open ones that depend on others
 * @param proposedBy only those of this account
 * @param after continues after this proposal
 */
export async function* eachProposal(
  snapshot: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  { only, proposedBy, after }: ProposalFilter,
): AsyncGenerator<Proposal> {
  const time = snapshot.now().toISOString();
  const where = only === undefined ? [] : [...CONDITIONS[only](time)];
  if (proposedBy !== undefined) where.push({ key: 'proposed_by', op: 'eq', value: proposedBy });
  const order = { key: 'expires_at', direction: 'DESC' } as const;
  const cursor = after === undefined ? {} : { after: { key: after.expires_at, id: after.id } };
  for await (const document of eachProposalDocument(snapshot, { organizationId, where, order, ...cursor }))
    yield present(document, time);
}

/** Returns the newest open proposal that would add a record; null without one in these organizations. */
export async function findProposalOf(
  { models, now }: Pick<Snapshot, 'models' | 'now'>,
  organizationIds: readonly string[],
  recordId: string,
): Promise<Proposal | null> {
  const time = now().toISOString();
  const where: Condition[] = [...isOpen(time), { key: 'record_ids', op: 'has', value: recordId }];
  const order = { key: 'expires_at', direction: 'DESC' } as const;
  for (const organizationId of organizationIds) {
    const [row] = await models.find({ collection: PROPOSALS, organizationId, where, order, limit: 1 });
    if (row !== undefined) return present(row.doc, time);
  }
  return null;
}

/** Returns a proposal; null if the organization has none of this id. */
export async function findProposal(
  { models, now }: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  id: string,
): Promise<Proposal | null> {
  const [row] = await models.get(PROPOSALS, [id]);
  return row === undefined || row.doc.organization_id !== organizationId ? null : present(row.doc, now().toISOString());
}

/** A proposal as getRecords answers it. */
export interface AnsweredProposal
  extends Pick<
      Proposal,
      | 'id'
      | 'state'
      | 'tool'
      | 'client'
      | 'reason'
      | 'expires_at'
      | 'created_at'
      | 'depends_on'
      | 'decision_reason'
      | 'call_id'
      | 'done'
      | 'refused'
    >,
    WrittenChanges {
  type: 'PROPOSAL';
  organization_id: string;
  proposed_by: AccountName;
  decided_by: AccountName | null;
  /** Somebody approved another input than the proposed one. */
  changed?: true;
}

/** Reads the proposals that a caller can see, and who made and decided them. */
export async function readProposals(
  snapshot: Snapshot,
  organizationIds: readonly string[],
  ids: readonly string[],
): Promise<AnsweredProposal[]> {
  const time = snapshot.now().toISOString();
  const answers: AnsweredProposal[] = [];
  for (const id of ids) {
    await nextTurn();
    const [row] = await snapshot.models.get(PROPOSALS, [id]);
    const organizationId = String(row?.doc.organization_id);
    if (row === undefined || !organizationIds.includes(organizationId)) continue;
    answers.push(await answer(snapshot, organizationId, present(row.doc, time)));
  }
  return answers;
}

async function answer(snapshot: Snapshot, organizationId: string, proposal: Proposal): Promise<AnsweredProposal> {
  const { id, state, tool, client, reason, expires_at, created_at, depends_on } = proposal;
  const { proposed_by, decided_by, decision_reason, call_id, done, refused } = proposal;
  const people = await readMemberNames(snapshot, organizationId, [
    proposed_by,
    ...(decided_by === null ? [] : [decided_by]),
  ]);
  const person = (account: string) => ({ id: account, name: people.of(account) });
  const decided = {
    decided_by: decided_by === null ? null : person(decided_by),
    decision_reason,
    call_id,
    done,
    refused,
  };
  return {
    id,
    organization_id: organizationId,
    type: 'PROPOSAL',
    state,
    tool,
    client,
    proposed_by: person(proposed_by),
    reason,
    created_at,
    expires_at,
    depends_on,
    ...decided,
    ...(proposal.approved_input === null ? {} : { changed: true as const }),
    ...proposedChanges(answeredEffects(proposal)),
  };
}

/** Returns the effects that a person approved; those that were proposed if nobody approved it. */
function answeredEffects(proposal: Proposal): readonly ProposedEffect[] {
  const { state, effects, approved_effects } = proposal;
  if (state !== 'APPROVED' && state !== 'CARRIED_OUT') return effects;
  const leftOut = effectsLeftOut(proposal);
  return (approved_effects ?? effects).filter((effect) => !leftOut.includes(effect));
}

/** Returns what a proposal would change, as answers of writes have it. */
export function proposedChanges(effects: readonly ProposedEffect[]): WrittenChanges {
  return writtenChanges(effects.map(({ record_id, changes }) => changes.map((change) => ({ record_id, ...change }))));
}

/** Counts the proposals that wait for a decision. */
export async function countOpenProposals({ models, now }: Snapshot, organizationId: string): Promise<number> {
  const where = isOpen(now().toISOString());
  const [count] = await models.count({ collection: PROPOSALS, organizationId, where });
  return count?.total ?? 0;
}

const isOpen = (now: string): Condition[] => [
  { key: 'state', op: 'eq', value: 'OPEN' },
  { key: 'expires_at', op: 'range', gte: now },
];

const CONDITIONS = {
  OPEN: isOpen,
  DEPENDENT: (now: string): Condition[] => [...isOpen(now), { key: 'dependent', op: 'eq', value: 'YES' }],
  APPROVED: (): Condition[] => [{ key: 'state', op: 'eq', value: 'APPROVED' }],
  DONE: (): Condition[] => [{ key: 'state', op: 'in', values: ['APPROVED', 'CARRIED_OUT'] }],
  DECLINED: (): Condition[] => [{ key: 'state', op: 'in', values: ['DECLINED', 'WITHDRAWN'] }],
  EXPIRED: (now: string): Condition[] => [
    { key: 'state', op: 'eq', value: 'OPEN' },
    { key: 'expires_at', op: 'range', lt: now },
  ],
};

function present(doc: object, now: string): Proposal {
  const proposal = doc as unknown as Proposal & ProposalState;
  return { ...proposal, state: proposalStateAt(proposal, now) };
}
