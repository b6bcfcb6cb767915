import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { authorOf, needsAnotherApprover, needsOtherAccount } from '../../commands/autonomy.ts';
import type { CommandHandler, CommandResult } from '../../commands/engine/handler.ts';
import { asRefusal, invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { recordRevision } from '../../commands/engine/stream-state.ts';
import { organizationAggregate, recordAggregate } from '../../commands/families.ts';
import { type ApprovalPolicy, fourEyesInForce } from '../../commands/organization/approval-policy.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { type Permission, requirePermission } from '../../commands/organization/permissions.ts';
import {
  type ProposalCommand,
  type ProposalState,
  proposalAggregate,
  proposalStateAt,
  requireOpen,
} from '../../commands/proposal.ts';
import { proposedEffects } from '../../queries/changes/proposed-effects.ts';
import type { Proposal } from '../../queries/proposals.ts';
import { effectKey, type ProposedEffect, streamKey } from '../../register/proposal.ts';
import { readInput } from '../read-input.ts';
import { requiredReason } from '../schema/fields.ts';
import type { Tool, ToolService } from '../tool.ts';
import { envelopeFor, waitUntilReadable } from '../write.ts';
import { APPROVAL_POLICY_TOOL } from './approval-policy-tool.ts';
import { carryOut, type StoredProposal } from './carry-out.ts';
import { openDependencies } from './dependencies.ts';
import { endDependents } from './dependents.ts';
import { callToMake, proposedInput } from './proposal-input.ts';
import { proposeInstead } from './propose.ts';
import { rehearseCall, unwritten } from './rehearse-call.ts';

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

/** One of several proposals, with what its approval would do after those before it. */
export interface PreviewedProposal {
  id: string;
  preview: ProposalPreview;
}

/** Lets accounts take turns with work on many records. */
export interface BulkQueue {
  /** Runs work when it is the account's turn, with the rights that the caller has then. */
  runBulk<T>(caller: Caller, run: (caller: Caller) => Promise<T>): Promise<T>;
}

/** The parts of a proposal that a person approves. */
export interface Approval {
  /** That of the preview. If the records changed since, nothing is approved. */
  seen: string;
  /** The keys of the effects that are approved; by default all. */
  rows?: readonly string[] | undefined;
  /** Inputs in place of the proposed ones. An undefined one is left out. */
  changes?: Readonly<Record<string, unknown>> | undefined;
  /** The revision of the record that the person saw when they changed inputs. */
  revision?: number | undefined;
}

/** The outcome of one of several decisions: a refusal, or null if it was made. */
export interface DecidedProposal {
  id: string;
  refusal: Refusal | null;
}

/** The calls whose rows a person can approve one by one. */
const TOOLS_WITH_ROWS: readonly string[] = ['archiveRecords', 'importRecords', 'linkRecords'];

/** Returns true for a proposal of several rows, of which some can be left out. The pairs of a crosswalk go together. */
export function hasRows({ tool }: Pick<ProposalState, 'tool'>, effects: readonly ProposedEffect[]): boolean {
  const isPair = ({ event_types }: ProposedEffect) => event_types.includes('CrosswalkImported');
  return TOOLS_WITH_ROWS.includes(tool) && effects.length > 1 && !effects.some(isPair);
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
    this.tools = new Map([...tools, APPROVAL_POLICY_TOOL].map((tool) => [tool.name, tool]));
  }

  /**
   * Changes the policy of approvals, or proposes that if another OWNER must approve it. Returns the proposal's id, or null.
   * @throws Refusal as the decider
   */
  async changePolicy(input: { organization_id: string } & ApprovalPolicy, caller: Caller): Promise<string | null> {
    const tool = APPROVAL_POLICY_TOOL;
    const call = { tool, input, organizations: [input.organization_id], context: { caller } };
    const toolOf = (name: string) => this.tools.get(name)!;
    const proposed = await proposeInstead(call, this.service, { publicUrl: undefined, toolOf });
    if (proposed !== null) return ('pending_approval' in proposed ? proposed.pending_approval : proposed).proposal_id;
    await tool.run(input, { caller, tool, service: this.service });
    return null;
  }

  /** Returns the permissions that the calls of proposals need. @throws Refusal not_found */
  async permissionsOf(ids: readonly string[], caller: Caller): Promise<Permission[]> {
    return (await this.inOrder(ids, caller)).map(({ state }) => this.permissionOf(state));
  }

  /** Rehearses an open proposal on today's records, as the person who looks at it. @throws Refusal not_found */
  preview(id: string, caller: Caller): Promise<ProposalPreview> {
    return this.queue.runBulk(caller, async (reader) => this.previewOf(await this.open(id, reader), reader));
  }

  /**
   * Rehearses several open proposals in the order in which they depend on each other, each on what those before it would lead
   * to. Leaves out those that are not open.
   */
  previewAll(ids: readonly string[], caller: Caller): Promise<PreviewedProposal[]> {
    return this.queue.runBulk(caller, (reader) => this.previewAllNow(ids, reader));
  }

  private async previewAllNow(ids: readonly string[], caller: Caller): Promise<PreviewedProposal[]> {
    const rehearsal = this.newRehearsal();
    const previews: PreviewedProposal[] = [];
    for (const opened of await this.inOrder(ids, caller)) {
      if (!this.isOpen(opened)) continue;
      previews.push({ id: opened.id, preview: await this.previewOf(opened, caller, rehearsal) });
      rehearsal.forget();
    }
    return previews;
  }

  /**
   * Approves a proposal and does what it says, with the rights of the person who approves.
   * @throws Refusal conflict if it would now do something else; invalid_transition if it isn't open; else as the call
   */
  approve(id: string, caller: Caller, approval: Approval): Promise<ProposalState> {
    return this.queue.runBulk(caller, (approver) => this.approveNow(id, approver, approval));
  }

  private async approveNow(id: string, caller: Caller, approval: Approval): Promise<ProposalState> {
    const opened = await this.open(id, caller);
    const { state } = opened;
    // The same person again finishes what was interrupted.
    const isInterrupted = state.state === 'APPROVED' && state.decided_by === caller.account_id;
    if (!isInterrupted) await this.decide(opened, caller, await this.approvalOf(opened, caller, approval));
    return this.carryOut((await this.load(id))!, caller, isInterrupted);
  }

  /** Approves several, each after those that it depends on. One that is refused leaves the others free. */
  approveAll(approvals: ReadonlyMap<string, Approval>, caller: Caller): Promise<DecidedProposal[]> {
    return this.decideAll([...approvals.keys()], caller, (id) => this.approve(id, caller, approvals.get(id)!));
  }

  /**
   * Declines a proposal, and those that depend on it.
   * @throws Refusal invalid_input for a reason that no tool would take; invalid_transition if it isn't open; forbidden
   *   without the permission that the call needs
   */
  async decline(id: string, caller: Caller, reason: string): Promise<void> {
    const read = requiredReason().safeParse(reason);
    if (!read.success) throw invalidField('reason', `The reason ${read.error.issues[0]!.message}.`);
    const opened = await this.open(id, caller);
    await this.decide(opened, caller, { type: 'DeclineProposal', reason: read.data });
    await endDependents(this.service, opened.organizationId);
  }

  /** Declines several. Those that end with one that they depend on count as declined. */
  async declineAll(ids: readonly string[], caller: Caller, reason: string): Promise<DecidedProposal[]> {
    return this.decideAll(ids, caller, async (id) => {
      const { state } = await this.open(id, caller);
      if (state.state !== 'DECLINED') await this.decline(id, caller, reason);
    });
  }

  /** Takes a proposal back. @throws Refusal invalid_transition if it isn't open; forbidden for another account */
  async withdraw(id: string, caller: Caller): Promise<void> {
    const opened = await this.open(id, caller);
    await this.decide(opened, caller, { type: 'WithdrawProposal' });
    await endDependents(this.service, opened.organizationId);
  }

  /** Does the rest of what an interrupted approval began, with the rights that the person who approved has now. */
  async finish(id: string, caller: Caller): Promise<void> {
    const opened = await this.load(id);
    if (opened?.state.state === 'APPROVED') await this.carryOut(opened, caller, true);
  }

  /** Ends the proposals that an interrupted decision left open, though they depend on one that ended. */
  endDependents(organizationId: string): Promise<void> {
    return endDependents(this.service, organizationId);
  }

  private async open(id: string, caller: Caller): Promise<StoredProposal> {
    const opened = await this.load(id);
    if (opened !== null && caller.roles.has(opened.organizationId)) return opened;
    throw new Refusal('not_found', `There is no proposal ${id} here.`);
  }

  private async load(id: string): Promise<StoredProposal | null> {
    const { state, organization_id } = await this.service.handler.load(proposalAggregate(id), true);
    return state === null || organization_id === null ? null : { id, organizationId: organization_id, state };
  }

  private isOpen({ state }: StoredProposal): boolean {
    return proposalStateAt(state, this.service.handler.now()) === 'OPEN';
  }

  /** Loads proposals in the order in which they were made: one that depends on another came after it. */
  private async inOrder(ids: readonly string[], caller: Caller): Promise<StoredProposal[]> {
    const opened = await Promise.all([...new Set(ids)].map((id) => this.open(id, caller)));
    return opened.sort((a, b) => a.state.position - b.state.position);
  }

  private async decideAll(
    ids: readonly string[],
    caller: Caller,
    decide: (id: string) => Promise<unknown>,
  ): Promise<DecidedProposal[]> {
    const decided: DecidedProposal[] = [];
    for (const { id } of await this.inOrder(ids, caller)) {
      const refusal = await decide(id).then(() => null, requireRefusal);
      decided.push({ id, refusal });
    }
    return decided;
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

  private newRehearsal(): RehearsalHandler {
    return new RehearsalHandler(this.service.handler as CommandHandler);
  }

  private async previewOf(
    opened: StoredProposal,
    caller: Caller,
    rehearsal = this.newRehearsal(),
  ): Promise<ProposalPreview> {
    const { organizationId, state } = opened;
    try {
      const { effects, streams, callId } = await this.rehearse(opened, caller, rehearsal);
      // The store gives the members back in another order.
      const isChanged = !isDeepStrictEqual(effects, state.effects);
      return { effects, isChanged, seen: hashOf(effects), refusal: null, callId, streams, waitsFor: [] };
    } catch (error) {
      const refusal = requireRefusal(error);
      const waitsFor = await openDependencies(this.service, [organizationId], state.input, caller);
      return { effects: [], isChanged: waitsFor.length === 0, seen: '', refusal, callId: '', streams: [], waitsFor };
    }
  }

  /** Returns the effects and streams that the call would have now. @throws Refusal as the call */
  private async rehearse(opened: StoredProposal, caller: Caller, rehearsal = this.newRehearsal()) {
    const { id, state } = opened;
    const tool = this.toolOf(state);
    const service = unwritten(this.service, rehearsal);
    const input = await callToMake({ id, ...state }, { tool, caller, service });
    await rehearseCall({ tool, input, context: { caller } }, this.service, rehearsal);
    await this.requireOtherAccount(opened, caller, rehearsal);
    // Comparing 700 KB takes some milliseconds.
    await eventLoopQueue.wait(caller.account_id);
    const streams = rehearsal.rehearsed.map(({ stream }) => stream);
    const callId = rehearsal.rehearsed[0]?.envelope.correlation_id ?? '';
    return { effects: proposedEffects(rehearsal), streams, callId };
  }

  /** @throws Refusal forbidden if another account must approve, and this one wrote the call or is at the command line */
  private async requireOtherAccount(
    { organizationId, state }: StoredProposal,
    caller: Caller,
    { rehearsed }: RehearsalHandler,
  ): Promise<void> {
    // Only the command line has callers whose rights can't be renewed.
    if (authorOf(state, caller) !== caller.account_id && caller.renew !== undefined) return;
    const { handler } = this.service;
    const organization = await handler.load(organizationAggregate(organizationId), true);
    if (needsOtherAccount(fourEyesInForce(organization.state), rehearsed)) throw needsAnotherApprover();
  }

  /** Returns the command that approves what the person saw. @throws Refusal */
  private async approvalOf(
    opened: StoredProposal,
    caller: Caller,
    { seen, rows, changes, revision }: Approval,
  ): Promise<ProposalCommand> {
    const { state } = opened;
    requireOpen(state, this.service.handler.now());
    const preview = await this.previewOf(opened, caller);
    if (changes === undefined && preview.refusal !== null) throw preview.refusal;
    if (preview.seen !== seen) throw changedSince();
    if (revision !== undefined) await this.requireRevision(state, revision);
    if (changes !== undefined) return this.changedApproval(opened, caller, changes);
    const { effects, streams, isChanged, callId: call_id } = preview;
    const chosen = rows === undefined ? streams : streams.filter((stream) => rows.includes(streamKey(stream)));
    if (rows !== undefined) requireRows(state, effects, rows);
    return { type: 'ApproveProposal', streams: chosen, call_id, ...(isChanged ? { effects } : {}) };
  }

  /** The effects that a person saw don't tell of a field that they change themselves. @throws Refusal conflict */
  private async requireRevision({ input }: ProposalState, revision: number): Promise<void> {
    const record = await this.service.handler.load(recordAggregate(String(input.id)), true);
    if (recordRevision(record) !== revision) throw changedSince();
  }

  /** Approves another input than the proposed one. The history keeps both. */
  private async changedApproval(
    opened: StoredProposal,
    caller: Caller,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<ProposalCommand> {
    const { state, organizationId } = opened;
    const tool = this.toolOf(state);
    const reason = state.reason === null ? {} : { reason: state.reason };
    // Leaves out what is undefined.
    const given = JSON.parse(JSON.stringify({ ...reason, ...state.input, ...changes }));
    const context = { caller, tool, service: this.service };
    const { input: read } = (await readInput(tool, given, this.service, { caller })) as { input: { reason?: string } };
    const input = await proposedInput(read, context, organizationId);
    const changed = { approved_input: input, decision_reason: read.reason ?? null };
    const changedCall = { ...opened, state: { ...state, ...changed } };
    const { effects, streams, callId: call_id } = await this.rehearse(changedCall, caller);
    if (streams.length === 0) {
      throw new Refusal('invalid_input', 'With these changes the call would do nothing. Decline the proposal instead.');
    }
    const withReason = read.reason ? { reason: read.reason } : {};
    return { type: 'ApproveProposal', streams, call_id, input, effects, ...withReason };
  }

  private async carryOut(opened: StoredProposal, caller: Caller, isRepeat: boolean): Promise<ProposalState> {
    const { service } = this;
    const state = await carryOut(service, opened, { tool: this.toolOf(opened.state), caller, isRepeat });
    await endDependents(service, opened.organizationId);
    return state;
  }

  private async decide(
    { id, organizationId, state }: StoredProposal,
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

/** @throws Refusal invalid_input unless some of the effects are chosen, of a call that has rows */
function requireRows(state: ProposalState, effects: readonly ProposedEffect[], rows: readonly string[]): void {
  const chosen = effects.filter((effect) => rows.includes(effectKey(effect)));
  if (chosen.length === 0) throw new Refusal('invalid_input', 'Choose at least one row, or decline the proposal.');
  if (chosen.length === effects.length || hasRows(state, effects)) return;
  throw new Refusal('invalid_input', 'This proposal is approved as a whole.');
}

function changedSince(): Refusal {
  return new Refusal('conflict', 'A record has changed since. Look at what would happen now.');
}

/** Returns a refusal that a person can be told. @throws any other error, and refusals of stores that are down */
function requireRefusal(error: unknown): Refusal {
  const refusal = asRefusal(error);
  if (refusal instanceof Refusal && refusal.code !== 'unavailable') return refusal;
  throw refusal;
}

const hashOf = (effects: readonly ProposedEffect[]): string =>
  createHash('sha256').update(JSON.stringify(effects)).digest('base64url');
