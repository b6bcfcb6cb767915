import type { SheetValue } from '../../sheets/xlsx/sheet-xml.ts';
import { textOf } from './report-text.ts';

/** Returns a field's value as a workbook has it: numbers and truth values with their types, lists and objects as text. */
export function sheetValue(value: unknown): SheetValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return textOf(value, { people: new Map(), showIds: true });
}
