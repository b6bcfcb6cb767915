/**
 * How many neighbours of a record carry each label. Facts of a record that need others (counts, coverage,
 * implementation) follow from its own state and its tally alone, so they can be kept up by adding and subtracting
 * labels as neighbours come, change and go, at every ordinal, without reading the others again.
 */
export type Tally = Readonly<Record<string, number>>;

/** Begins the label of live evidence: the last day it is valid. */
export const EVIDENCE_UNTIL = 'EVIDENCE_UNTIL:';
/** Begins the label of an archived framework; when it was archived follows. */
export const FRAMEWORK_ARCHIVED = 'FRAMEWORK:ARCHIVED:';
/** Begins the label of a record that could not be digested; its type follows. */
export const STALE = 'STALE:';

/** Stands for a day that never comes: not due, not ending, valid without end. */
export const FAR = '9999-12-31';
/** Stands for a day before all others: never reviewed, no evidence. */
export const NEVER = '0001-01-01';

/** `until_position` of a version that still holds. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

export function countOf(tally: Tally, label: string): number {
  return tally[label] ?? 0;
}

/** Whether a neighbour of a type, or LINK for one that it may have or not, could not be digested. */
export function isInDoubt(tally: Tally, type: string): boolean {
  return countOf(tally, `${STALE}${type}`) > 0;
}

/**
 * A timestamp as a label's end, and back. Labels are names of fields in stores, of which some take no full stop there;
 * ISO 8601 knows the comma, too.
 */
export function timeLabel(beginning: string, timestamp: string): string {
  return `${beginning}${timestamp.replace('.', ',')}`;
}

export function latestTime(tally: Tally, beginning: string): string | null {
  return greatest(tally, beginning)?.replace(',', '.') ?? null;
}

/** The greatest of the labels that begin so, without that beginning; null where there is none. */
export function greatest(tally: Tally, beginning: string): string | null {
  let found: string | null = null;
  for (const label of Object.keys(tally)) {
    if (label.startsWith(beginning) && (found === null || label > found)) found = label;
  }
  return found?.slice(beginning.length) ?? null;
}

/** The tally after some labels went and others came; the same one where that makes no difference. */
export function retallied(tally: Tally, gone: readonly string[], come: readonly string[]): Tally {
  const next: Record<string, number> = { ...tally };
  for (const label of gone) add(next, label, -1);
  for (const label of come) add(next, label, 1);
  return next;
}

function add(tally: Record<string, number>, label: string, change: 1 | -1): void {
  const count = (tally[label] ?? 0) + change;
  if (count === 0) delete tally[label];
  else tally[label] = count;
}
