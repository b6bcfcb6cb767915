import { ANSWER_CHARACTERS } from '../../present.ts';
import { valueAt } from '../columns.ts';
import type { AnswerFormat, Head, Page, People } from '../page.ts';
import { personIn } from '../people.ts';
import type { Column, Figure, Row, Section } from '../report-type.ts';
import { type Style, textOf } from './cells.ts';
import { checkedText, NAMES } from './head.ts';
import { cutRows, leftOut } from './json.ts';

/*
 * A report as one table, https://www.rfc-editor.org/rfc/rfc4180: the first column names the section, every field has a
 * column, and pages put behind one another are the whole. Spreadsheets can filter it by section.
 */

/** Room for what else stands around the lines: their headings among it. */
const AROUND = 5_000;
/** Characters that nobody sees, or that a spreadsheet may drop: spaces, marks, control and format characters. */
const UNSEEN = '[\\p{C}\\p{Z}\\p{M}\\p{Default_Ignorable_Code_Point}]';
/** The characters that begin a formula in a spreadsheet, each with those that look like it or stand for it. */
const SIGNS = ['=＝﹦⁼₌꞊⹀゠', '+＋﹢⁺₊﬩➕', '\\-－﹣⁻₋\u2212\u2010\u2011˗➖', '@＠﹫'];
const FORMULA = new RegExp(`^(?:[\\t\\r]|${UNSEEN}*[${SIGNS.join('')}])`, 'u');
/** What a spreadsheet could break a cell at, wherever it is: some take a semicolon for the end of one. */
const BREAKS = /[",;\r\n]/;

/** Spreadsheets take a file without this mark for one of another time's characters. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** A cell: texts that could be taken for a formula get an apostrophe, which spreadsheets take for the sign of a text. */
export function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : textOf(value, STYLE);
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return BREAKS.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** People have columns of their own. */
const STYLE: Style = { people: new Map(), ids: true };

export const csv: AnswerFormat = {
  room: ANSWER_CHARACTERS - AROUND,
  headTakes: (head) => 2 * JSON.stringify(head).length,
  figuresTake: (figures) => figures.reduce((sum, figure) => sum + JSON.stringify(figure).length, 0),
  sectionTakes: () => 0,
  rowTakes: (section, row, people) =>
    JSON.stringify(lineOf(columnsOf([section]), section.name, row, people)).length + 40,
  personTakes: () => 0,
  write: (head, page) => ({ content: linesOf(head, page).join(''), ...leftOut(page), ...cutRows(head, page) }),
};

const FIGURES: readonly Column[] = ['name', 'label', 'value', 'counts', 'group'].map((field) => ({
  field,
  title: field,
}));

function linesOf(head: Head, page: Page): string[] {
  const { figures, parts, people, continued } = page;
  const changes = Object.keys(page.figures[0]?.change ?? {}).map((days) => `change.${days}`);
  const columns = columnsOf([
    { columns: [...FIGURES, ...changes.map((field) => ({ field, title: field }))] },
    ...page.sections,
  ]);
  const rows = parts.flatMap(({ section, rows }) => rows.map((row) => lineOf(columns, section.name, row, people)));
  if (continued) return rows;
  return [
    csvLine(['section', ...columns.flatMap(namesOf)]),
    ...factsOf(head).map((row) => lineOf(columns, 'report', row, people)),
    ...figures.map((figure: Figure) => lineOf(columns, 'figures', { ...figure }, people)),
    ...rows,
  ];
}

/** What the file is, in its first rows. */
function factsOf(head: Head): Row[] {
  const { type, title, organization, inputs, as_of, position, today, generated_at, digest } = head;
  const facts = {
    ...{ type, title, organization: organization.name, organization_id: organization.id, ...inputs },
    ...{ as_of, position, today, generated_at, digest },
    names: NAMES,
    seal: head.pending_seal ? 'pending' : head.proof ? 'covers this position: the JSON form has the proof' : undefined,
    changes_checked: head.proof?.verification && checkedText(head.proof.verification),
    incomplete: head.incomplete,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return known.map(([name, value]) => ({ name, value }));
}

/** Each field once, in the order in which they come. */
function columnsOf(sections: readonly Pick<Section, 'columns'>[]): Column[] {
  const columns = new Map<string, Column>();
  for (const { columns: own } of sections)
    for (const column of own) if (!columns.has(column.field)) columns.set(column.field, column);
  return [...columns.values()];
}

/** A person has two columns: the name, and the id. */
function namesOf({ field, person }: Column): string[] {
  const name = field.replace(/_id$/, '');
  return person ? [name, `${name}_id`] : [field];
}

function lineOf(columns: readonly Column[], section: string, row: Row, people: People): string {
  const cells = columns.flatMap(({ field, person, at }) => {
    const value = valueAt(row, field);
    return person ? [personIn(people, String(value), at && valueAt(row, at)), value] : [value];
  });
  return csvLine([section, ...cells]);
}

export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
