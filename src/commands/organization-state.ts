import type { Role } from './caller.ts';
import type { DecisionContext } from './decider.ts';
import type { Reasoned } from './record.ts';
import { Refusal } from './refusal.ts';
import { type Deed, forbidden, lowerRole, may } from './roles.ts';

export interface OrganizationToken {
  account_id: string;
  role: Role;
  read_only: boolean;
  expires_at: string;
  revoked: boolean;
  /** An assistant that its account has connected; absent of an API token. */
  kind?: 'ASSISTANT';
}

export interface OrganizationState {
  name: string;
  /** Keys the ids of imported records, so that they can't be guessed from outside. */
  import_key: string;
  members: Record<string, Role>;
  /** Who was removed or left, and as what: no domain lets them in again. */
  former: Record<string, Role>;
  tokens: Record<string, OrganizationToken>;
  /** Domains whose people become members with this role when they sign in by the OpenID provider. */
  domains: Record<string, Role>;
}

export type TokenGrant = Omit<OrganizationToken, 'revoked'> & { token_id: string };

export type OrganizationEvent =
  | { type: 'OrganizationCreated'; data: { name: string; import_key: string; installation: string } }
  | { type: 'OrganizationRenamed'; data: { from: string; to: string } & Reasoned }
  | { type: 'MemberAdded'; data: { account_id: string; role: Role } }
  | { type: 'MemberRoleChanged'; data: { account_id: string; from: Role; to: Role } & Reasoned }
  | { type: 'MemberRemoved'; data: { account_id: string; role: Role } & Reasoned }
  | { type: 'DomainAdmitted'; data: { domain: string; role: Role } & Reasoned }
  | { type: 'DomainWithdrawn'; data: { domain: string } & Reasoned }
  | { type: 'TokenCreated'; data: TokenGrant }
  | { type: 'TokenRegenerated'; data: { token_id: string; expires_at: string } }
  | { type: 'TokenRevoked'; data: { token_id: string } & Reasoned };

export type OrganizationCommand =
  | { type: 'CreateOrganization'; name: string; import_key: string; installation: string; owner_id: string }
  | ({ type: 'RenameOrganization'; name: string } & Reasoned)
  | { type: 'AddMember'; account_id: string; role: Role }
  /** Somebody who signed in with an address of a domain; nothing happens where that is not admitted (any more). */
  | { type: 'AdmitMember'; account_id: string; domain: string }
  | ({ type: 'ChangeMemberRole'; account_id: string; role: Role } & Reasoned)
  | ({ type: 'RemoveMember'; account_id: string } & Reasoned)
  | ({ type: 'AdmitDomain'; domain: string; role: Role } & Reasoned)
  | ({ type: 'WithdrawDomain'; domain: string } & Reasoned)
  | ({ type: 'CreateToken' } & TokenGrant)
  | { type: 'RegenerateToken'; token_id: string; expires_at: string }
  | ({ type: 'RevokeToken'; token_id: string } & Reasoned);

/** SYSTEM is the service itself, or whoever has its data folder. */
const SYSTEM = 'SYSTEM';

/**
 * Asks whether an actor may do something here now: a member's role is read from the organization itself, so that nobody
 * acts by one that was taken from them a moment ago.
 * @throws Refusal forbidden
 */
export function requireDeed(
  state: OrganizationState,
  { actor_id, role }: Pick<DecisionContext, 'actor_id' | 'role'>,
  deed: Deed,
): void {
  const member = actor_id === SYSTEM ? role : memberRole(state, actor_id);
  const present = member && lowerRole(member, role);
  if (present === null || !may(present, deed)) throw forbidden(deed, present);
}

/** Whether the actor is this account, or may do everything. */
export function actsFor(account_id: string, { actor_id }: DecisionContext): boolean {
  return actor_id === SYSTEM || actor_id === account_id;
}

/** The role of an account, null where it is no member. */
export function memberRole({ members }: Pick<OrganizationState, 'members'>, account_id: string): Role | null {
  return Object.hasOwn(members, account_id) ? members[account_id]! : null;
}

/** @throws Refusal not_found */
export function requireToken({ tokens }: OrganizationState, id: string): OrganizationToken {
  if (Object.hasOwn(tokens, id)) return tokens[id]!;
  throw new Refusal('not_found', 'There is no such token in this organization: look at the list of its tokens.');
}
