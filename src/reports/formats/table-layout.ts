import type { NamesByKey, TextStyle } from '../../texts/value-text.ts';
import type { SectionPart } from '../pages/report-page.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import { cellText, columnHeading } from './report-text.ts';

/** Texts that must not break at the end of a line: dates, times, states, short names. */
const SHORT_WORD = /^(?:[\p{L}\p{N}_.-]{1,20}|\d{4}-\d\d-\d\d \d\d:\d\d)$/u;
/** Characters. Longer names of people may break at the end of a line. */
const SHORT_NAME_LENGTH = 18;

/** A column with what is the same in all its cells. */
interface TableColumn {
  column: ReportColumn;
  heading: string;
  /** The class of all cells. Undefined if it depends on the text. */
  cellClass: string | undefined;
}

/** The columns of a table, and those written below each row: details, ids and others that need too much width. */
export interface TableLayout {
  columns: readonly TableColumn[];
  below: readonly ReportColumn[];
  style: TextStyle;
}

/** Decides which columns of a section have a value, and where they are written. */
export function layOutTable({ section: { columns, group = [] }, rows }: SectionPart, people: NamesByKey): TableLayout {
  const style: TextStyle = { people, codesInWords: true, toTheMinute: true };
  const filledColumns = columns.filter(
    (column) => !group.includes(column) && rows.some((row) => cellText(row, column, style) !== ''),
  );
  const isBelow = (column: ReportColumn) => column.detail || column.isBelow || isTechnical(column);
  const across = filledColumns.filter((column) => !isBelow(column));
  return {
    columns: across.map((column) => ({
      column,
      heading: columnHeading(column),
      cellClass: column.prose ? 'prose' : isNumber(column, rows) ? 'number' : undefined,
    })),
    below: filledColumns.filter(isBelow),
    style,
  };
}

export const isTechnical = ({ kind }: ReportColumn): boolean => kind === 'TECHNICAL';

function isNumber({ field }: ReportColumn, rows: readonly ReportRow[]): boolean {
  return rows.every((row) => {
    const value = valueAt(row, field);
    return value === undefined || typeof value === 'number';
  });
}

/** Returns the class of a cell that is neither prose nor a number. */
export function textClass({ field, kind, person }: ReportColumn, text: string): string | undefined {
  if (kind === 'ALARM') return text === '' ? undefined : 'alarm';
  if (SHORT_WORD.test(text) || (person && text.length <= SHORT_NAME_LENGTH)) return 'word';
  return field.endsWith('name') ? 'name' : undefined;
}
