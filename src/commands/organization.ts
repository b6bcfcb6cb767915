import { ROLES, type Role } from './caller.ts';
import type { Decider } from './decider.ts';
import { requireState } from './record.ts';
import { Refusal } from './refusal.ts';

export interface OrganizationToken {
  account_id: string;
  role: Role;
  read_only: boolean;
  expires_at: string;
  revoked: boolean;
}

export interface OrganizationState {
  name: string;
  /** Keys the ids of imported records, so that they can't be guessed from outside. */
  import_key: string;
  members: Record<string, Role>;
  tokens: Record<string, OrganizationToken>;
}

type TokenGrant = Omit<OrganizationToken, 'revoked'> & { token_id: string };

export type OrganizationEvent =
  | { type: 'OrganizationCreated'; data: { name: string; import_key: string; installation: string } }
  | { type: 'MemberAdded'; data: { account_id: string; role: Role } }
  | { type: 'TokenCreated'; data: TokenGrant }
  | { type: 'TokenRegenerated'; data: { token_id: string; expires_at: string } }
  | { type: 'TokenRevoked'; data: { token_id: string; reason?: string } };

export type OrganizationCommand =
  | { type: 'CreateOrganization'; name: string; import_key: string; installation: string; owner_id: string }
  | { type: 'AddMember'; account_id: string; role: Role }
  | ({ type: 'CreateToken' } & TokenGrant)
  | { type: 'RegenerateToken'; token_id: string; expires_at: string }
  | { type: 'RevokeToken'; token_id: string; reason?: string };

function decide(command: OrganizationCommand, state: OrganizationState | null): OrganizationEvent[] {
  switch (command.type) {
    case 'CreateOrganization': {
      if (state !== null) return [];
      const { name, import_key, installation, owner_id } = command;
      return [
        { type: 'OrganizationCreated', data: { name, import_key, installation } },
        { type: 'MemberAdded', data: { account_id: owner_id, role: 'OWNER' } },
      ];
    }
    case 'AddMember': {
      const { account_id, role } = command;
      if (requireState(state).members[account_id] === role) return [];
      return [{ type: 'MemberAdded', data: { account_id, role } }];
    }
    case 'CreateToken':
      return createToken(command, requireState(state));
    case 'RegenerateToken': {
      requireToken(requireState(state), command.token_id);
      return [{ type: 'TokenRegenerated', data: { token_id: command.token_id, expires_at: command.expires_at } }];
    }
    case 'RevokeToken': {
      if (requireToken(requireState(state), command.token_id).revoked) return [];
      const reason = command.reason ? { reason: command.reason } : {};
      return [{ type: 'TokenRevoked', data: { token_id: command.token_id, ...reason } }];
    }
  }
}

/** A token may do at most what its member may. */
function createToken(command: TokenGrant & { type: 'CreateToken' }, state: OrganizationState): OrganizationEvent[] {
  const member = state.members[command.account_id];
  if (member === undefined || lowerRole(member, command.role) !== command.role) {
    throw new Refusal('forbidden', `A token's role cannot be above its member's (${member ?? 'no member'}).`, {
      field: 'role',
    });
  }
  const { type: _type, ...grant } = command;
  return [{ type: 'TokenCreated', data: grant }];
}

function requireToken(state: OrganizationState, id: string): OrganizationToken {
  const token = state.tokens[id];
  if (token === undefined) throw new Refusal('not_found', 'There is no such token in this organization.');
  return token;
}

/** The one of two roles that may do less. */
export function lowerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) <= ROLES.indexOf(b) ? a : b;
}

function evolve(state: OrganizationState | null, event: OrganizationEvent): OrganizationState {
  if (event.type === 'OrganizationCreated') {
    return { name: event.data.name, import_key: event.data.import_key, members: {}, tokens: {} };
  }
  const organization = requireState(state);
  switch (event.type) {
    case 'MemberAdded': {
      const { account_id, role } = event.data;
      return { ...organization, members: { ...organization.members, [account_id]: role } };
    }
    case 'TokenCreated': {
      const { token_id, ...grant } = event.data;
      return withToken(organization, token_id, { ...grant, revoked: false });
    }
    case 'TokenRegenerated': {
      const token = requireToken(organization, event.data.token_id);
      return withToken(organization, event.data.token_id, { ...token, expires_at: event.data.expires_at });
    }
    case 'TokenRevoked': {
      const token = requireToken(organization, event.data.token_id);
      return withToken(organization, event.data.token_id, { ...token, revoked: true });
    }
  }
}

function withToken(state: OrganizationState, id: string, token: OrganizationToken): OrganizationState {
  return { ...state, tokens: { ...state.tokens, [id]: token } };
}

export const organization: Decider<OrganizationState, OrganizationCommand, OrganizationEvent> = { decide, evolve };
