import { FAMILY_DESCRIPTIONS } from '../register/families.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import type { Autonomy } from '../register/proposal.ts';
import type { RehearsedCommand } from './engine/rehearsal-handler.ts';

/** Existing records that a credential may change in one call without a person, if its decisions are proposed. */
const MAX_UNDECIDED_RECORDS = 5;

const FAMILIES_BY_STREAM = new Map<string, FamilyDescription>(
  FAMILY_DESCRIPTIONS.map((family) => [family.singular, family as unknown as FamilyDescription]),
);

const DECISIONS = new Set(
  FAMILY_DESCRIPTIONS.flatMap((family) => {
    const { decisions = [], commonEvents } = family as unknown as FamilyDescription;
    return [...decisions, commonEvents.archived, commonEvents.undone];
  }),
);

/** Returns true if a call that would do this needs a person's approval. One that changes nothing never does. */
export function needsApproval(autonomy: Autonomy, rehearsed: readonly RehearsedCommand[]): boolean {
  switch (autonomy) {
    case 'ALL':
      return false;
    case 'PROPOSE_ONLY':
      return rehearsed.length > 0;
    case 'DECISIONS_PROPOSED': {
      const existing = rehearsed.filter(({ rehearsal }) => !rehearsal.isNewRecord);
      return existing.length > MAX_UNDECIDED_RECORDS || rehearsed.some(isDecision);
    }
  }
}

function isDecision({ stream, rehearsal: { event_types, isNewRecord, state } }: RehearsedCommand): boolean {
  if (event_types.some((type) => DECISIONS.has(type))) return true;
  const workflow = FAMILIES_BY_STREAM.get(stream.slice(0, stream.indexOf('-')))?.workflow;
  if (!isNewRecord || workflow?.finished === undefined) return false;
  return workflow.finished.includes(String((state as Record<string, unknown>)[workflow.field]));
}
