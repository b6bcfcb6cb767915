import { Refusal } from '../engine/refusal.ts';
import type { Role } from './caller.ts';
import { hasEnded, memberRole, membershipEnd, type OrganizationState } from './organization-state.ts';
import { forbiddenAs, lowerRole, type Permission, roleAllows } from './permissions.ts';

/** The actor of a write, and the permission that the write needs. */
export interface WritingActor {
  actor_id: string;
  token_id: string | null;
  /** The credential's role when the call began. */
  role: Role;
  permission: Permission;
}

/** The roles of a write's actor at one moment, and the time at which they end; null without an end. */
export interface ActorRights {
  role: Role;
  member_role: Role;
  endsAt: string | null;
}

/**
 * Returns an actor's rights from the organization's own state. A role that rose while the call waited stays as it was.
 * @throws Refusal forbidden if the access has ended, or a role doesn't have the permission any more
 */
export function actorRights(
  state: OrganizationState | null,
  { actor_id, token_id, role: earlierRole, permission }: WritingActor,
  now: string,
): ActorRights {
  const member_role = state && memberRole(state, actor_id, now);
  const token = token_id === null ? undefined : state?.tokens.get(token_id);
  // Admission refuses tokens that the log doesn't know.
  if (member_role === null || (token !== undefined && (token.revoked || hasEnded(token.expires_at, now)))) {
    throw accessEnded();
  }
  const role = lowerRole(earlierRole, member_role);
  if (!roleAllows(role, permission)) throw forbiddenAs(permission, role, member_role);
  const ends = [membershipEnd(state!, actor_id), token?.expires_at ?? null].filter((end) => end !== null);
  return { role, member_role, endsAt: ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b)) };
}

/** Returns the error for a write whose actor lost the membership, token or session before its turn came. */
export function accessEnded(): Refusal {
  return new Refusal(
    'forbidden',
    'Your access ended before this was written, so it was not. Sign in or connect again.',
  );
}
