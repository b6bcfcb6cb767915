import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { crosswalkAggregate } from '../../commands/crosswalk.ts';
import { ApprovedHandler } from '../../commands/engine/approved-handler.ts';
import type { Aggregate } from '../../commands/engine/decider.ts';
import type { CommandHandler, CommandResult } from '../../commands/engine/handler.ts';
import { asRefusal, Refusal } from '../../commands/engine/refusal.ts';
import { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { recordAggregate } from '../../commands/families.ts';
import { linkAggregate } from '../../commands/link.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { type Permission, requirePermission } from '../../commands/organization/permissions.ts';
import {
  type ProposalCommand,
  type ProposalState,
  proposalAggregate,
  proposalStateAt,
} from '../../commands/proposal.ts';
import { proposedEffects } from '../../queries/changes/proposed-effects.ts';
import type { Proposal } from '../../queries/proposals.ts';
import type { ProposedEffect, RefusedEffect } from '../../register/proposal.ts';
import { mapConcurrently } from '../bulk-write.ts';
import type { Tool, ToolService } from '../tool.ts';
import { envelopeFor, waitUntilReadable } from '../write.ts';
import { openDependencies } from './dependencies.ts';
import { inputToMake } from './proposal-input.ts';
import { rehearseCall } from './rehearse-call.ts';

/** The effects that an approval would have now. */
export interface ProposalPreview {
  effects: readonly ProposedEffect[];
  /** The effects differ from those that were proposed. */
  isChanged: boolean;
  /** A text that stands for these effects. An approval gives it back, so it approves what its person saw. */
  seen: string;
  /** Why it can't be done now, or not by this person; null if it can. */
  refusal: Refusal | null;
  /** The call that would carry it out, and the streams that it would write to. */
  callId: string;
  streams: readonly string[];
  /** The open proposals that would add records which it names. They come first. */
  waitsFor: readonly Proposal[];
}

/** Lets accounts take turns with work on many records. */
export interface BulkQueue {
  /** Runs work when it is the account's turn, with the rights that the caller has then. */
  runBulk<T>(caller: Caller, run: (caller: Caller) => Promise<T>): Promise<T>;
}

/** A stored proposal, its id and its organization. */
interface Opened {
  id: string;
  organizationId: string;
  state: ProposalState;
}

/**
 * Previews, approves and declines proposals. Only a signed-in person's page and the command line have it: no tool and no
 * token decides on a proposal.
 */
export class Proposals {
  private readonly tools: ReadonlyMap<string, Tool>;

  constructor(
    tools: readonly Tool[],
    private readonly service: ToolService,
    private readonly queue: BulkQueue = { runBulk: (caller, run) => run(caller) },
  ) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Rehearses an open proposal on today's records, as the person who looks at it. @throws Refusal not_found */
  preview(id: string, caller: Caller): Promise<ProposalPreview> {
    return this.queue.runBulk(caller, async (reader) => this.previewOf(await this.open(id, reader), reader));
  }

  /**
   * Approves a proposal and does what it says, with the rights of the person who approves.
   * @param seen that of the preview. If the records changed since, nothing is approved
   * @throws Refusal conflict if it would now do something else; invalid_transition if it isn't open; else as the call
   */
  approve(id: string, caller: Caller, seen: string): Promise<ProposalState> {
    return this.queue.runBulk(caller, (approver) => this.approveNow(id, approver, seen));
  }

  private async approveNow(id: string, caller: Caller, seen: string): Promise<ProposalState> {
    const opened = await this.open(id, caller);
    const { state } = opened;
    // The same person again finishes what was interrupted.
    const isInterrupted = state.state === 'APPROVED' && state.decided_by === caller.account_id;
    if (!isInterrupted && proposalStateAt(state, this.service.handler.now()) === 'OPEN') {
      const { refusal, seen: now, streams, callId: call_id } = await this.previewOf(opened, caller);
      if (refusal !== null) throw refusal;
      if (now !== seen) throw new Refusal('conflict', 'A record has changed since. Look at what would happen now.');
      await this.decide(opened, caller, { type: 'ApproveProposal', streams, call_id });
    } else if (!isInterrupted) await this.decide(opened, caller, { type: 'ApproveProposal', streams: [], call_id: '' });
    return this.carryOut((await this.load(id))!, caller);
  }

  /** @throws Refusal invalid_transition if it isn't open; forbidden without the permission that the call needs */
  async decline(id: string, caller: Caller, reason: string): Promise<void> {
    const opened = await this.open(id, caller);
    requirePermission(caller, opened.organizationId, this.permissionOf(opened.state));
    await this.decide(opened, caller, { type: 'DeclineProposal', reason });
  }

  /** Takes a proposal back. @throws Refusal invalid_transition if it isn't open; forbidden for another account */
  async withdraw(id: string, caller: Caller): Promise<void> {
    await this.decide(await this.open(id, caller), caller, { type: 'WithdrawProposal' });
  }

  /** Does the rest of what an interrupted approval began, with the rights that the person who approved has now. */
  async finish(id: string, caller: Caller): Promise<void> {
    const opened = await this.load(id);
    if (opened?.state.state === 'APPROVED') await this.carryOut(opened, caller);
  }

  private async open(id: string, caller: Caller): Promise<Opened> {
    const opened = await this.load(id);
    if (opened !== null && caller.roles.has(opened.organizationId)) return opened;
    throw new Refusal('not_found', `There is no proposal ${id} here.`);
  }

  private async load(id: string): Promise<Opened | null> {
    const { state, organization_id } = await this.service.handler.load(proposalAggregate(id), true);
    return state === null || organization_id === null ? null : { id, organizationId: organization_id, state };
  }

  private toolOf({ tool }: ProposalState): Tool {
    const found = this.tools.get(tool);
    if (found === undefined)
      throw new Refusal('invalid_transition', `There is no tool ${tool} any more. Decline this.`);
    return found;
  }

  /** Returns the permission that the call needs. A tool of an earlier version is gone, but its proposals are declined. */
  private permissionOf({ tool }: ProposalState): Permission {
    return this.tools.get(tool)?.permission ?? 'changeRecords';
  }

  private async previewOf({ id, organizationId, state }: Opened, caller: Caller): Promise<ProposalPreview> {
    try {
      const rehearsal = new RehearsalHandler(this.service.handler as CommandHandler);
      const input = await this.inputOf({ id, state }, caller);
      await rehearseCall({ tool: this.toolOf(state), input, context: { caller } }, this.service, rehearsal);
      // Comparing 700 KB takes some milliseconds.
      await eventLoopQueue.wait(caller.account_id);
      const effects = proposedEffects(rehearsal);
      // The store gives the members back in another order.
      const isChanged = !isDeepStrictEqual(effects, state.effects);
      const streams = rehearsal.rehearsed.map(({ stream }) => stream);
      const callId = rehearsal.rehearsed[0]?.envelope.correlation_id ?? '';
      return { effects, isChanged, seen: hashOf(effects), refusal: null, callId, streams, waitsFor: [] };
    } catch (error) {
      const refusal = asRefusal(error);
      if (!(refusal instanceof Refusal) || refusal.code === 'unavailable') throw refusal;
      const waitsFor = await openDependencies(this.service, [organizationId], state.input, caller);
      return { effects: [], isChanged: waitsFor.length === 0, seen: '', refusal, callId: '', streams: [], waitsFor };
    }
  }

  /** Returns the input of the approved call. A call on many records gets the selection of a dry run, which the person saw. */
  private async inputOf({ id, state }: Pick<Opened, 'id' | 'state'>, caller: Caller): Promise<object> {
    const tool = this.toolOf(state);
    const keyed = inputToMake({ id, ...state });
    if (!('dry_run' in (tool.input as unknown as { shape: object }).shape)) return keyed;
    const dryRun = { ...keyed, dry_run: true };
    const { selection } = (await tool.run(dryRun, { caller, tool, service: this.service })) as { selection?: string };
    return { ...keyed, ...(selection === undefined ? {} : { selection }) };
  }

  /** Does what was approved. A repeat after a crash changes nothing twice. */
  private async carryOut({ id, organizationId, state }: Opened, caller: Caller): Promise<ProposalState> {
    const { handler } = this.service;
    const { events } = await handler.readPast(proposalAggregate(id) as never);
    const approval = events.findLast(({ type }) => type === 'ProposalApproved')!;
    const approved = new ApprovedHandler(handler as CommandHandler, approval.id, new Set(state.approved_streams));
    const service = { ...this.service, handler: approved };
    let wholeCall: RefusedEffect[] = [];
    try {
      const input = await this.inputOf({ id, state }, caller);
      await this.toolOf(state).run(input, { caller, tool: this.toolOf(state), service });
    } catch (error) {
      const refusal = asRefusal(error);
      if (!(refusal instanceof Refusal) || refusal.code === 'unavailable') throw refusal;
      if (approved.refused.length === 0) wholeCall = [{ code: refusal.code, message: refusal.message }];
    }
    const refused = [...approved.refused.map(refusedEffect), ...wholeCall];
    const call_id = approved.callId ?? '';
    const done = wholeCall.length === 0 ? approved.written.size : await this.countWritten(state, approval.id);
    const command: ProposalCommand = { type: 'CarryOutProposal', call_id, done, refused };
    const command_id = handler.commandId([id, command.type], id);
    // The service says what was done: the person may have lost the right meanwhile.
    const bySystem = {
      organization_id: organizationId,
      actor_id: 'SYSTEM',
      token_id: null,
      client: null,
      role: 'OWNER' as const,
    };
    const envelope = { ...bySystem, command_id, correlation_id: command_id, causation_id: approval.id, input: { id } };
    const result = await handler.execute(proposalAggregate(id), command, envelope);
    await waitUntilReadable(this.service, organizationId, result);
    return result.state!;
  }

  /** Counts the streams that an earlier attempt wrote to. */
  private async countWritten({ approved_streams }: ProposalState, approvalId: string): Promise<number> {
    const pasts = await mapConcurrently(approved_streams, (stream) =>
      this.service.handler.readPast(aggregateOfStream(stream)),
    );
    return pasts.filter(({ events }) => events.some(({ metadata }) => metadata.causation_id === approvalId)).length;
  }

  private async decide(
    { id, organizationId, state }: Opened,
    caller: Caller,
    command: ProposalCommand,
  ): Promise<CommandResult<ProposalState>> {
    const { handler } = this.service;
    const permission = this.permissionOf(state);
    const role = requirePermission(caller, organizationId, permission);
    const command_id = handler.commandId([id, command.type, caller.account_id], id);
    const envelope = envelopeFor(caller, organizationId, role, permission, command_id);
    const result = await handler.execute(proposalAggregate(id), command, { ...envelope, command_id, input: command });
    await waitUntilReadable(this.service, organizationId, result);
    return result;
  }
}

/** Returns the aggregate of a stream that a call wrote to. */
function aggregateOfStream(stream: string): Aggregate {
  const [kind, ...ids] = stream.split('-') as [string, string, string];
  const aggregates: Readonly<Record<string, () => unknown>> = {
    link: () => linkAggregate(...ids),
    crosswalk: () => crosswalkAggregate(...ids),
  };
  return (aggregates[kind]?.() ?? recordAggregate(ids[0])) as Aggregate;
}

function refusedEffect({ stream, refusal: { code, message } }: ApprovedHandler['refused'][number]): RefusedEffect {
  return { record_id: stream.slice(stream.indexOf('-') + 1), code, message };
}

const hashOf = (effects: readonly ProposedEffect[]): string =>
  createHash('sha256').update(JSON.stringify(effects)).digest('base64url');
