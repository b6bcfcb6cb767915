/**
 * How many neighbours of a record carry each label. Facts of a record that need others (counts, coverage,
 * implementation) follow from its own state and its tally alone, so they can be kept up by adding and subtracting
 * labels as neighbours come, change and go, at every position, without reading the others again.
 */
export type RelatedCounts = Readonly<Record<string, number>>;

/** Begins the label of live evidence: the last day it is valid. */
export const EVIDENCE_UNTIL = 'EVIDENCE_UNTIL:';
/** Begins the label of an archived framework; when it was archived follows. */
export const FRAMEWORK_ARCHIVED = 'FRAMEWORK:ARCHIVED:';
/** Begins the label of a record that could not be digested; its type follows. */
export const STALE = 'STALE:';

/** Stands for a day that never comes: not due, not ending, valid without end. */
export const MAX_DATE = '9999-12-31';
/** Stands for a day before all others: never reviewed, no evidence. */
export const MIN_DATE = '0001-01-01';

/** `until_position` of a version that still holds. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

export function relatedCount(relatedCounts: RelatedCounts, label: string): number {
  return relatedCounts[label] ?? 0;
}

/** Whether a neighbour of a type, or LINK for one that it may have or not, could not be digested. */
export function isUncertain(relatedCounts: RelatedCounts, type: string): boolean {
  return relatedCount(relatedCounts, `${STALE}${type}`) > 0;
}

/**
 * A timestamp as a label's end, and back. Labels are names of fields in stores, of which some take no full stop there;
 * ISO 8601 knows the comma, too.
 */
export function timeLabel(beginning: string, timestamp: string): string {
  return `${beginning}${timestamp.replace('.', ',')}`;
}

export function latestTime(relatedCounts: RelatedCounts, beginning: string): string | null {
  return greatestSuffix(relatedCounts, beginning)?.replace(',', '.') ?? null;
}

/** The greatest of the labels that begin so, without that beginning; null where there is none. */
export function greatestSuffix(relatedCounts: RelatedCounts, beginning: string): string | null {
  let found: string | null = null;
  for (const label of Object.keys(relatedCounts)) {
    if (label.startsWith(beginning) && (found === null || label > found)) found = label;
  }
  return found?.slice(beginning.length) ?? null;
}

/** The tally after some labels went and others came; the same one where that makes no difference. */
export function updateCounts(
  relatedCounts: RelatedCounts,
  gone: readonly string[],
  come: readonly string[],
): RelatedCounts {
  const next: Record<string, number> = { ...relatedCounts };
  for (const label of gone) add(next, label, -1);
  for (const label of come) add(next, label, 1);
  return next;
}

function add(relatedCounts: Record<string, number>, label: string, change: 1 | -1): void {
  const count = (relatedCounts[label] ?? 0) + change;
  if (count === 0) delete relatedCounts[label];
  else relatedCounts[label] = count;
}
