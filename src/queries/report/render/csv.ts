import { ANSWER_CHARACTERS } from '../../present.ts';
import type { AnswerFormat, Head, Page, People } from '../page.ts';
import type { Column, Figure, Row, Section } from '../report-type.ts';
import { textOf, valueAt } from './cells.ts';
import { cutRows } from './json.ts';

/*
 * A report as one table, https://www.rfc-editor.org/rfc/rfc4180: the first column names the section, every field has a
 * column, and pages put behind one another are the whole. Spreadsheets can filter it by section.
 */

const HEAD = 6_000;
/** These begin a formula in a spreadsheet, or hide one. */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell: texts that could be taken for a formula get an apostrophe, which spreadsheets take for the sign of a text. */
export function csvCell(value: unknown): string {
  const text = textOf(value);
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv: AnswerFormat = {
  room: ANSWER_CHARACTERS - HEAD,
  figuresTake: (figures) => figures.reduce((sum, { name, counts }) => sum + name.length + counts.length + 60, 0),
  sectionTakes: () => 0,
  rowTakes: (section, row, people) =>
    JSON.stringify(lineOf(columnsOf([section]), section.name, row, people)).length + 40,
  personTakes: () => 0,
  write: (head, page) => ({ content: linesOf(head, page).join(''), ...cutRows(page) }),
};

const FIGURES: readonly Column[] = ['name', 'value', 'counts'].map((field) => ({ field, title: field }));

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
    `${['section', ...columns.flatMap(namesOf)].map(csvCell).join(',')}\r\n`,
    ...factsOf(head).map((row) => lineOf(columns, 'report', row, people)),
    ...figures.map((figure: Figure) => lineOf(columns, 'figures', { ...figure }, people)),
    ...rows,
  ];
}

/** What the file is, in its first rows. */
function factsOf({ title, organization, inputs, as_of, position, today, digest }: Head): Row[] {
  const facts = { title, organization: organization.name, ...inputs, as_of, position, today, digest };
  return Object.entries(facts).map(([name, value]) => ({ name, value }));
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
  return person ? [field.replace(/_id$/, ''), field] : [field];
}

function lineOf(columns: readonly Column[], section: string, row: Row, people: People): string {
  const cells = columns.flatMap(({ field, person }) => {
    const value = valueAt(row, field);
    return person ? [people.get(String(value)), value] : [value];
  });
  return `${[section, ...cells].map(csvCell).join(',')}\r\n`;
}
