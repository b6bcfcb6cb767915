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
import { PROPOSAL_STREAM_PREFIX } from './proposal.ts';

/** The parts of a decided command that tell if it needs a person. */
interface DecidedCommand {
  stream: string;
  command: unknown;
  envelope: { causation_id?: string };
  rehearsal: { event_types: readonly string[]; isNewRecord: boolean; state: object | null };
}

/** Existing records that one call may change without a further step: a selection, or a person if decisions are proposed. */
export const MAX_UNSELECTED_RECORDS = 5;

const FAMILIES_BY_STREAM = new Map<string, FamilyDescription>(
  FAMILY_DESCRIPTIONS.map((family) => [family.singular, family as unknown as FamilyDescription]),
);

/** The events that are decisions, besides undoing and those by the first state of a new record. */
export const DECISION_EVENTS: ReadonlySet<string> = new Set(
  FAMILY_DESCRIPTIONS.flatMap((family) => {
    const { decisions = [], commonEvents } = family as unknown as FamilyDescription;
    return [...decisions, commonEvents.archived];
  }),
);

/** Returns true if a call that would do this needs a person's approval. One that changes nothing never does. */
export function needsApproval(autonomy: Autonomy, rehearsed: readonly DecidedCommand[]): boolean {
  switch (autonomy) {
    case 'ALL':
      return false;
    case 'PROPOSE_ONLY':
      return rehearsed.length > 0;
    case 'DECISIONS_PROPOSED': {
      const changed = rehearsed.reduce((total, command) => total + changedRecords(command), 0);
      return changed > MAX_UNSELECTED_RECORDS || rehearsed.some(isDecision);
    }
  }
}

/**
 * Refuses events that a credential may not write without a person. Its call was rehearsed before, and didn't need one then.
 * @throws Refusal conflict
 */
export function refuseUnproposed(autonomy: Autonomy, command: DecidedCommand): void {
  if (command.stream.startsWith(PROPOSAL_STREAM_PREFIX) || !needsApproval(autonomy, [command])) return;
  throw new Refusal('conflict', 'Somebody changed this meanwhile, so it needs a person. Repeat the call.');
}

/** Returns the number of existing records that a command changes; of an imported crosswalk, that of existing links. */
function changedRecords({ stream, command, rehearsal: { isNewRecord, state } }: DecidedCommand): number {
  if (!stream.startsWith(CROSSWALK_STREAM_PREFIX)) return isNewRecord ? 0 : 1;
  return linksOfImport(command as CrosswalkCommand, state as CrosswalkState).filter(isOtherwiseLinked).length;
}

/** An undo is one on links too. It names the call that it undoes as its cause. */
function isDecision({ stream, envelope, rehearsal: { event_types, isNewRecord, state } }: DecidedCommand): boolean {
  if (envelope.causation_id !== undefined || event_types.some((type) => DECISION_EVENTS.has(type))) return true;
  const family = FAMILIES_BY_STREAM.get(stream.slice(0, stream.indexOf('-')));
  if (!isNewRecord || family === undefined) return false;
  const { field, states } = firstDecisionsOf(family);
  return states.includes(String((state as Record<string, unknown>)[field]));
}

/** Returns the states that are decisions if a new record has them, and the field that holds the state. */
export function firstDecisionsOf({ workflow, firstDecisions = workflow?.finished ?? [] }: FamilyDescription) {
  return { field: workflow?.field ?? 'status', states: firstDecisions as readonly string[] };
}
