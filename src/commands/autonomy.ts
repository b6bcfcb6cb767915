import { ARCHIVING, FAMILY_DECISIONS } from '../register/decisions.ts';
import { FAMILY_DESCRIPTIONS } from '../register/families.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import type { Autonomy } from '../register/proposal.ts';
import {
  CROSSWALK_STREAM_PREFIX,
  type CrosswalkCommand,
  type CrosswalkState,
  isOtherwiseLinked,
  linksOfImport,
} from './crosswalk.ts';
import { Refusal } from './engine/refusal.ts';
import { LOWER_FOUR_EYES, lowersFourEyes } from './organization/approval-policy.ts';
import type { OrganizationState } from './organization/organization-state.ts';
import { PROPOSAL_STREAM_PREFIX, type ProposalState } from './proposal.ts';

/** The parts of a decided command that tell if it needs a person. */
interface DecidedCommand {
  stream: string;
  command: unknown;
  envelope: { actor_id: string; causation_id?: string; proposed_by?: string | undefined };
  rehearsal: { event_types: readonly string[]; isNewRecord: boolean; before?: object | null; state: object | null };
}

/** Existing records that one call may change without a further step: a selection, or a person if decisions are proposed. */
export const MAX_UNSELECTED_RECORDS = 5;

const FAMILIES_BY_STREAM = new Map<string, FamilyDescription>(
  FAMILY_DESCRIPTIONS.map((family) => [family.singular, family as unknown as FamilyDescription]),
);

/** The events that are decisions, besides undoing and those by the first state of a new record. */
export const DECISION_EVENTS: ReadonlySet<string> = new Set(FAMILY_DECISIONS.flatMap(({ events }) => events));

/** Returns true if a call that would do this needs a person's approval. One that changes nothing never does. */
export function needsApproval(autonomy: Autonomy, rehearsed: readonly DecidedCommand[]): boolean {
  switch (autonomy) {
    case 'ALL':
      return false;
    case 'PROPOSE_ONLY':
      return rehearsed.length > 0;
    case 'DECISIONS_PROPOSED': {
      const changed = rehearsed.reduce((total, command) => total + countChangedRecords(command), 0);
      return changed > MAX_UNSELECTED_RECORDS || rehearsed.some(isDecision);
    }
  }
}

/** Returns true if a call would make a decision that another account must approve. */
export function needsOtherAccount(fourEyes: ReadonlySet<string>, rehearsed: readonly DecidedCommand[]): boolean {
  return fourEyes.size > 0 && rehearsed.some((command) => decisionsOf(command).some((name) => fourEyes.has(name)));
}

/** The limits of a command's actor, by the organization's own log. Absent members limit nothing. */
interface Limits {
  autonomy?: Autonomy | undefined;
  /** The decisions that another account must approve. */
  fourEyes?: ReadonlySet<string> | undefined;
}

/**
 * Refuses events that need a person or another account, unless they are those of a proposal that one approved.
 * @param read returns the command. Called only if there is a limit
 * @throws Refusal conflict for a call whose rehearsal needed nobody; forbidden for an approval by the account that proposed
 */
export function refuseUnapproved({ autonomy = 'ALL', fourEyes }: Limits, read: () => DecidedCommand): void {
  const hasFourEyes = fourEyes !== undefined && fourEyes.size > 0;
  if (autonomy === 'ALL' && !hasFourEyes) return;
  const command = read();
  if (command.stream.startsWith(PROPOSAL_STREAM_PREFIX)) return;
  if (needsApproval(autonomy, [command])) {
    throw new Refusal('conflict', 'Somebody changed this meanwhile, so it needs a person. Repeat the call.');
  }
  const { actor_id, proposed_by = actor_id } = command.envelope;
  if (!hasFourEyes || proposed_by !== actor_id || !needsOtherAccount(fourEyes, [command])) return;
  if (command.envelope.proposed_by !== undefined) throw needsAnotherApprover();
  const message =
    'Another account must approve this, so nothing was written. Repeat it on the pages or through MCP, which propose it.';
  throw new Refusal('conflict', message);
}

/** Returns the account that wrote the call which is approved: who proposed it, or who approves it with changes. */
export function authorOf({ proposed_by, approved_input }: ProposalState, approver: { account_id: string }): string {
  return approved_input === null ? proposed_by : approver.account_id;
}

/** The error for an approval by an account that isn't another one. */
export function needsAnotherApprover(): Refusal {
  const message =
    'This decision is under four eyes. Another account than the one that proposed or changed it must approve it, signed in to the pages.';
  return new Refusal('forbidden', message);
}

/**
 * Returns the names of the decisions in a command. An undo counts as all those of its family, and so does a new record in a
 * state that a decision leads to, but for archiving.
 */
function decisionsOf({ stream, rehearsal: { event_types, isNewRecord, before, state } }: DecidedCommand): string[] {
  const singular = stream.slice(0, stream.indexOf('-'));
  if (singular === 'organization') {
    const isLower = lowersFourEyes((before ?? null) as OrganizationState | null, state as OrganizationState | null);
    return isLower ? [LOWER_FOUR_EYES] : [];
  }
  const family = FAMILIES_BY_STREAM.get(singular);
  if (family === undefined) return [];
  const ofFamily = FAMILY_DECISIONS.filter((decision) => decision.family === family);
  const isUndo = event_types.includes(family.commonEvents.undone);
  const isFirst = isNewRecord && isFirstDecision(family, state);
  const made = ofFamily.filter(
    ({ word, events }) =>
      isUndo || (isFirst && word !== ARCHIVING) || event_types.some((type) => events.includes(type)),
  );
  return made.map(({ name }) => name);
}

/** Returns the number of existing records that a command changes; of an imported crosswalk, that of existing links. */
export function countChangedRecords({ stream, command, rehearsal: { isNewRecord, state } }: DecidedCommand): number {
  if (!stream.startsWith(CROSSWALK_STREAM_PREFIX)) return isNewRecord ? 0 : 1;
  return linksOfImport(command as CrosswalkCommand, state as CrosswalkState).filter(isOtherwiseLinked).length;
}

/** An undo is one on links too. It names the call that it undoes as its cause. */
function isDecision({ stream, envelope, rehearsal: { event_types, isNewRecord, state } }: DecidedCommand): boolean {
  if (envelope.causation_id !== undefined || event_types.some((type) => DECISION_EVENTS.has(type))) return true;
  const family = FAMILIES_BY_STREAM.get(stream.slice(0, stream.indexOf('-')));
  return isNewRecord && family !== undefined && isFirstDecision(family, state);
}

/** Returns true for the state of a new record that a decision would have led to. */
function isFirstDecision(family: FamilyDescription, state: object | null): boolean {
  const { field, states } = firstDecisionsOf(family);
  return states.includes(String((state as Record<string, unknown>)[field]));
}

/** Returns the states that are decisions if a new record has them, and the field that holds the state. */
export function firstDecisionsOf({ workflow, firstDecisions = workflow?.finished ?? [] }: FamilyDescription) {
  return { field: workflow?.field ?? 'status', states: firstDecisions as readonly string[] };
}
