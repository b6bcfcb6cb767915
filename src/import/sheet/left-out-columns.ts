/** Columns that a file of rows that were left out has besides those of the sheet. Reading the file again ignores them. */
export const LEFT_OUT_COLUMNS = ['Left out: row', 'Left out: reason'] as const;

export function isLeftOutColumn(header: string): boolean {
  return (LEFT_OUT_COLUMNS as readonly string[]).includes(header);
}
