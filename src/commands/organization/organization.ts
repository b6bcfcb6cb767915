import { ORGANIZATION_EVENTS, type OrganizationEvent, type Role } from '../../register/organization.ts';
import { type Decider, type DecisionContext, stateBefore } from '../engine/decider.ts';
import { PersistentMap } from '../engine/persistent-map.ts';
import { invalidField } from '../engine/refusal.ts';
import { type OptionalReason, requireState, withReason } from '../record.ts';
import { changeApprovalPolicy, evolvePolicy, fourEyesFollowing } from './approval-policy.ts';
import {
  addMember,
  admitDomain,
  admitMember,
  changeMemberRole,
  changeMembershipEnd,
  removeMember,
  revokeMemberTokens,
  withdrawDomain,
} from './organization-members.ts';
import {
  type OrganizationCommand,
  type OrganizationState,
  requireActorPermission,
  type TokenState,
} from './organization-state.ts';
import { changeTokenAutonomy, createToken, regenerateToken, revokeToken } from './organization-tokens.ts';

export type { OrganizationCommand, OrganizationState } from './organization-state.ts';

function decide(
  command: OrganizationCommand,
  current: OrganizationState | null,
  context: DecisionContext,
): OrganizationEvent[] {
  if (command.type === 'CreateOrganization') return current === null ? create(command) : [];
  const state = requireState(current);
  const events = decideOn(state, command, context);
  return [...events, ...fourEyesFollowing(events.reduce(evolve, state))];
}

function decideOn(
  state: OrganizationState,
  command: Exclude<OrganizationCommand, { type: 'CreateOrganization' }>,
  context: DecisionContext,
): OrganizationEvent[] {
  switch (command.type) {
    case 'RenameOrganization':
      return rename(command, state, context);
    case 'AddMember':
      return addMember(command, state, context);
    case 'AdmitMember':
      return admitMember(command, state);
    case 'ChangeMembershipEnd':
      return changeMembershipEnd(command, state, context);
    case 'ChangeMemberRole':
      return changeMemberRole(command, state, context);
    case 'RemoveMember':
      return removeMember(command, state, context);
    case 'RevokeMemberTokens':
      return revokeMemberTokens(command, state, context);
    case 'AdmitDomain':
      return admitDomain(command, state, context);
    case 'WithdrawDomain':
      return withdrawDomain(command, state, context);
    case 'RequireSecondFactor':
      return requireSecondFactor(command, state, context);
    case 'MakeSecondFactorOptional':
      return makeSecondFactorOptional(command, state, context);
    case 'ChangeApprovalPolicy':
      return changeApprovalPolicy(command, state, context);
    case 'CreateToken':
      return createToken(command, state, context);
    case 'RegenerateToken':
      return regenerateToken(command, state, context);
    case 'ChangeTokenAutonomy':
      return changeTokenAutonomy(command, state, context);
    case 'RevokeToken':
      return revokeToken(command, state, context);
  }
}

function create(command: OrganizationCommand & { type: 'CreateOrganization' }): OrganizationEvent[] {
  const { name, import_key, installation, owner_id } = command;
  return [
    { type: 'OrganizationCreated', data: { name, import_key, installation } },
    { type: 'MemberAdded', data: { account_id: owner_id, role: 'OWNER', until: null } },
  ];
}

function rename(
  { name, reason }: { name: string } & OptionalReason,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'renameOrganization');
  if (name === state.name) return [];
  return [{ type: 'OrganizationRenamed', data: { from: state.name, to: name, ...withReason(reason) } }];
}

function requireSecondFactor(
  { from, reason }: { from: string } & OptionalReason,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'requireSecondFactor');
  if (from === state.second_factor_from) return [];
  if (from < context.today) {
    throw invalidField('from', 'Choose today or a later day.');
  }
  return [{ type: 'SecondFactorRequired', data: { from, ...withReason(reason) } }];
}

function makeSecondFactorOptional(
  { reason }: OptionalReason,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'requireSecondFactor');
  if ((state.second_factor_from ?? null) === null) return [];
  return [{ type: 'SecondFactorMadeOptional', data: withReason(reason) }];
}

function evolve(current: OrganizationState | null, event: OrganizationEvent): OrganizationState {
  if (event.type === 'OrganizationCreated') {
    const { name, import_key } = event.data;
    return { name, import_key, members: {}, membership_ends: {}, former: {}, tokens: PersistentMap.of(), domains: {} };
  }
  const state = stateBefore(event, current);
  switch (event.type) {
    case 'OrganizationRenamed':
      return { ...state, name: event.data.to };
    case 'MemberAdded': {
      const { account_id, role, until } = event.data;
      const otherEnds = withoutKey(state.membership_ends, account_id);
      const membership_ends = until === null ? otherEnds : { ...otherEnds, [account_id]: until };
      return { ...withMember(state, account_id, role), membership_ends };
    }
    case 'MemberRoleChanged':
      return withMember(state, event.data.account_id, event.data.to);
    case 'MemberRemoved': {
      const { account_id, role } = event.data;
      return {
        ...state,
        members: withoutKey(state.members, account_id),
        membership_ends: withoutKey(state.membership_ends, account_id),
        former: { ...state.former, [account_id]: role },
      };
    }
    case 'DomainAdmitted':
      return { ...state, domains: { ...state.domains, [event.data.domain]: event.data.role } };
    case 'DomainWithdrawn':
      return { ...state, domains: withoutKey(state.domains, event.data.domain) };
    case 'SecondFactorRequired':
      return { ...state, second_factor_from: event.data.from };
    case 'SecondFactorMadeOptional':
      return { ...state, second_factor_from: null };
    case 'ApprovalPolicyChanged':
    case 'FourEyesSuspended':
    case 'FourEyesResumed':
      return evolvePolicy(state, event);
    case 'TokenCreated': {
      const { token_id, ...grant } = event.data;
      return withToken(state, token_id, { ...grant, revoked: false });
    }
    case 'TokenRegenerated': {
      const token = stateBefore(event, state.tokens.get(event.data.token_id));
      return withToken(state, event.data.token_id, { ...token, expires_at: event.data.expires_at });
    }
    case 'TokenAutonomyChanged': {
      const token = stateBefore(event, state.tokens.get(event.data.token_id));
      return withToken(state, event.data.token_id, { ...token, autonomy: event.data.to });
    }
    case 'TokenRevoked': {
      const token = stateBefore(event, state.tokens.get(event.data.token_id));
      return withToken(state, event.data.token_id, { ...token, revoked: true });
    }
  }
}

function withMember(state: OrganizationState, id: string, role: Role): OrganizationState {
  return { ...state, members: { ...state.members, [id]: role }, former: withoutKey(state.former, id) };
}

function withToken(state: OrganizationState, id: string, token: TokenState): OrganizationState {
  return { ...state, tokens: state.tokens.set(id, token) };
}

function withoutKey<T>(map: Record<string, T>, key: string): Record<string, T> {
  if (!Object.hasOwn(map, key)) return map;
  const { [key]: _removed, ...rest } = map;
  return rest;
}

export const organization: Decider<OrganizationState, OrganizationCommand, OrganizationEvent> = {
  events: ORGANIZATION_EVENTS,
  decide,
  evolve,
};
