import { ROLES, type Role } from './caller.ts';
import type { DecisionContext } from './decider.ts';
import {
  actsFor,
  memberRole,
  type OrganizationCommand,
  type OrganizationEvent,
  type OrganizationState,
  requireDeed,
} from './organization-state.ts';
import { because } from './record.ts';
import { Refusal } from './refusal.ts';

type Of<Type extends OrganizationCommand['type']> = Extract<OrganizationCommand, { type: Type }>;

/** Roles that a domain gives: nobody becomes OWNER by an address. */
export const DOMAIN_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'OWNER');

/** Whoever was invited, or is taken in by the command line. */
export function addMember(
  { account_id, role }: Of<'AddMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireDeed(state, context, 'changeMembers');
  const present = memberRole(state, account_id);
  if (present === role) return [];
  if (present === null) return [{ type: 'MemberAdded', data: { account_id, role } }];
  throw new Refusal('invalid_transition', `This account is a member already, as ${present}: change its role instead.`, {
    field: 'role',
  });
}

/** Whoever signed in with an address of a domain that is admitted; nobody who was removed or left comes back so. */
export function admitMember({ account_id, domain }: Of<'AdmitMember'>, state: OrganizationState): OrganizationEvent[] {
  if (!Object.hasOwn(state.domains, domain)) return [];
  if (memberRole(state, account_id) !== null || Object.hasOwn(state.former, account_id)) return [];
  return [{ type: 'MemberAdded', data: { account_id, role: state.domains[domain]! } }];
}

export function changeMemberRole(
  { account_id, role, reason }: Of<'ChangeMemberRole'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireDeed(state, context, 'changeMembers');
  const from = requireMemberRole(state, account_id);
  if (from === role) return [];
  refuseLastOwner(state, from, 'make another member OWNER first, then change this role.');
  return [{ type: 'MemberRoleChanged', data: { account_id, from, to: role, ...because(reason) } }];
}

/** Takes a member out, or lets one leave, and the tokens and assistants with them. */
export function removeMember(
  { account_id, reason }: Of<'RemoveMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  if (!actsFor(account_id, context)) requireDeed(state, context, 'changeMembers');
  const role = requireMemberRole(state, account_id);
  refuseLastOwner(state, role, 'make another member OWNER first.');
  const removed: OrganizationEvent = { type: 'MemberRemoved', data: { account_id, role, ...because(reason) } };
  const tokens = Object.entries(state.tokens).filter(([, token]) => token.account_id === account_id && !token.revoked);
  return [
    removed,
    ...tokens.map(
      ([token_id]): OrganizationEvent => ({ type: 'TokenRevoked', data: { token_id, ...because(reason) } }),
    ),
  ];
}

export function admitDomain(
  { domain, role, reason }: Of<'AdmitDomain'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireDeed(state, context, 'changeMembers');
  if (!DOMAIN_ROLES.includes(role)) {
    const message = `A domain gives one of the roles ${DOMAIN_ROLES.join(', ')}: choose one of them.`;
    throw new Refusal('invalid_input', message, { field: 'role', allowed: DOMAIN_ROLES });
  }
  if (Object.hasOwn(state.domains, domain) && state.domains[domain] === role) return [];
  return [{ type: 'DomainAdmitted', data: { domain, role, ...because(reason) } }];
}

export function withdrawDomain(
  { domain, reason }: Of<'WithdrawDomain'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireDeed(state, context, 'changeMembers');
  if (!Object.hasOwn(state.domains, domain)) return [];
  return [{ type: 'DomainWithdrawn', data: { domain, ...because(reason) } }];
}

function requireMemberRole(state: OrganizationState, account_id: string): Role {
  const role = memberRole(state, account_id);
  if (role !== null) return role;
  throw new Refusal('not_found', 'This account is no member here: look at the list of members.', {
    field: 'account_id',
  });
}

/** An organization without an OWNER could never have one again. */
function refuseLastOwner({ members }: OrganizationState, role: Role, instead: string): void {
  if (role !== 'OWNER' || ownersIn(members) > 1) return;
  throw new Refusal('invalid_transition', `This is the organization's last OWNER: ${instead}`);
}

export function ownersIn(members: Readonly<Record<string, Role>>): number {
  return Object.values(members).filter((role) => role === 'OWNER').length;
}
