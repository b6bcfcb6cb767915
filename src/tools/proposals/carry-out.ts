import { authorOf } from '../../commands/autonomy.ts';
import { crosswalkAggregate } from '../../commands/crosswalk.ts';
import { ApprovedHandler } from '../../commands/engine/approved-handler.ts';
import type { Aggregate } from '../../commands/engine/decider.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { asRefusal, Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate, recordAggregate } from '../../commands/families.ts';
import { linkAggregate } from '../../commands/link.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import {
  effectsLeftOut,
  type ProposalCommand,
  type ProposalState,
  proposalAggregate,
} from '../../commands/proposal.ts';
import { effectKey, type RefusedEffect, streamKey } from '../../register/proposal.ts';
import { mapConcurrently } from '../bulk-write.ts';
import type { Tool, ToolService } from '../tool.ts';
import { waitUntilReadable } from '../write.ts';
import { serviceEnvelope } from './dependents.ts';
import { callToMake } from './proposal-input.ts';

/** A stored proposal, its id and its organization. */
export interface StoredProposal {
  id: string;
  organizationId: string;
  state: ProposalState;
}

/**
 * Makes the call that was approved, and records what was done. A repeat after a crash changes nothing twice.
 * @param isRepeat an earlier attempt appended the approval, and may have written some of the records
 */
export async function carryOut(
  service: ToolService,
  { id, organizationId, state }: StoredProposal,
  { tool, caller, isRepeat }: { tool: Tool; caller: Caller; isRepeat: boolean },
): Promise<ProposalState> {
  const { handler } = service;
  const { events } = await handler.readPast(proposalAggregate(id) as never);
  const approval = events.findLast(({ type }) => type === 'ProposalApproved')!;
  const approved = new ApprovedHandler(handler as CommandHandler, {
    approval_id: approval.id,
    proposed_by: authorOf(state, caller),
    streams: new Set(state.approved_streams),
    leftOut: new Set(effectsLeftOut(state).map(effectKey)),
  });
  let wholeCall: RefusedEffect[] = [];
  try {
    const input = await callToMake({ id, ...state }, { tool, caller, service });
    await tool.run(input, { caller, tool, service: { ...service, handler: approved } });
  } catch (error) {
    const refusal = asRefusal(error);
    if (!(refusal instanceof Refusal) || refusal.code === 'unavailable') throw refusal;
    if (approved.refused.length === 0) wholeCall = [{ code: refusal.code, message: refusal.message }];
  }
  // The repeat of a call with a filter meets fewer records, or none.
  const call_id = approved.callId ?? state.call_id ?? '';
  const done = isRepeat ? await countWritten(service, state, call_id) : approved.written.size;
  const isAllDone = done === state.approved_streams.length;
  const refused = isAllDone ? [] : [...approved.refused.map(refusedEffect), ...wholeCall];
  const command: ProposalCommand = { type: 'CarryOutProposal', call_id, done, refused };
  // The service says what was done: the person may have lost the right meanwhile.
  const envelope = serviceEnvelope(service, organizationId, { id, command, causationId: approval.id });
  const result = await handler.execute(proposalAggregate(id), command, envelope);
  await waitUntilReadable(service, organizationId, result);
  return result.state!;
}

/** Counts the streams that a call wrote to, now or in an earlier attempt. */
async function countWritten(
  { handler }: ToolService,
  { approved_streams }: ProposalState,
  callId: string,
): Promise<number> {
  const pasts = await mapConcurrently(approved_streams, (stream) => handler.readPast(aggregateOfStream(stream)));
  return pasts.filter(({ events }) => events.some(({ metadata }) => metadata.correlation_id === callId)).length;
}

/** Returns the aggregate of a stream that a call wrote to. */
function aggregateOfStream(stream: string): Aggregate {
  const [kind, ...ids] = stream.split('-') as [string, string, string];
  const aggregates: Readonly<Record<string, () => unknown>> = {
    link: () => linkAggregate(...ids),
    organization: () => organizationAggregate(ids[0]!),
    crosswalk: () => crosswalkAggregate(...ids),
  };
  return (aggregates[kind]?.() ?? recordAggregate(ids[0])) as Aggregate;
}

function refusedEffect({ stream, refusal: { code, message } }: ApprovedHandler['refused'][number]): RefusedEffect {
  return { record_id: streamKey(stream), code, message };
}
