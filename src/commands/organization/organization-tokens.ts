import type { OrganizationEvent } from '../../register/organization.ts';
import { isLess } from '../../register/proposal.ts';
import type { DecisionContext } from '../engine/decider.ts';
import { Refusal } from '../engine/refusal.ts';
import { withReason } from '../record.ts';
import {
  autonomyOf,
  isSelfOrSystem,
  memberRole,
  type OrganizationCommand,
  type OrganizationState,
  requireActorPermission,
  requireToken,
} from './organization-state.ts';
import { lowerRole } from './permissions.ts';

type OrganizationCommandOf<Type extends OrganizationCommand['type']> = Extract<OrganizationCommand, { type: Type }>;

/** Creates a token for the actor's own account. Its role can't be above the member's. */
export function createToken(
  command: OrganizationCommandOf<'CreateToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const { type: _type, ...grant } = command;
  refuseOtherAccounts(grant.account_id, context);
  requireActorPermission(state, context, 'createTokens');
  if (state.tokens.get(grant.token_id) !== undefined) throw tokenAlreadyCreated();
  const member = memberRole(state, grant.account_id, context.now);
  if (member === null || lowerRole(member, grant.role) !== grant.role) {
    throw new Refusal(
      'forbidden',
      `A token's role cannot be above its member's role (${member ?? 'no member'}). Choose a lower one.`,
      {
        field: 'role',
      },
    );
  }
  return [{ type: 'TokenCreated', data: grant }];
}

/** Returns the error for a form that is submitted twice. */
export function tokenAlreadyCreated(): Refusal {
  const message =
    'This form has created its token already. Regenerate the token in the list, or reload the page for another one.';
  return new Refusal('conflict', message);
}

/** Sets a new expiry. A revoked token stays revoked, even if it is regenerated for other organizations. */
export function regenerateToken(
  { token_id, expires_at }: OrganizationCommandOf<'RegenerateToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const token = requireToken(state, token_id);
  refuseOtherAccounts(token.account_id, context);
  if (token.revoked) return [];
  return [{ type: 'TokenRegenerated', data: { token_id, expires_at } }];
}

/**
 * Changes what a credential may do without a person. Its own account may do so, and to less also an actor who may revoke
 * other members' tokens.
 */
export function changeTokenAutonomy(
  { token_id, autonomy, reason }: OrganizationCommandOf<'ChangeTokenAutonomy'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const token = requireToken(state, token_id);
  const from = autonomyOf(token);
  if (token.revoked || from === autonomy) return [];
  if (!isSelfOrSystem(token.account_id, context)) {
    if (!isLess(autonomy, from)) throw new Refusal('forbidden', 'Only its own account lets a credential do more.');
    requireActorPermission(state, context, 'revokeTokens');
  }
  return [{ type: 'TokenAutonomyChanged', data: { token_id, from, to: autonomy, ...withReason(reason) } }];
}

/** Revokes a token: for its own account, or for an actor who may revoke other members' tokens. */
export function revokeToken(
  { token_id, reason }: OrganizationCommandOf<'RevokeToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const token = requireToken(state, token_id);
  if (token.revoked) return [];
  if (!isSelfOrSystem(token.account_id, context)) requireActorPermission(state, context, 'revokeTokens');
  return [{ type: 'TokenRevoked', data: { token_id, ...withReason(reason) } }];
}

function refuseOtherAccounts(account_id: string, context: DecisionContext): void {
  if (isSelfOrSystem(account_id, context)) return;
  throw new Refusal('forbidden', 'You can only create and regenerate your own tokens. Create one for your account.');
}
