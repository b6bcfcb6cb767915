import type { DateOrder } from './cells/cell-dates.ts';
import { type FieldValue, readCell, type SheetField } from './cells/read-cell.ts';
import { type MatchedColumns, matchColumns } from './match-columns.ts';
import type { Sheet, SheetRow } from './read-sheet.ts';

/** A row for an import: its values, or all its errors. */
export type SheetImportRow =
  | { row: number; values: Readonly<Record<string, FieldValue>> }
  /** `field` is empty if the whole row is wrong. */
  | { row: number; errors: readonly { field: string; message: string }[] };

export interface SheetImportOptions {
  /** Column header by field name, for columns that aren't called like their field. */
  headerByField?: ReadonlyMap<string, string>;
  /** The order of day and month in 03/04/2026. Without it, such a date is refused. */
  dateOrder?: DateOrder;
}

/**
 * Reads a sheet's rows as records, one at a time. Fields without a column, or with a blank cell, are left out.
 * @throws Refusal before the first row if the columns don't match, and later if reading fails
 */
export async function* readImportRows(
  sheet: Sheet,
  fields: readonly SheetField[],
  options: SheetImportOptions = {},
): AsyncGenerator<SheetImportRow, void, undefined> {
  try {
    const columns = matchColumns(sheet.headers, fields, options.headerByField);
    for await (const row of sheet.rows) yield importRow(row, fields, columns, options.dateOrder);
  } finally {
    sheet.close();
  }
}

function importRow(
  { row, cells, problem }: SheetRow,
  fields: readonly SheetField[],
  { headerOf }: MatchedColumns,
  dates: DateOrder | undefined,
): SheetImportRow {
  if (problem !== undefined) return { row, errors: [{ field: '', message: problem }] };
  const values: Record<string, FieldValue> = {};
  const errors: { field: string; message: string }[] = [];
  for (const field of fields) {
    const header = headerOf.get(field.name);
    const parsedCell = readCell(header === undefined ? undefined : cells.get(header), field, dates);
    if ('error' in parsedCell) errors.push({ field: field.name, message: parsedCell.error });
    else if (parsedCell.value !== undefined) values[field.name] = parsedCell.value;
  }
  return errors.length > 0 ? { row, errors } : { row, values };
}
