import type { OrganizationEvent } from '../../register/organization.ts';
import type { DecisionContext } from '../engine/decider.ts';
import { invalidField, Refusal } from '../engine/refusal.ts';
import { withReason } from '../record.ts';
import { ROLES, type Role } from './caller.ts';
import {
  hasEnded,
  isSelfOrSystem,
  memberRole,
  membershipEnd,
  type OrganizationCommand,
  type OrganizationState,
  requireActorPermission,
} from './organization-state.ts';

type OrganizationCommandOf<Type extends OrganizationCommand['type']> = Extract<OrganizationCommand, { type: Type }>;

/** Roles that a domain may give. Nobody becomes OWNER by an e-mail address. */
export const DOMAIN_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'OWNER');

/** Adds an account that was invited. Adds it again, without its earlier tokens, if its membership has ended. */
export function addMember(
  { account_id, role, until = null }: OrganizationCommandOf<'AddMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  const currentRole = memberRole(state, account_id, context.now);
  if (currentRole === null) return memberAdded({ account_id, role, until }, state, context);
  if (currentRole === role && membershipEnd(state, account_id) === until) return [];
  throw new Refusal(
    'invalid_transition',
    `This account is already a member, as ${currentRole}. Change its role or the end of its access instead.`,
    {
      field: 'role',
    },
  );
}

/** Sets or removes the end of a membership, also of one that has ended. The member is added again with the new end. */
export function changeMembershipEnd(
  { account_id, until, reason }: OrganizationCommandOf<'ChangeMembershipEnd'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  const role = requireRecordedRole(state, account_id);
  if (membershipEnd(state, account_id) === until) return [];
  return memberAdded({ account_id, role, until, ...withReason(reason) }, state, context);
}

/** Adds an account with an address of an admitted domain. Former and ended members don't come back this way. */
export function admitMember(
  { account_id, domain }: OrganizationCommandOf<'AdmitMember'>,
  state: OrganizationState,
): OrganizationEvent[] {
  if (!Object.hasOwn(state.domains, domain)) return [];
  if (Object.hasOwn(state.members, account_id) || Object.hasOwn(state.former, account_id)) return [];
  return [{ type: 'MemberAdded', data: { account_id, role: state.domains[domain]!, until: null } }];
}

export function changeMemberRole(
  { account_id, role, reason }: OrganizationCommandOf<'ChangeMemberRole'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeMembers');
  const from = requireRecordedRole(state, account_id);
  if (from === role) return [];
  refuseOwnerWithEnd(role, membershipEnd(state, account_id));
  refuseLastOwner(state, from, 'Make another member OWNER first, then change this role.');
  return [{ type: 'MemberRoleChanged', data: { account_id, from, to: role, ...withReason(reason) } }];
}

/** Removes a member, or lets one leave, and revokes their tokens and assistants that haven't expired. */
export function removeMember(
  { account_id, reason }: OrganizationCommandOf<'RemoveMember'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  if (!isSelfOrSystem(account_id, context)) requireActorPermission(state, context, 'changeMembers');
  const role = requireRecordedRole(state, account_id);
  refuseLastOwner(state, role, 'Make another member OWNER first.');
  const removed: OrganizationEvent = { type: 'MemberRemoved', data: { account_id, role, ...withReason(reason) } };
  return [removed, ...tokensRevoked(state, account_id, reason, context)];
}

/**
 * The most tokens that one append revokes. With the longest reasons they take about 800 kB of MAX_APPEND_BYTES. Of a
 * member with more tokens, some are revoked before the command that ends them all: see `Members`.
 */
export const MAX_REVOCATIONS = 200;

/** Revokes some of a member's tokens, before the member is removed or added again. */
export function revokeMemberTokens(
  { account_id, reason }: OrganizationCommandOf<'RevokeMemberTokens'>,
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  if (!isSelfOrSystem(account_id, context)) requireActorPermission(state, context, 'changeMembers');
  return tokensRevoked(state, account_id, reason, context).slice(0, MAX_REVOCATIONS);
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

/** Returns the event that adds a member. The tokens of an ended membership ended with it, so they are revoked first. */
function memberAdded(
  data: Extract<OrganizationEvent, { type: 'MemberAdded' }>['data'],
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  const { now } = context;
  refuseOwnerWithEnd(data.role, data.until);
  if (hasEnded(data.until, now)) {
    throw invalidField('until', `The access would have ended already, at ${data.until}. Choose a later end.`);
  }
  const isEnded = hasEnded(membershipEnd(state, data.account_id), now);
  const revocations = isEnded ? tokensRevoked(state, data.account_id, data.reason, context) : [];
  return [...revocations, { type: 'MemberAdded', data }];
}

/** Returns the events that revoke an account's tokens. Expired ones are left out: there may be any number of them. */
function tokensRevoked(
  { tokens }: OrganizationState,
  accountId: string,
  reason: string | undefined,
  { now }: DecisionContext,
): OrganizationEvent[] {
  const usable = tokens
    .entries()
    .filter(
      ([, { account_id, revoked, expires_at }]) => account_id === accountId && !revoked && !hasEnded(expires_at, now),
    );
  return usable.map(([token_id]) => ({ type: 'TokenRevoked', data: { token_id, ...withReason(reason) } }));
}

/** Refuses an OWNER whose membership ends: the organization could be left without one. */
function refuseOwnerWithEnd(role: Role, until: string | null): void {
  if (role !== 'OWNER' || until === null) return;
  const message = 'The access of an OWNER has no end. Remove the end of the access, or choose another role.';
  throw invalidField('until', message);
}

/** Returns a member's role, also if the membership has ended. @throws Refusal not_found */
function requireRecordedRole({ members }: OrganizationState, account_id: string): Role {
  if (Object.hasOwn(members, account_id)) return members[account_id]!;
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

/** Returns the current, ended and former members. Former members were removed or left. */
export function allMembersOf({
  members = {},
  former = {},
}: Partial<Pick<OrganizationState, 'members' | 'former'>>): ReadonlySet<string> {
  return new Set([...Object.keys(members), ...Object.keys(former)]);
}
