import type { CursorKey } from '../../queries/lists/cursor.ts';
import { readSignedCursor, writeSignedCursor } from '../../queries/lists/cursor.ts';

/** The place where the next page begins, and results of the first page that later pages need. */
export interface ReportCursor {
  /** The moment of all pages: its day and its position. */
  today: string;
  position: number;
  /** The next page's first row, counted over all sections. */
  firstRow: number;
  digest: string;
  rowCounts: readonly number[];
  /** The resume key of the row before `firstRow`, if both are in one section that can be resumed. */
  previousKey: string | null;
}

/** The members in their order on the wire. Cursors stay valid after an update, so the order must never change. */
type WireCursor = [string, number, number, string, readonly number[], string | null];

export function writeReportCursor(key: CursorKey, boundTo: unknown, cursor: ReportCursor): string {
  const { today, position, firstRow, digest, rowCounts, previousKey } = cursor;
  const wire: WireCursor = [today, position, firstRow, digest, rowCounts, previousKey];
  return writeSignedCursor(key, boundTo, wire);
}

/** Reads a cursor. @throws Refusal invalid_input on field `cursor` if it was not made for these inputs */
export function readReportCursor(key: CursorKey, boundTo: unknown, text: string): ReportCursor {
  const [today, position, firstRow, digest, rowCounts, previousKey] = readSignedCursor<WireCursor>(key, boundTo, text);
  return { today, position, firstRow, digest, rowCounts, previousKey };
}
