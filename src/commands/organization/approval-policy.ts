import { FAMILY_DECISIONS } from '../../register/decisions.ts';
import type { OrganizationEvent } from '../../register/organization.ts';
import { AUTONOMIES, type Autonomy, lowerAutonomy } from '../../register/proposal.ts';
import type { DecisionContext } from '../engine/decider.ts';
import { invalidField, Refusal } from '../engine/refusal.ts';
import { withReason } from '../record.ts';
import {
  autonomyOf,
  type OrganizationCommand,
  type OrganizationState,
  requireActorPermission,
  type TokenState,
} from './organization-state.ts';
import { ACT_PERMISSIONS, neededRoles, type Permission, roleAllows } from './permissions.ts';

/** Existing records that a credential below ALL may change in an hour, unless the organization says another number. */
export const DEFAULT_HOURLY_CHANGES = 500;
const MAX_HOURLY_CHANGES = 100_000;

/** Taking a decision out of four eyes. It is under four eyes itself as long as any decision is. */
export const LOWER_FOUR_EYES = 'ORGANIZATION_LOWER_FOUR_EYES';

/** The rules of an organization for decisions that assistants or people may not make alone. */
export interface ApprovalPolicy {
  /** The most that a credential may do without a person. */
  ceiling: Autonomy;
  /** The decisions that another account must approve. */
  four_eyes: readonly string[];
  hourly_changes: number;
}

/** The fields of a policy, in which a proposal can change an organization. */
export const POLICY_FIELDS = ['ceiling', 'four_eyes', 'hourly_changes'] as const satisfies (keyof ApprovalPolicy)[];

/** The parts of an organization that its policy consists of. */
export type PolicyState = Pick<OrganizationState, 'ceiling' | 'four_eyes' | 'four_eyes_suspended' | 'hourly_changes'>;

/** Returns an organization's policy. One that never set any has no ceiling and no four eyes. */
export function approvalPolicyOf({
  ceiling = 'ALL',
  four_eyes = [],
  hourly_changes = DEFAULT_HOURLY_CHANGES,
}: PolicyState): ApprovalPolicy {
  return { ceiling, four_eyes, hourly_changes };
}

/** Returns what a credential may do here without a person: its own autonomy, or the organization's ceiling if that is lower. */
export function effectiveAutonomy(state: PolicyState, token: Pick<TokenState, 'autonomy'>): Autonomy {
  return lowerAutonomy(autonomyOf(token), approvalPolicyOf(state).ceiling);
}

/**
 * Returns the decisions that another account must approve now. Those that only one account could approve are suspended.
 * Taking one out of four eyes never is: else an OWNER could remove the others, end four eyes alone, and add them again.
 */
export function fourEyesInForce(state: PolicyState | null): ReadonlySet<string> {
  const { four_eyes_suspended: suspended = [] } = state ?? {};
  const isInForce = (name: string) => name === LOWER_FOUR_EYES || !suspended.includes(name);
  return new Set(decisionsUnderFourEyes(state?.four_eyes).filter(isInForce));
}

function decisionsUnderFourEyes(four_eyes: readonly string[] = []): readonly string[] {
  return four_eyes.length === 0 ? [] : [...four_eyes, LOWER_FOUR_EYES];
}

/** Returns true if a change of the policy takes a decision out of four eyes. */
export function lowersFourEyes(before: PolicyState | null, after: PolicyState | null): boolean {
  const left = after?.four_eyes ?? [];
  return (before?.four_eyes ?? []).some((name) => !left.includes(name));
}

/** Sets the policy. A decision that only one account may approve can't be put under four eyes. */
export function changeApprovalPolicy(
  { ceiling, four_eyes, hourly_changes, reason }: OrganizationCommand & { type: 'ChangeApprovalPolicy' },
  state: OrganizationState,
  context: DecisionContext,
): OrganizationEvent[] {
  requireActorPermission(state, context, 'changeApprovalPolicy');
  const before = approvalPolicyOf(state);
  const chosen = FAMILY_DECISIONS.map(({ name }) => name).filter((name) => four_eyes.includes(name));
  requireValidPolicy({ ceiling, four_eyes, hourly_changes });
  const added = decisionsUnderFourEyes(chosen).filter(
    (name) => !decisionsUnderFourEyes(before.four_eyes).includes(name),
  );
  refuseOneApprover(added, state);
  const after: ApprovalPolicy = { ceiling, four_eyes: chosen, hourly_changes };
  if (JSON.stringify(after) === JSON.stringify(before)) return [];
  return [{ type: 'ApprovalPolicyChanged', data: { ...after, ...withReason(reason) } }];
}

function requireValidPolicy({ ceiling, four_eyes, hourly_changes }: ApprovalPolicy): void {
  if (!AUTONOMIES.includes(ceiling)) {
    const message = `Choose one of ${AUTONOMIES.join(', ')}.`;
    throw new Refusal('invalid_input', message, { field: 'ceiling', allowed: AUTONOMIES });
  }
  const allowed = FAMILY_DECISIONS.map(({ name }) => name);
  const unknown = four_eyes.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    const message = `There is no decision ${unknown}. Choose from ${allowed.join(', ')}.`;
    throw new Refusal('invalid_input', message, { field: 'four_eyes', allowed });
  }
  if (Number.isInteger(hourly_changes) && hourly_changes >= 1 && hourly_changes <= MAX_HOURLY_CHANGES) return;
  throw invalidField('hourly_changes', `Choose a whole number from 1 to ${MAX_HOURLY_CHANGES}.`);
}

function refuseOneApprover(added: readonly string[], state: OrganizationState): void {
  const alone = added.find((name) => countApprovers(state, name) < 2);
  if (alone === undefined) return;
  const rule =
    alone === LOWER_FOUR_EYES
      ? 'Four eyes need two OWNERs, because another one must approve that they end.'
      : `Only one account may approve ${alone}, so nobody could approve its decisions.`;
  const role = `the role ${neededRoles(approvalPermission(alone))}`;
  throw invalidField('four_eyes', `${rule} Members whose access ends don't count. Give another member ${role} first.`);
}

/** Members whose access ends by the clock don't count: no event would say that the last but one is gone. */
function countApprovers({ members, membership_ends }: OrganizationState, decision: string): number {
  const permission = approvalPermission(decision);
  return Object.entries(members).filter(
    ([account, role]) => roleAllows(role, permission) && !Object.hasOwn(membership_ends, account),
  ).length;
}

/** Returns the permission that an account needs to make or approve a decision. */
function approvalPermission(decision: string): Permission {
  if (decision === LOWER_FOUR_EYES) return 'changeApprovalPolicy';
  const { events, family } = FAMILY_DECISIONS.find(({ name }) => name === decision)!;
  if (events.includes(family.commonEvents.archived)) return 'archiveRecords';
  return events.map((event) => ACT_PERMISSIONS[event]).find((found) => found !== undefined) ?? 'changeRecords';
}

/**
 * Returns the events by which four eyes are suspended, when a change of members leaves one account that may approve, or
 * resume when there are two again. They are part of the same append as that change.
 */
export function fourEyesFollowing(state: OrganizationState): OrganizationEvent[] {
  const { four_eyes = [], four_eyes_suspended: suspended = [] } = state;
  const alone = four_eyes.filter((name) => countApprovers(state, name) < 2);
  const [begin, end] = [without(alone, suspended), without(suspended, alone)];
  return [
    ...(begin.length === 0 ? [] : [{ type: 'FourEyesSuspended', data: { decisions: begin } } as const]),
    ...(end.length === 0 ? [] : [{ type: 'FourEyesResumed', data: { decisions: end } } as const]),
  ];
}

const without = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name));

/** Returns the state after an event of the policy. */
export function evolvePolicy(
  state: OrganizationState,
  event: Extract<OrganizationEvent, { type: 'ApprovalPolicyChanged' | 'FourEyesSuspended' | 'FourEyesResumed' }>,
): OrganizationState {
  const { four_eyes_suspended: suspended = [] } = state;
  switch (event.type) {
    case 'ApprovalPolicyChanged': {
      const { ceiling, four_eyes, hourly_changes } = event.data;
      const kept = suspended.filter((name) => decisionsUnderFourEyes(four_eyes).includes(name));
      return { ...state, ceiling, four_eyes, hourly_changes, four_eyes_suspended: kept };
    }
    case 'FourEyesSuspended':
      return { ...state, four_eyes_suspended: [...suspended, ...event.data.decisions] };
    case 'FourEyesResumed':
      return { ...state, four_eyes_suspended: without(suspended, event.data.decisions) };
  }
}
