/** Characters of each name that are compared, to bound the time. */
const MAX_COMPARED_LENGTH = 64;

/** Returns the name that a misspelled one most likely means, ignoring case. Null if none is within `maxEdits`. */
export function nearest(
  wrong: string,
  names: readonly string[],
  maxEdits = Math.max(2, wrong.length / 2),
): string | null {
  let best: { name: string; distance: number } | null = null;
  const comparedText = comparedPart(wrong);
  for (const name of names) {
    // The distance is at least the difference of the lengths.
    const minDistance = Math.abs(comparedText.length - name.length);
    if (minDistance > maxEdits || minDistance >= name.length || (best !== null && minDistance >= best.distance))
      continue;
    const distance = editDistance(comparedText, comparedPart(name));
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  // At least one character must be right, also in a short name.
  const maxDistance = Math.min(best.name.length - 1, maxEdits);
  return best.distance <= maxDistance ? best.name : null;
}

const comparedPart = (name: string): string => name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();

/** Damerau-Levenshtein distance, by three rows: letters that changed places count once (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? beforePrevious[j - 2]! + 1 : substituted;
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted, swapped));
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length]!;
}

/** Returns up to `limit` names, the nearest to a misspelled one first. */
export function nearestNames(wrong: string, names: readonly string[], limit: number): string[] {
  const comparedText = comparedPart(wrong);
  const distances = names.map((name) => ({ name, distance: editDistance(comparedText, comparedPart(name)) }));
  return distances
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ name }) => name);
}
