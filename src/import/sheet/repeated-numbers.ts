import { isDeepStrictEqual } from 'node:util';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import type { SheetRecord } from './sheet-record.ts';

/*
 * One record over several rows: "R-1" has a row for each linked vendor. Merged cells are such rows, and so are rows that
 * say the record's other values once.
 */

type Values = SheetRecord['values'];

/**
 * Gives the rows of one number each other's values and words, if no two differ. So they are one record with the links of all.
 * Other rows stay as they are: they contradict each other.
 */
export function withValuesOfNumber(records: readonly SheetRecord[]): SheetRecord[] {
  const byNumber = new Map<unknown, SheetRecord[]>();
  for (const record of records) {
    const { id, reference_id } = record.values;
    if (id !== undefined || reference_id === undefined) continue;
    byNumber.set(reference_id, [...(byNumber.get(reference_id) ?? []), record]);
  }
  return records.map((record) => {
    const rows = record.values.id === undefined ? (byNumber.get(record.values.reference_id) ?? []) : [];
    if (rows.length < 2) return record;
    const values = union(rows.map((row) => row.values));
    const words = union(rows.map(({ source }) => source.words));
    return values === null || words === null ? record : { ...record, values, source: { ...record.source, words } };
  });
}

/** Returns all values; null if two differ. */
function union(parts: readonly Values[]): Values | null {
  const all: Record<string, unknown> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (name in all && !isDeepStrictEqual(all[name], value)) return null;
    all[name] = value;
  }
  return all;
}

/** Returns true if two rows have the same text in a column: they may be one record, so they are read together. */
export function haveSameCell(one: SheetRow | undefined, other: SheetRow, header: string | undefined): boolean {
  const [text, otherText] = [one, other].map((row) => {
    const cell = header === undefined ? undefined : row?.cells.get(header);
    return cell === undefined ? '' : displayText(cell).trim();
  });
  return text !== '' && text === otherText;
}
