import type { DecisionContext } from './decider.ts';
import {
  actsFor,
  memberRole,
  type OrganizationCommand,
  type OrganizationEvent,
  type OrganizationState,
  requireDeed,
  requireToken,
} from './organization-state.ts';
import { because } from './record.ts';
import { Refusal } from './refusal.ts';
import { lowerRole } from './roles.ts';

type Of<Type extends OrganizationCommand['type']> = Extract<OrganizationCommand, { type: Type }>;

/** Everybody makes their own, and none may do more than its member. */
export function createToken(
  command: Of<'CreateToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const { type: _type, ...grant } = command;
  refuseOthers(grant.account_id, context);
  requireDeed(state, context, 'makeTokens');
  if (Object.hasOwn(state.tokens, grant.token_id)) throw madeBefore();
  const member = memberRole(state, grant.account_id);
  if (member === null || lowerRole(member, grant.role) !== grant.role) {
    throw new Refusal(
      'forbidden',
      `A token's role cannot be above its member's (${member ?? 'no member'}): choose a lower one.`,
      {
        field: 'role',
      },
    );
  }
  return [{ type: 'TokenCreated', data: grant }];
}

/** What is told to a form that is sent again. */
export function madeBefore(): Refusal {
  const message =
    'This form has made its token already, and no token is shown twice: regenerate it in the list, or reload the page.';
  return new Refusal('conflict', message);
}

/** A token that was taken out stays so, whatever its other organizations do. */
export function regenerateToken(
  { token_id, expires_at }: Of<'RegenerateToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const token = requireToken(state, token_id);
  refuseOthers(token.account_id, context);
  if (token.revoked) return [];
  return [{ type: 'TokenRegenerated', data: { token_id, expires_at } }];
}

/** By its owner, or by who may take other members' tokens out. */
export function revokeToken(
  { token_id, reason }: Of<'RevokeToken'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const token = requireToken(state, token_id);
  if (token.revoked) return [];
  if (!actsFor(token.account_id, context)) requireDeed(state, context, 'takeOutTokens');
  return [{ type: 'TokenRevoked', data: { token_id, ...because(reason) } }];
}

function refuseOthers(account_id: string, context: DecisionContext): void {
  if (actsFor(account_id, context)) return;
  throw new Refusal('forbidden', 'A token is made and renewed by its own account: make one of your own.');
}
