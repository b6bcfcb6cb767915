/** Counts rows by key. */
export function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
