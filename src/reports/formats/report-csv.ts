import { MAX_ANSWER_CHARACTERS } from '../../queries/records/present-records.ts';
import { type NamesByKey, personName, type TextStyle, textOf } from '../../texts/value-text.ts';
import type { AnswerWriter, ReportHead, ReportPage } from '../pages/report-page.ts';
import type { Figure, ReportColumn, ReportRow, ReportSection } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import { leftOutMembers, truncationMembers } from './report-json.ts';
import { NAMES_NOTE, SEAL_NOTE, verificationText } from './report-text.ts';

/*
 * Writes a report as one CSV table (RFC 4180). The first column names the section, so that spreadsheets can filter by it,
 * and each field has a column. The pages, concatenated, form one table.
 */

/** Characters of an answer that no page fills: a reserve for the head rows and the column names. */
const RESERVED_CHARACTERS = 5_000;
/** Quoting doubles quotation marks, so text may become twice as long. */
const QUOTING_FACTOR = 2;
/** Characters added to each row's size, as a safety margin. */
const ROW_MARGIN = 40;
/** Characters that are invisible, or that a spreadsheet may drop: spaces, combining marks, control and format characters. */
const INVISIBLE = '[\\p{C}\\p{Z}\\p{M}\\p{Default_Ignorable_Code_Point}]';
/** The characters that begin a formula in a spreadsheet, each with its look-alikes. */
const FORMULA_SIGNS = ['=＝﹦⁼₌꞊⹀゠', '+＋﹢⁺₊﬩➕', '\\-－﹣⁻₋\u2212\u2010\u2011˗➖', '@＠﹫'];
const FORMULA = new RegExp(`^(?:[\\t\\r]|${INVISIBLE}*[${FORMULA_SIGNS.join('')}])`, 'u');
/** A delimiter of some spreadsheet program, or a line break. */
const BREAK = '[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]';
/** "- checked" in a list of lines: no formula, which would call a function, a sheet or a program. */
const LIST_DASH = `(?!- (?:(?!${BREAK})[^(!|])*(?:${BREAK}|$))`;
/**
 * The place where a formula begins after a break within a text. A program with another delimiter ignores quotation marks
 * inside a cell, so the rest of the text becomes a cell of its own.
 */
const innerFormula = (breaks: string) =>
  new RegExp(`(?<=${breaks})(?=(?:"|(?!${breaks})${INVISIBLE})*${LIST_DASH}[${FORMULA_SIGNS.join('')}])`, 'gu');
const INNER_FORMULA = innerFormula(BREAK);
/** In a file with semicolons, commas are the delimiter of another program. */
const INNER_FORMULA_OR_COMMA = innerFormula(`[,${BREAK.slice(1)}`);
/** A cell with one of these characters must be quoted. Some spreadsheet programs use a semicolon or tab as delimiter. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** Excel reads a CSV as UTF-8 only if it begins with this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns a cell. A text that a spreadsheet could run as a formula gets an apostrophe in front, which marks it as text. So
 * does such a part of a text, after a semicolon, tab or line break.
 */
export function csvCell(value: unknown, delimiter = ','): string {
  const text = typeof value === 'string' ? value : textOf(value, CSV_STYLE);
  const safe = typeof value === 'number' ? text : withoutFormulas(text, delimiter);
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withoutFormulas(text: string, delimiter: string): string {
  const marked = text.replace(delimiter === ',' ? INNER_FORMULA : INNER_FORMULA_OR_COMMA, "'");
  return FORMULA.test(text) ? `'${marked}` : marked;
}

/** Cells show account ids, not names: each person has a column for the name and one for the id. */
const CSV_STYLE: TextStyle = { people: new Map(), showIds: true };

export const reportCsv: AnswerWriter = {
  capacity: MAX_ANSWER_CHARACTERS - RESERVED_CHARACTERS,
  headSize: (head) => QUOTING_FACTOR * JSON.stringify(head).length,
  figuresSize: (figures) => figures.reduce((sum, figure) => sum + JSON.stringify(figure).length, 0),
  // A section has no heading of its own.
  sectionSize: () => 0,
  rowSize: (section, row, people) =>
    JSON.stringify(lineOf(columnsOf([section]), section.name, row, people)).length + ROW_MARGIN,
  // Rows contain the names.
  nameSize: () => 0,
  write: (head, page) => ({
    content: linesOf(head, page).join(''),
    ...leftOutMembers(page),
    ...truncationMembers(head, page),
  }),
};

const FIGURE_COLUMNS: readonly ReportColumn[] = ['name', 'label', 'value', 'counts', 'group'].map((field) => ({
  field,
  title: field,
}));

function linesOf(head: ReportHead, page: ReportPage): string[] {
  const { figures, parts, people, isContinuation } = page;
  const changes = Object.keys(page.figures[0]?.change ?? {}).map((days) => `change.${days}`);
  const columns = columnsOf([
    { columns: [...FIGURE_COLUMNS, ...changes.map((field) => ({ field, title: field }))] },
    ...page.sections,
  ]);
  const rows = parts.flatMap(({ section, rows }) => rows.map((row) => lineOf(columns, section.name, row, people)));
  if (isContinuation) return rows;
  return [
    csvLine(['section', ...columns.flatMap(columnNamesOf)]),
    ...headRows(head).map((row) => lineOf(columns, 'report', row, people)),
    ...figures.map((figure: Figure) => lineOf(columns, 'figures', { ...figure }, people)),
    ...rows,
  ];
}

function headRows(head: ReportHead): ReportRow[] {
  const { type, title, organization, inputs, as_of, position, today, generated_at, digest } = head;
  const facts = {
    ...{ type, title, organization: organization.name, organization_id: organization.id, ...inputs },
    ...{ as_of, position, today, generated_at, digest },
    names: NAMES_NOTE,
    seal: head.pending_seal ? 'pending' : head.proof ? SEAL_NOTE : undefined,
    changes_checked: head.proof?.verification && verificationText(head.proof.verification),
    incomplete: head.incomplete,
  };
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Returns the columns of all sections, each field once. */
function columnsOf(sections: readonly Pick<ReportSection, 'columns'>[]): ReportColumn[] {
  const byField = new Map<string, ReportColumn>();
  for (const { columns } of sections)
    for (const column of columns) if (!byField.has(column.field)) byField.set(column.field, column);
  return [...byField.values()];
}

/** Returns the CSV columns for a report column: two for a person (name and id), otherwise one. */
function columnNamesOf({ field, person }: ReportColumn): string[] {
  const name = field.replace(/_id$/, '');
  return person ? [name, `${name}_id`] : [field];
}

function lineOf(columns: readonly ReportColumn[], section: string, row: ReportRow, people: NamesByKey): string {
  const cells = columns.flatMap(({ field, person, timeField }) => {
    const value = valueAt(row, field);
    return person ? [personName(people, String(value), timeField && valueAt(row, timeField)), value] : [value];
  });
  return csvLine([section, ...cells]);
}

export function csvLine(cells: readonly unknown[], delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}
