import type { TokenGrant } from '../../register/organization.ts';
import type { Autonomy } from '../../register/proposal.ts';
import { dateOf } from '../engine/dates.ts';
import type { DecisionContext } from '../engine/decider.ts';
import type { PersistentMap } from '../engine/persistent-map.ts';
import { Refusal } from '../engine/refusal.ts';
import type { OptionalReason } from '../record.ts';
import type { Role } from './caller.ts';
import { forbidden, lowerRole, type Permission, roleAllows } from './permissions.ts';

export type TokenState = Omit<TokenGrant, 'token_id'> & { revoked: boolean };

export interface OrganizationState {
  name: string;
  /** The key from which ids of imported records are derived, so that outsiders can't guess them. */
  import_key: string;
  members: Record<string, Role>;
  /** The ends of memberships that have one, by account. See `memberRole`. */
  membership_ends: Record<string, string>;
  /** Accounts that were removed or left, with their last role. A domain doesn't admit them again. */
  former: Record<string, Role>;
  /** By id, also revoked and expired ones: there are more of them than of anything else here. */
  tokens: PersistentMap<TokenState>;
  /** Admitted domains. An account with such an address becomes a member with this role at its OpenID sign-in. */
  domains: Record<string, Role>;
  /** The date from which members need a second factor; null if they no longer do. Absent if they never did. */
  second_factor_from?: string | null;
  /** The policy of approvals. Absent if the organization never set one: see `approvalPolicyOf`. */
  ceiling?: Autonomy;
  four_eyes?: readonly string[];
  hourly_changes?: number;
  /** The decisions under four eyes that only one account may approve, so that one decides alone. */
  four_eyes_suspended?: readonly string[];
}

export type OrganizationCommand =
  | { type: 'CreateOrganization'; name: string; import_key: string; installation: string; owner_id: string }
  | ({ type: 'RenameOrganization'; name: string } & OptionalReason)
  | { type: 'AddMember'; account_id: string; role: Role; until?: string | null }
  | ({ type: 'ChangeMembershipEnd'; account_id: string; until: string | null } & OptionalReason)
  /** Adds an account that signed in with an address of this domain. Changes nothing if the domain isn't admitted. */
  | { type: 'AdmitMember'; account_id: string; domain: string }
  | ({ type: 'ChangeMemberRole'; account_id: string; role: Role } & OptionalReason)
  | ({ type: 'RemoveMember'; account_id: string } & OptionalReason)
  | ({ type: 'RevokeMemberTokens'; account_id: string } & OptionalReason)
  | ({ type: 'AdmitDomain'; domain: string; role: Role } & OptionalReason)
  | ({ type: 'WithdrawDomain'; domain: string } & OptionalReason)
  | ({ type: 'RequireSecondFactor'; from: string } & OptionalReason)
  | ({ type: 'MakeSecondFactorOptional' } & OptionalReason)
  | ({
      type: 'ChangeApprovalPolicy';
      ceiling: Autonomy;
      four_eyes: readonly string[];
      hourly_changes: number;
    } & OptionalReason)
  | ({ type: 'CreateToken' } & TokenGrant)
  | { type: 'RegenerateToken'; token_id: string; expires_at: string }
  | ({ type: 'ChangeTokenAutonomy'; token_id: string; autonomy: Autonomy } & OptionalReason)
  | ({ type: 'RevokeToken'; token_id: string } & OptionalReason);

/** The service itself, or a person at its command line. */
const SYSTEM = 'SYSTEM';

/**
 * Refuses if the actor lacks a permission. A member's role comes from the organization's own state, so a role that was
 * taken away a moment ago doesn't count.
 * @throws Refusal forbidden
 */
export function requireActorPermission(
  state: OrganizationState,
  { actor_id, role, now }: Pick<DecisionContext, 'actor_id' | 'role' | 'now'>,
  permission: Permission,
): void {
  const member = actor_id === SYSTEM ? role : memberRole(state, actor_id, now);
  const effectiveRole = member && lowerRole(member, role);
  if (effectiveRole === null || !roleAllows(effectiveRole, permission)) throw forbidden(permission, effectiveRole);
}

/** Returns true if the actor is this account or the service. */
export function isSelfOrSystem(account_id: string, { actor_id }: DecisionContext): boolean {
  return actor_id === SYSTEM || actor_id === account_id;
}

/**
 * Returns an account's role at a time, or null if it isn't a member then. Every check of access uses it, because a
 * membership ends by the clock: no event records it.
 */
export function memberRole(
  state: Pick<OrganizationState, 'members' | 'membership_ends'>,
  account_id: string,
  now: string,
): Role | null {
  if (!Object.hasOwn(state.members, account_id)) return null;
  return hasEnded(membershipEnd(state, account_id), now) ? null : state.members[account_id]!;
}

/** Returns the end of a membership, or null without one. */
export function membershipEnd(
  { membership_ends }: Pick<OrganizationState, 'membership_ends'>,
  account_id: string,
): string | null {
  return Object.hasOwn(membership_ends, account_id) ? membership_ends[account_id]! : null;
}

/** Returns true if a membership or token with this end is over. Its last moment is the end itself. */
export function hasEnded(until: string | null, now: string): boolean {
  return until !== null && until < now;
}

/** Returns true if members need a second factor at a time. Like the end of a membership, it begins by the clock. */
export function requiresSecondFactor(
  { second_factor_from = null }: Pick<OrganizationState, 'second_factor_from'>,
  now: string,
): boolean {
  return second_factor_from !== null && second_factor_from <= dateOf(now);
}

/** Returns what a credential may do without a person, by its own word. Without one it may do all that its role may. */
export function autonomyOf({ autonomy = 'ALL' }: Pick<TokenState, 'autonomy'>): Autonomy {
  return autonomy;
}

/** @throws Refusal not_found */
export function requireToken({ tokens }: OrganizationState, id: string): TokenState {
  const token = tokens.get(id);
  if (token !== undefined) return token;
  throw new Refusal('not_found', 'This token does not exist in this organization. Check the list of its tokens.');
}
