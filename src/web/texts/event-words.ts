import { LOWER_FOUR_EYES } from '../../commands/organization/approval-policy.ts';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import { FAMILY_DECISIONS } from '../../register/decisions.ts';
import { codeWords } from '../../texts/words.ts';

/** Pages call these events otherwise than their types. Files and tools keep the types. */
const EVENT_WORDS: Readonly<Record<string, string>> = {
  RecordsLinked: 'Linked',
  RecordsUnlinked: 'Unlinked',
  LinkRelationChanged: 'Relation changed',
  MeasureSetBack: 'Measure reopened',
  NonconformitySetBack: 'Finding sent back',
  LogSealed: 'History sealed',
};

/** Returns an event in words, such as `Likelihood changed`. A nonconformity is a finding on pages. */
export function eventText(type: string): string {
  if (type.endsWith('Undone')) return 'Undone';
  return EVENT_WORDS[type] ?? codeWords(type.replace(/^Nonconformity/, 'Finding'));
}

const DECISION_TEXTS: ReadonlyMap<string, string> = new Map([
  ...FAMILY_DECISIONS.map(({ name, events }) => [name, eventText(events[0]!)] as const),
  [LOWER_FOUR_EYES, 'Four eyes ended'],
]);

/** Returns true for the name of a decision that can be under four eyes, such as RISK_ACCEPT. */
export const isDecision = (value: unknown): value is string => DECISION_TEXTS.has(value as string);

/** Returns such a decision in words: `Risk accepted` for RISK_ACCEPT. */
export const decisionText = (name: string): string => DECISION_TEXTS.get(name) ?? codeWords(name);

/**
 * Returns what a change did, in words. An acceptance that replaces another one renews it. An undo archives what was added.
 * @param isRedo true for the undo of an undo
 */
export function changeText(
  { event_type, changes }: Pick<ListedChange, 'event_type' | 'changes'>,
  isRedo = false,
): string {
  const isRenewal = event_type === 'RiskAccepted' && changes.some(({ field, from }) => field === 'acceptance' && from);
  if (isRenewal) return 'Acceptance renewed';
  const archival = event_type.endsWith('Undone') && changes.find(({ field }) => field === 'archived_at');
  if (archival) return archival.to === null ? 'Archiving undone' : 'Archived by an undo';
  return isRedo ? 'Redone' : eventText(event_type);
}

/** Returns the name of a record's type on pages, such as `Risk` or `Finding`. */
export function typeText(type: string): string {
  return type === 'NONCONFORMITY' ? 'Finding' : codeWords(type);
}
