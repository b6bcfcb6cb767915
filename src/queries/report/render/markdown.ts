import { cutText } from '../../../projections/text.ts';
import { valueAt } from '../columns.ts';
import type { AnswerFormat, Format, Head, Page, Part, People } from '../page.ts';
import type { Column, Figure, Row, Section } from '../report-type.ts';
import { cellOf, groupText, headingOf, type Style } from './cells.ts';
import { factsOf, INCOMPLETE } from './head.ts';
import { cutRows } from './json.ts';
import { escaped } from './markdown-text.ts';
import { tokensAtMost } from './tokens.ts';
import { figureCells, figureHeads, figureText, groupsOf, sinceText } from './words.ts';

/** Tokens that an assistant reads at most, but for those of a summary, of a digest and the like, and of what is said at the end. */
const ROOM = 20_000 - 900;
/** Prose is cut at so many characters in an answer. */
const PROSE = 160;

const styleOf = (people: People): Style => ({ people, minutes: true });

/** What of a section is told: in an answer what matters most, in a file all. */
interface Depth {
  columns(part: Part, style: Style): readonly Column[];
  prose(text: string): string;
}

/** Those that any row can have, so that they are the same on each page. */
const brief = ({ columns, group = [] }: Section): Column[] =>
  columns.filter((column) => !column.detail && !group.includes(column));

const ANSWER: Depth = {
  columns: ({ section }) => brief(section),
  prose: (text) => cutText(text, PROSE),
};

const FILE: Depth = {
  columns: ({ section: { columns, group = [] }, rows }, style) =>
    columns.filter((column) => !group.includes(column) && rows.some((row) => cellOf(row, column, style) !== '')),
  prose: (text) => text,
};

/** The report as an assistant or a person reads it: tables of what matters most. */
export const markdown: AnswerFormat = {
  room: ROOM,
  headTakes: ({ title, organization, about }) => {
    const facts = [{ label: organization.name ?? organization.id, value: title }, ...about];
    return tokensAtMost(facts.map(({ label, value }) => `- ${label}: ${escaped(value)}\n`).join(''));
  },
  figuresTake: (figures) => tokensAtMost(figureTable(figures)),
  sectionTakes: (section) => tokensAtMost(headings(brief(section)) + (section.note ?? '')) + 60,
  rowTakes: (section, row, people, before) => {
    if (section.grid) return 12;
    return tokensAtMost(linesOf(section, brief(section), row, before, styleOf(people), ANSWER).join('\n')) + 1;
  },
  personTakes: () => 0,
  write: (head, page) => ({ content: write(head, page, ANSWER), ...cutRows(head, page) }),
};

/** The same as a file, which has room for everything. */
export const markdownFile: Format = { write: (head, page) => ({ content: write(head, page, FILE) }) };

function write(head: Head, page: Page, depth: Depth): string {
  const blocks = [
    headOf(head, page),
    ...(page.summary.length > 0 ? [summaryOf(page.summary)] : []),
    ...(page.figures.length > 0 ? [figureTable(page.figures)] : []),
    ...page.parts
      .filter(({ rows, left }) => rows.length > 0 || left === 0)
      .map((part) => partOf(part, styleOf(page.people), depth)),
    ...(depth === ANSWER ? leftOut(page) : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function headOf(head: Head, page: Page): string {
  const { title, organization, incomplete } = head;
  const facts = [
    { label: 'Organization', value: organization.name ?? organization.id },
    ...factsOf(head, page.people),
  ].map(({ label, value }) => `- ${label}: ${escaped(value)}`);
  const heading = `# ${escaped(title)}${page.continued ? ', continued' : ''}`;
  return [heading, [...facts, ...(incomplete ? [`- ${INCOMPLETE}`] : [])].join('\n')].join('\n\n');
}

/** What matters most in a few lines, with what has changed since the nearest of the days looked at. */
function summaryOf(summary: readonly Figure[]): string {
  const lines = summary.map((figure) => {
    const since = sinceText(figure);
    return `- ${escaped(`${figure.group}, ${figure.label.toLowerCase()}`)}: **${figureText(figure)}**${since === null ? '' : ` (${since})`}`;
  });
  return ['## Summary', '', ...lines].join('\n');
}

/** Figures below the headings of their groups, and what each counts. */
function figureTable(figures: readonly Figure[]): string {
  const lines = groupsOf(figures).flatMap(([heading, ofGroup]) => [`| **${heading}** |`, ...ofGroup.map(figureLine)]);
  return ['## Figures', '', ...tableHead(['Figure', ...figureHeads(figures), 'Counts']), ...lines].join('\n');
}

const figureLine = (figure: Figure): string =>
  tableLine([escaped(figure.label), ...figureCells(figure), figure.counts]);

function partOf(part: Part, style: Style, depth: Depth): string {
  const { section, rows, first, left } = part;
  const { title, note } = section;
  const notes = note === undefined ? [] : [escaped(note), ''];
  if (rows.length === 0) return [`## ${title}`, '', ...notes, 'None.'].join('\n');
  const some = first > 0 || left > 0;
  const which = some ? ` (${first + 1} to ${first + rows.length} of ${first + rows.length + left})` : '';
  const table = section.grid ? gridOf(section.grid, rows) : tableOf(part, style, depth);
  return [`## ${title}${which}`, '', ...notes, ...table].join('\n');
}

function tableOf(part: Part, style: Style, depth: Depth): string[] {
  const { section, rows } = part;
  const columns = depth.columns(part, style);
  return [headings(columns), ...rows.flatMap((row, at) => linesOf(section, columns, row, rows[at - 1], style, depth))];
}

/** A row, below what it has in common with those that follow where that begins. */
function linesOf(
  { group }: Section,
  columns: readonly Column[],
  row: Row,
  before: Row | undefined,
  style: Style,
  depth: Depth,
): string[] {
  const heading = groupText(group, row, before, style);
  const cells = columns.map((column) => {
    const text = cellOf(row, column, style);
    return escaped(column.prose ? depth.prose(text) : text);
  });
  return [...(heading === null ? [] : [`| **${escaped(heading)}** |`]), tableLine(cells)];
}

/** Rows as a grid: one dimension down, the other across. */
function gridOf([down, across, cell]: NonNullable<Section['grid']>, rows: readonly Row[]): string[] {
  const downs = [...new Set(rows.map((row) => row[down]))];
  const acrosses = [...new Set(rows.map((row) => row[across]))];
  const at = new Map(rows.map((row) => [`${row[down]} ${row[across]}`, valueAt(row, cell)]));
  const lines = downs.map((one) =>
    tableLine([`**${one}**`, ...acrosses.map((other) => String(at.get(`${one} ${other}`) ?? ''))]),
  );
  return [...tableHead([`${down} ↓ ${across} →`, ...acrosses.map(String)]), ...lines];
}

const headings = (columns: readonly Column[]): string => tableHead(columns.map(headingOf)).join('\n');

function tableHead(titles: readonly string[]): string[] {
  return [tableLine(titles), `|${'---|'.repeat(titles.length)}`];
}

const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** What is not on this page, and how to get it. */
function leftOut({ parts, next, people }: Page): string[] {
  const left = parts.flatMap(({ section, left }) => (left > 0 ? [`${left} of ${section.title}`] : []));
  const cut = parts.some((part) => part.rows.some((row) => isCut(part.section, row, styleOf(people))));
  const columns = parts.flatMap((part) => columnsLeftOut(part, styleOf(people)));
  const notes = [
    ...(next === null
      ? []
      : [`Left out: ${left.join(', ')}. Call getReport again with next_cursor as cursor for the next.`]),
    ...(cut ? [`Texts that end in … are cut at ${PROSE} characters: format JSON or CSV has them whole.`] : []),
    ...(columns.length > 0 ? [`Columns left out: ${columns.join('; ')}. Format JSON or CSV has them.`] : []),
  ];
  return notes.length === 0 ? [] : [`---\n\n${notes.join('\n')}`];
}

function isCut(section: Section, row: Row, style: Style): boolean {
  return !section.grid && brief(section).some((column) => column.prose && cellOf(row, column, style).length > PROSE);
}

/** Of a section's columns that an answer does not show those that say something here. */
function columnsLeftOut({ section, rows }: Part, style: Style): string[] {
  const hidden = section.columns.filter(({ detail }) => detail);
  const told = hidden.filter((column) => rows.some((row) => cellOf(row, column, style) !== ''));
  return told.length === 0 ? [] : [`${told.map(({ title }) => title).join(', ')} (${section.title})`];
}
