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
  if (type.endsWith('Undone')) return 'Call undone';
  return EVENT_WORDS[type] ?? codeWords(type.replace(/^Nonconformity/, 'Finding'));
}

/** Returns the name of a record's type on pages, such as `Risk` or `Finding`. */
export function typeText(type: string): string {
  return type === 'NONCONFORMITY' ? 'Finding' : codeWords(type);
}
