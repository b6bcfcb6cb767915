/** Characters of a name that are compared with those of another. */
const MAX_COMPARED = 64;

/** The name that a wrong one most likely stands for, ignoring case; null where none is near. */
export function nearest(wrong: string, known: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  const compared = wrong.slice(0, MAX_COMPARED).toLowerCase();
  for (const name of known) {
    // No distance is smaller than that of the lengths.
    const least = Math.abs(compared.length - name.length);
    if (least >= name.length || (best !== null && least >= best.distance)) continue;
    const distance = editDistance(compared, name.slice(0, MAX_COMPARED).toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  // Of a short name more has to be right than nothing.
  const most = Math.min(best.name.length - 1, Math.max(2, wrong.length / 2));
  return best.distance <= most ? best.name : null;
}

/** Levenshtein distance, by the two-row method (Wagner and Fischer 1974). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** Returns up to so many of the names, those first that are nearest to a wrong one. */
export function nearestNames(wrong: string, names: readonly string[], most: number): string[] {
  const lower = wrong.toLowerCase();
  const distances = names.map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }));
  return distances
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}
