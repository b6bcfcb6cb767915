import type { z } from 'zod';
import { organizationAddress } from '../../addresses/page-addresses.ts';
import { countChangedRecords, needsApproval, needsOtherAccount } from '../../commands/autonomy.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { derivedId } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { organizationAggregate } from '../../commands/families.ts';
import { approvalPolicyOf, fourEyesInForce, type PolicyState } from '../../commands/organization/approval-policy.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import {
  type ProposalCommand,
  type ProposalState,
  proposalAggregate,
  proposalStateAt,
  STATE_WORDS,
} from '../../commands/proposal.ts';
import { proposedEffects } from '../../queries/changes/proposed-effects.ts';
import { secondsUntilFewerChanges } from '../../queries/changes/recent-changes.ts';
import { type Proposal, proposedChanges } from '../../queries/proposals.ts';
import type { carriedOutOutput, pendingOutput } from '../schema/output.ts';
import type { Tool, ToolService } from '../tool.ts';
import { envelopeFor, waitUntilReadable } from '../write.ts';
import { openDependencies, rehearseDependencies } from './dependencies.ts';
import { proposedInput } from './proposal-input.ts';
import { rehearseCall, type WriteCall } from './rehearse-call.ts';

/** The inputs of a write that tell calls apart. */
interface ProposableInput {
  organization_id?: string;
  id?: string;
  idempotency_key?: string;
  selection?: string;
  reason?: string;
}

/** The answer of a call that waits for a person, or that repeats one which was approved. */
type ProposalAnswer = z.infer<typeof pendingOutput> | z.infer<typeof carriedOutOutput>;

/** Returns true if a call may need a person's approval, or another account's. Otherwise it need not be rehearsed. */
export async function mayNeedApproval(
  caller: Caller,
  organizationIds: readonly string[],
  { handler }: Pick<ToolService, 'handler'>,
): Promise<boolean> {
  if (caller.autonomy !== undefined && caller.autonomy.size > 0) return true;
  for (const id of organizationIds) if (fourEyesInForce(await readPolicy(id, handler)).size > 0) return true;
  return false;
}

/** An outdated state does no harm: before each append the handler decides by the newest. */
async function readPolicy(organizationId: string, handler: ToolService['handler']): Promise<PolicyState> {
  return (await handler.load(organizationAggregate(organizationId))).state ?? {};
}

/**
 * Refuses more changes of existing records than an organization lets a restricted credential make in an hour. One call makes
 * few: more than five records in one are proposed.
 * @throws Refusal rate_limited
 */
async function requireFewChanges(
  { reader }: ToolService,
  call: { caller: Caller; organizationId: string; rehearsed: RehearsalHandler['rehearsed'] },
  limit: number,
): Promise<void> {
  const { token_id } = call.caller;
  if (token_id === null || call.rehearsed.every((command) => countChangedRecords(command) === 0)) return;
  const retry_after_seconds = await secondsUntilFewerChanges(reader.snapshot(), call.organizationId, token_id, limit);
  if (retry_after_seconds === 0) return;
  const message = `This credential made ${limit} changes of existing records in the last hour, the limit of this organization. Wait, or ask an OWNER for another limit under Settings.`;
  throw new Refusal('rate_limited', message, { retry_after_seconds });
}

/**
 * Proposes a call that its credential may not do alone, in place of making it. Returns null for a call that it may make.
 * The proposal's id follows from the call's key or selection, so a repeated call meets its own proposal. An approval makes the
 * call with the same key, or with the proposal's id as key. So the ids of new records are known before.
 * @throws Refusal as the call does; forbidden for a repeat of a call that was declined, withdrawn or has expired
 */
export async function proposeInstead(
  call: ProposableCall,
  service: ToolService,
  { publicUrl, toolOf }: { publicUrl: string | undefined; toolOf: (name: string) => Tool },
): Promise<ProposalAnswer | null> {
  const { caller } = call.context;
  const { id, command_id } = identityOf(call, service);
  const earlier = await service.handler.load(proposalAggregate(id), true);
  const isRepeat = earlier.state !== null;
  const rehearsal = new RehearsalHandler(service.handler as CommandHandler);
  const dependencies = isRepeat ? [] : await openDependencies(service, call.organizations, call.input, caller);
  if (!isRepeat) {
    await rehearseDependencies(dependencies, toolOf, call, service, rehearsal);
    await rehearseCall({ ...call, input: { idempotency_key: id, ...call.input } }, service, rehearsal);
  }
  const organizationId = earlier.organization_id ?? rehearsal.rehearsed[0]?.envelope.organization_id;
  if (organizationId === undefined) return null;
  requirePermission(caller, organizationId, call.tool.permission);
  const autonomy = caller.autonomy?.get(organizationId) ?? 'ALL';
  const policy = await readPolicy(organizationId, service.handler);
  const { rehearsed } = rehearsal;
  const needsPerson =
    // A record that waits for approval is not there yet.
    isRepeat || dependencies.length > 0 || needsApproval(autonomy, rehearsed);
  if (!needsPerson && !needsOtherAccount(fourEyesInForce(policy), rehearsed)) {
    const limit = approvalPolicyOf(policy).hourly_changes;
    if (autonomy !== 'ALL') await requireFewChanges(service, { caller, organizationId, rehearsed }, limit);
    return null;
  }
  const state = await makeProposal(call, service, { id, command_id, organizationId, rehearsal, dependencies });
  const url = publicUrl && `${publicUrl}${organizationAddress(organizationId, `/proposals/${id}`)}`;
  const retry = isPerson(caller) ? 'open the form again' : 'use a new idempotency_key';
  return answer(id, state, { now: service.handler.now(), url, retry });
}

/** A write, and the organizations that it may be about. */
type ProposableCall = Omit<WriteCall, 'input'> & { input: ProposableInput; organizations: readonly string[] };

/** Returns the ids of a call's proposal and of the command that makes it. */
function identityOf({ tool, input, organizations, context }: ProposableCall, { handler }: ToolService) {
  const organization = organizations.length === 1 ? organizations[0] : input.id;
  const scope = ['proposal', tool.name, context.caller.account_id, organization ?? ''];
  const command_id = handler.commandId(scope, input.idempotency_key ?? input.selection);
  return { id: derivedId('prp', command_id), command_id };
}

interface NewProposal {
  id: string;
  command_id: string;
  organizationId: string;
  rehearsal: RehearsalHandler;
  dependencies: readonly Proposal[];
}

/** Returns true for a person in a browser, which is nobody's assistant. A session has no autonomy. */
const isPerson = ({ token_id, autonomy }: Caller): boolean => token_id === null && autonomy === undefined;

/** Appends a proposal, which ends with those that it depends on, and waits until it can be read. A repeat changes nothing. */
async function makeProposal(
  { tool, input: given, context }: ProposableCall,
  service: ToolService,
  { id, command_id, organizationId, rehearsal, dependencies }: NewProposal,
): Promise<ProposalState> {
  const { caller } = context;
  const input = await proposedInput(given, { ...context, tool, service }, organizationId);
  const command: ProposalCommand = {
    type: 'MakeProposal',
    client: isPerson(caller) ? null : (caller.client?.name ?? null),
    tool: tool.name,
    input,
    effects: proposedEffects(rehearsal),
    position: service.reader.snapshot().newestPosition(organizationId),
    ...(given.reason ? { reason: given.reason } : {}),
    ...(dependencies.length > 0
      ? {
          depends_on: dependencies.map((dependency) => dependency.id),
          expires_by: dependencies.map(({ expires_at }) => expires_at).sort()[0]!,
        }
      : {}),
  };
  const role = caller.roles.get(organizationId)!;
  const result = await service.handler.execute(proposalAggregate(id), command, {
    ...envelopeFor(caller, organizationId, role, tool.permission, command_id),
    command_id,
    input: { tool: tool.name, input },
  });
  await waitUntilReadable(service, organizationId, result);
  return result.state!;
}

const NOTHING_CHANGED =
  'Nothing was changed. A person decides on the page at url; getRecords with proposal_id tells what they decided.';

function answer(
  id: string,
  state: ProposalState,
  { now, url, retry }: { now: string; url: string | undefined; retry: string },
): ProposalAnswer {
  const shown = proposalStateAt(state, now);
  const { effects, expires_at, depends_on, decision_reason, call_id, done, refused } = state;
  switch (shown) {
    case 'OPEN':
    case 'APPROVED': {
      const added =
        effects.length === 1 && effects[0]!.linked_id === undefined ? { record_id: effects[0]!.record_id } : {};
      const pending_approval = {
        proposal_id: id,
        ...(url ? { url } : {}),
        ...(depends_on.length > 0 ? { depends_on: [...depends_on] } : {}),
        expires_at,
        ...added,
        ...proposedChanges(effects),
        note: NOTHING_CHANGED,
      };
      return { pending_approval };
    }
    case 'CARRIED_OUT':
      return { proposal_id: id, state: shown, call_id: call_id!, done: done!, refused: [...refused], repeated: true };
    case 'DECLINED':
    case 'WITHDRAWN':
    case 'EXPIRED': {
      const why = decision_reason === null ? '' : ` The reason: “${decision_reason}”.`;
      const message = `This call was proposed as ${id}, and is ${STATE_WORDS[shown]}.${why} For another try, ${retry}.`;
      throw new Refusal('forbidden', message);
    }
  }
}
