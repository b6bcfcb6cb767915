import { Refusal } from '../../commands/engine/refusal.ts';
import { recordAggregate } from '../../commands/families.ts';
import {
  isAddition,
  type ProposalCommand,
  type ProposalState,
  proposalAggregate,
  STATE_WORDS,
} from '../../commands/proposal.ts';
import { eachProposal, type Proposal } from '../../queries/proposals.ts';
import type { ToolService } from '../tool.ts';
import { waitUntilReadable } from '../write.ts';

/** Open proposals that depend on others, of which one run ends those that it must. */
const MAX_DEPENDENTS = 1_000;

/**
 * Ends the open proposals that depend on one that was declined or withdrawn, with its reason, or that name a record which
 * its approval left out. One that expires needs nothing: those that depend on it expire no later.
 */
export async function endDependents(service: ToolService, organizationId: string): Promise<void> {
  let looked = 0;
  for await (const proposal of eachProposal(service.reader.snapshot(), organizationId, { only: 'DEPENDENT' })) {
    if (++looked > MAX_DEPENDENTS) return;
    const end = await endOf(service, proposal);
    if (end !== null) await endProposal(service, organizationId, proposal.id, end);
  }
}

/** Returns the command that ends a proposal as the first ended one ended that it depends on; null if none did. */
async function endOf({ handler }: ToolService, { depends_on, input }: Proposal): Promise<ProposalCommand | null> {
  for (const id of depends_on) {
    const { state } = await handler.load(proposalAggregate(id));
    if (state?.state === 'DECLINED') return { type: 'DeclineProposal', reason: endReason(id, state) };
    if (state?.state === 'WITHDRAWN') return { type: 'WithdrawProposal', reason: endReason(id, state) };
    if (state?.state !== 'CARRIED_OUT') continue;
    const missing = await missingRecord(handler, state, JSON.stringify(input));
    if (missing === null) continue;
    return { type: 'DeclineProposal', reason: `It names ${missing}, which ${id} was approved without.` };
  }
  return null;
}

/** Returns a named record that a proposal would have added, but that its approval left out or that was refused. */
async function missingRecord(
  handler: ToolService['handler'],
  { effects }: ProposalState,
  named: string,
): Promise<string | null> {
  for (const effect of effects) {
    const { record_id } = effect;
    if (!isAddition(effect) || !named.includes(record_id)) continue;
    if ((await handler.load(recordAggregate(record_id), true)).state === null) return record_id;
  }
  return null;
}

function endReason(id: string, { state, decision_reason }: ProposalState): string {
  const why = decision_reason === null ? '' : `: “${decision_reason}”`;
  return `It depends on ${id}, which was ${STATE_WORDS[state]}${why}`;
}

/** Somebody may have decided on it meanwhile. */
async function endProposal(
  service: ToolService,
  organizationId: string,
  id: string,
  command: ProposalCommand,
): Promise<void> {
  try {
    const envelope = serviceEnvelope(service, organizationId, { id, command });
    const result = await service.handler.execute(proposalAggregate(id), command, envelope);
    await waitUntilReadable(service, organizationId, result);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_transition') throw error;
  }
}

/** Returns the envelope of what the service does with a proposal, once. @param causationId the event that led to it */
export function serviceEnvelope(
  { handler }: ToolService,
  organization_id: string,
  { id, command, causationId }: { id: string; command: ProposalCommand; causationId?: string },
) {
  const command_id = handler.commandId([id, command.type], id);
  const causation = causationId === undefined ? {} : { causation_id: causationId };
  return {
    ...{ organization_id, actor_id: 'SYSTEM', token_id: null, client: null, role: 'OWNER' as const },
    ...{ command_id, correlation_id: command_id, input: { id }, ...causation },
  };
}
