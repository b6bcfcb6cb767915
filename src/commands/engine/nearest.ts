/** Characters of each name that are compared, to bound the time. */
const MAX_COMPARED_LENGTH = 64;

/** Returns the name that a misspelled one most likely means, ignoring case. Null if none is within `maxEdits`. */
export function nearest(
  wrong: string,
  names: readonly string[],
  maxEdits = Math.max(2, wrong.length / 2),
): string | null {
  const comparedText = comparedPart(wrong);
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    // At least one character must be right, also in a short name.
    const limit = Math.min(maxEdits, name.length - 1, (best?.distance ?? Number.POSITIVE_INFINITY) - 1);
    const distance = editDistance(comparedText, comparedPart(name), limit);
    if (distance <= limit) best = { name, distance };
  }
  return best?.name ?? null;
}

/** Returns up to `count` names within `maxEdits` of a misspelled one, the nearest first. */
export function nearestNames(
  wrong: string,
  names: readonly string[],
  count: number,
  maxEdits = Number.POSITIVE_INFINITY,
): string[] {
  const comparedText = comparedPart(wrong);
  const best: { name: string; distance: number }[] = [];
  for (const name of names) {
    const limit = Math.min(maxEdits, (best[count - 1]?.distance ?? Number.POSITIVE_INFINITY) - 1);
    const distance = editDistance(comparedText, comparedPart(name), limit);
    if (distance > limit) continue;
    best.push({ name, distance });
    best.sort((a, b) => a.distance - b.distance).splice(count);
  }
  return best.map(({ name }) => name);
}

const comparedPart = (name: string): string => name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();

/**
 * Returns the Damerau-Levenshtein distance, or any number above `limit` if it is larger. Letters that changed places
 * count once (optimal string alignment).
 *
 * A small limit makes it fast (Ukkonen's cut-off). Cells further than the limit from the diagonal need more edits, so
 * each row leaves them out. Once all cells of a row are above the limit, those of later rows are too.
 */
function editDistance(a: string, b: string, limit: number): number {
  // No distance is larger than the longer text.
  const maxDistance = Math.floor(Math.min(limit, Math.max(a.length, b.length)));
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  let row: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const first = Math.max(1, i - maxDistance);
    const last = Math.min(b.length, i + maxDistance);
    let rowMin = first === 1 ? i : maxDistance + 1;
    row[first - 1] = rowMin;
    for (let j = first; j <= last; j++) {
      const substituted = previous[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? beforePrevious[j - 2]! + 1 : substituted;
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted, swapped);
      rowMin = Math.min(rowMin, row[j]!);
    }
    row[last + 1] = maxDistance + 1;
    if (rowMin > maxDistance) return rowMin;
    [beforePrevious, previous, row] = [previous, row, beforePrevious];
  }
  return previous[b.length]!;
}
