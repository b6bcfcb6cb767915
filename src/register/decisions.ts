import { FAMILY_DESCRIPTIONS } from './families.ts';
import type { FamilyDescription } from './family-description.ts';

/** A decision that an organization may put under four eyes. RISK_ACCEPT is the acceptance of a risk. */
export interface FamilyDecision {
  name: string;
  family: FamilyDescription;
  /** Its name within the family, such as ACCEPT. */
  word: string;
  /** The events that record it. */
  events: readonly string[];
}

/** The word for archiving, a decision in every family. */
export const ARCHIVING = 'ARCHIVE';

/** All decisions, by family. */
export const FAMILY_DECISIONS: readonly FamilyDecision[] = FAMILY_DESCRIPTIONS.flatMap((described) => {
  const family = described as unknown as FamilyDescription;
  const { type, decisions = {}, commonEvents } = family;
  const words = Object.entries({ ...decisions, [ARCHIVING]: [commonEvents.archived] });
  return words.map(([word, events]) => ({ name: `${type}_${word}`, family, word, events }));
});
