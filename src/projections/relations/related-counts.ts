/**
 * Counts of a record's neighbours (linked records), by label. A control linked to three measures, two of them
 * implemented, has `{ MEASURE: 3, 'MEASURE:IMPLEMENTED': 2 }`. Its coverage follows from these counts alone.
 *
 * When a measure changes, the projection subtracts its old labels and adds its new ones. It never reads the other
 * measures again, so the cost of updating a control doesn't depend on how many measures it has.
 */
export type RelatedCounts = Readonly<Record<string, number>>;

/** Begins the label of live evidence. Its last valid day follows, and the day on which it was collected. */
export const EVIDENCE_UNTIL = 'EVIDENCE_UNTIL:';
/** Begins the label of an archived framework. The time of archiving follows. */
export const FRAMEWORK_ARCHIVED = 'FRAMEWORK:ARCHIVED:';
/** Begins the label of a stale record. Its type follows. */
export const STALE = 'STALE:';

/** `until_position` of a version that is still valid. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

export function relatedCount(relatedCounts: RelatedCounts, label: string): number {
  return relatedCounts[label] ?? 0;
}

/** Returns the number of neighbours with a label that begins like this and ends in `date` or a later date. */
export function relatedCountFrom(relatedCounts: RelatedCounts, beginning: string, date: string): number {
  let count = 0;
  for (const [label, neighbours] of Object.entries(relatedCounts)) {
    if (label.startsWith(beginning) && label.slice(beginning.length) >= date) count += neighbours;
  }
  return count;
}

/**
 * Returns true if a neighbour of a type is stale. Type LINK: the event of a link is parked, so a neighbour may be
 * missing.
 */
export function isUncertain(relatedCounts: RelatedCounts, type: string): boolean {
  return relatedCount(relatedCounts, `${STALE}${type}`) > 0;
}

/**
 * Returns a label that ends in a timestamp. Labels become field names, and some stores don't allow a full stop in them.
 * So the fraction of the second follows a comma, which ISO 8601 allows too.
 */
export function timeLabel(beginning: string, timestamp: string): string {
  return `${beginning}${timestamp.replace('.', ',')}`;
}

/** Returns the latest timestamp of the labels from `timeLabel` with this beginning; null if there are none. */
export function latestTime(relatedCounts: RelatedCounts, beginning: string): string | null {
  return greatestSuffix(relatedCounts, beginning)?.replace(',', '.') ?? null;
}

/** Returns the greatest label with this beginning, without the beginning; null if there are none. */
export function greatestSuffix(relatedCounts: RelatedCounts, beginning: string): string | null {
  let maximum: string | null = null;
  for (const label of Object.keys(relatedCounts)) {
    if (label.startsWith(beginning) && (maximum === null || label > maximum)) maximum = label;
  }
  return maximum?.slice(beginning.length) ?? null;
}

/** Returns the counts without the `removed` labels and with the `added` ones. */
export function updateCounts(
  relatedCounts: RelatedCounts,
  removed: readonly string[],
  added: readonly string[],
): RelatedCounts {
  const next: Record<string, number> = { ...relatedCounts };
  for (const label of removed) add(next, label, -1);
  for (const label of added) add(next, label, 1);
  return next;
}

function add(relatedCounts: Record<string, number>, label: string, change: 1 | -1): void {
  const count = (relatedCounts[label] ?? 0) + change;
  if (count === 0) delete relatedCounts[label];
  else relatedCounts[label] = count;
}
