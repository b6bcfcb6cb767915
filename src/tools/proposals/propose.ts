import { organizationAddress } from '../../addresses/page-addresses.ts';
import { needsApproval } from '../../commands/autonomy.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { derivedId } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { type ProposalState, proposalAggregate, proposalStateAt, STATE_WORDS } from '../../commands/proposal.ts';
import { proposedEffects } from '../../queries/changes/proposed-effects.ts';
import { proposedChanges } from '../../queries/proposals.ts';
import type { Tool, ToolService } from '../tool.ts';
import { envelopeFor, waitUntilReadable } from '../write.ts';
import { openDependencies, rehearseDependencies } from './dependencies.ts';
import { proposedInput } from './proposal-input.ts';
import { rehearseCall, type WriteCall } from './rehearse-call.ts';

/** The answer of a call that waits for a person. */
export interface PendingApproval {
  pending_approval: object;
}

/**
 * Proposes a call that its credential may not do alone, in place of making it. Returns null for a call that it may make.
 * The proposal's id follows from the call's key, so a repeated call meets its own proposal. The key of what an approval
 * does is the proposal's id, so the ids of new records are known before.
 * @throws Refusal as the call does; forbidden for a repeat of a call that was declined, withdrawn or has expired
 */
export async function proposeInstead(
  call: WriteCall & { organizations: readonly string[] },
  service: ToolService,
  { publicUrl, toolOf }: { publicUrl: string | undefined; toolOf: (name: string) => Tool },
): Promise<PendingApproval | null> {
  const { tool, context } = call;
  const { caller } = context;
  const given = call.input as { organization_id?: string; id?: string; idempotency_key?: string; reason?: string };
  const { handler } = service;
  const scope = ['proposal', tool.name, caller.account_id, given.organization_id ?? given.id ?? ''];
  const command_id = handler.commandId(scope, given.idempotency_key);
  const id = derivedId('prp', command_id);
  const { state: earlier, organization_id: earlierOrganization } = await handler.load(proposalAggregate(id), true);
  const rehearsal = new RehearsalHandler(handler as CommandHandler);
  const dependencies = earlier === null ? await openDependencies(service, call.organizations, given) : [];
  if (earlier === null) {
    await rehearseDependencies(dependencies, toolOf, call, service, rehearsal);
    await rehearseCall({ ...call, input: { ...given, idempotency_key: id } }, service, rehearsal);
  }
  const { rehearsed } = rehearsal;
  const organizationId = earlierOrganization ?? rehearsed[0]?.envelope.organization_id;
  if (organizationId === undefined) return null;
  const role = requirePermission(caller, organizationId, tool.permission);
  if (earlier === null && !needsApproval(caller.autonomy?.get(organizationId) ?? 'ALL', rehearsed)) return null;
  const input = proposedInput(given, caller);
  const position = service.reader.snapshot().newestPosition(organizationId);
  const result = await handler.execute(
    proposalAggregate(id),
    {
      type: 'MakeProposal',
      client: caller.client?.name ?? null,
      tool: tool.name,
      input,
      effects: proposedEffects(rehearsal),
      position,
      ...(given.reason ? { reason: given.reason } : {}),
    },
    {
      ...envelopeFor(caller, organizationId, role, tool.permission, command_id),
      command_id,
      input: { tool: tool.name, input },
    },
  );
  await waitUntilReadable(service, organizationId, result);
  const url = publicUrl && `${publicUrl}${organizationAddress(organizationId, `/proposals/${id}`)}`;
  const dependsOn = dependencies.map((dependency) => dependency.id);
  return answer(id, result.state!, handler.now(), {
    ...(url ? { url } : {}),
    ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}),
  });
}

const NOTHING_CHANGED =
  'Nothing was changed. A person decides on the page at url; getRecords with proposal_id tells what they decided.';

function answer(id: string, state: ProposalState, now: string, more: object): PendingApproval {
  const shown = proposalStateAt(state, now);
  const { effects, expires_at, decision_reason, call_id, done, refused } = state;
  switch (shown) {
    case 'OPEN':
    case 'APPROVED': {
      const added =
        effects.length === 1 && effects[0]!.linked_id === undefined ? { record_id: effects[0]!.record_id } : {};
      const pending = {
        proposal_id: id,
        ...more,
        expires_at,
        ...added,
        ...proposedChanges(effects),
        note: NOTHING_CHANGED,
      };
      return { pending_approval: pending };
    }
    case 'CARRIED_OUT':
      return { proposal_id: id, state: shown, call_id, done, refused, repeated: true } as unknown as PendingApproval;
    case 'DECLINED':
    case 'WITHDRAWN':
    case 'EXPIRED': {
      const why = decision_reason === null ? '' : ` The reason: “${decision_reason}”`;
      const message = `This call was proposed as ${id}, and is ${STATE_WORDS[shown]}.${why} For another try, use a new idempotency_key.`;
      throw new Refusal('forbidden', message);
    }
  }
}
