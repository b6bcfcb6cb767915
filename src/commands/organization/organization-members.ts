import type { OrganizationEvent } from '../../register/organization.ts';
import type { DecisionContext } from '../engine/decider.ts';
import { Refusal } from '../engine/refusal.ts';
import { withReason } from '../record.ts';
import { ROLES, type Role } from './caller.ts';
import {
  isSelfOrSystem,
  memberRole,
  type OrganizationCommand,
  type OrganizationState,
  requireActorPermission,
} from './organization-state.ts';

type OrganizationCommandOf<Type extends OrganizationCommand['type']> = Extract<OrganizationCommand, { type: Type }>;

/** Roles that a domain may give. Nobody becomes OWNER by an e-mail address. */
export const DOMAIN_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'OWNER');

/** Adds an account that was invited, or that the command line adds. */
export function addMember(
  { account_id, role }: OrganizationCommandOf<'AddMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  const currentRole = memberRole(state, account_id);
  if (currentRole === role) return [];
  if (currentRole === null) return [{ type: 'MemberAdded', data: { account_id, role } }];
  throw new Refusal(
    'invalid_transition',
    `This account is already a member, as ${currentRole}. Change its role instead.`,
    {
      field: 'role',
    },
  );
}

/** Adds an account with an address of an admitted domain. Former members don't come back this way. */
export function admitMember(
  { account_id, domain }: OrganizationCommandOf<'AdmitMember'>,
  state: OrganizationState,
): OrganizationEvent[] {
  if (!Object.hasOwn(state.domains, domain)) return [];
  if (memberRole(state, account_id) !== null || Object.hasOwn(state.former, account_id)) return [];
  return [{ type: 'MemberAdded', data: { account_id, role: state.domains[domain]! } }];
}

export function changeMemberRole(
  { account_id, role, reason }: OrganizationCommandOf<'ChangeMemberRole'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  const from = requireMemberRole(state, account_id);
  if (from === role) return [];
  refuseLastOwner(state, from, 'Make another member OWNER first, then change this role.');
  return [{ type: 'MemberRoleChanged', data: { account_id, from, to: role, ...withReason(reason) } }];
}

/** Removes a member, or lets one leave, and revokes their tokens and assistants. */
export function removeMember(
  { account_id, reason }: OrganizationCommandOf<'RemoveMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  if (!isSelfOrSystem(account_id, context)) requireActorPermission(state, context, 'changeMembers');
  const role = requireMemberRole(state, account_id);
  refuseLastOwner(state, role, 'Make another member OWNER first.');
  const removed: OrganizationEvent = { type: 'MemberRemoved', data: { account_id, role, ...withReason(reason) } };
  const tokens = Object.entries(state.tokens).filter(([, token]) => token.account_id === account_id && !token.revoked);
  return [
    removed,
    ...tokens.map(
      ([token_id]): OrganizationEvent => ({ type: 'TokenRevoked', data: { token_id, ...withReason(reason) } }),
    ),
  ];
}

export function admitDomain(
  { domain, role, reason }: OrganizationCommandOf<'AdmitDomain'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  if (!DOMAIN_ROLES.includes(role)) {
    const message = `A domain cannot give the role ${role}. Choose one of ${DOMAIN_ROLES.join(', ')}.`;
    throw new Refusal('invalid_input', message, { field: 'role', allowed: DOMAIN_ROLES });
  }
  if (Object.hasOwn(state.domains, domain) && state.domains[domain] === role) return [];
  return [{ type: 'DomainAdmitted', data: { domain, role, ...withReason(reason) } }];
}

export function withdrawDomain(
  { domain, reason }: OrganizationCommandOf<'WithdrawDomain'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  if (!Object.hasOwn(state.domains, domain)) return [];
  return [{ type: 'DomainWithdrawn', data: { domain, ...withReason(reason) } }];
}

function requireMemberRole(state: OrganizationState, account_id: string): Role {
  const role = memberRole(state, account_id);
  if (role !== null) return role;
  throw new Refusal('not_found', 'This account is not a member. Check the list of members.', {
    field: 'account_id',
  });
}

/** Refuses to remove the last OWNER: without one, no member could appoint another. */
function refuseLastOwner({ members }: OrganizationState, role: Role, nextStep: string): void {
  if (role !== 'OWNER' || countOwners(members) > 1) return;
  throw new Refusal('invalid_transition', `This is the organization's last OWNER. ${nextStep}`);
}

export function countOwners(members: Readonly<Record<string, Role>>): number {
  return Object.values(members).filter((role) => role === 'OWNER').length;
}

/** Returns the current and former members. Former members were removed or left. */
export function allMembersOf({
  members = {},
  former = {},
}: Partial<Pick<OrganizationState, 'members' | 'former'>>): ReadonlySet<string> {
  return new Set([...Object.keys(members), ...Object.keys(former)]);
}
