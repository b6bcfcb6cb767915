const MAX_LISTED_ROWS = 10;

/** Returns a message about rows that aren't part of the table. */
export function asideText(rows: readonly number[]): string {
  if (rows.length === 1) return `Row ${rows[0]} lies beside the table and was left out.`;
  const more = rows.length > MAX_LISTED_ROWS ? ` and ${rows.length - MAX_LISTED_ROWS} more` : '';
  return `Rows ${rows.slice(0, MAX_LISTED_ROWS).join(', ')}${more} lie beside the table and were left out.`;
}
