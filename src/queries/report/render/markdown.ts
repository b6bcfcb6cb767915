import { cutText } from '../../../projections/text.ts';
import type { AnswerFormat, Head, Page, Part, People } from '../page.ts';
import type { Column, Figure, Row, Section } from '../report-type.ts';
import { cellOf, figureCells, figureHeads, valueAt } from './cells.ts';
import { cutRows } from './json.ts';
import { tokensAtMost } from './tokens.ts';

/** Tokens that an assistant reads at most, without what stands around the tables. */
const ROOM = 19_000;
/** Prose is cut at so many characters: the other formats have it whole. */
const PROSE = 160;
/** What could be taken for markup rather than for data. */
const MARKUP = /[\\`*[\]<>|&~]/g;

/** A text of the register's as Markdown shows it literally, on one line. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(MARKUP, '\\$&')
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`);
}

/** The report as an assistant or a person reads it: tables of what matters most. */
export const markdown: AnswerFormat = {
  room: ROOM,
  figuresTake: (figures) => figures.reduce((sum, figure) => sum + tokensAtMost(figureLine(figure)), 0),
  sectionTakes: (section) => tokensAtMost(headings(section)) + 60,
  rowTakes: (section, row, people) => (section.grid ? 12 : tokensAtMost(lineOf(section, row, people))),
  personTakes: () => 0,
  write: (head, page) => ({ content: write(head, page), ...cutRows(page) }),
};

function write(head: Head, page: Page): string {
  const blocks = [
    headOf(head, page),
    ...(page.figures.length > 0 ? [figureTable(page.figures)] : []),
    ...page.parts.filter(({ rows, left }) => rows.length > 0 || left === 0).map((part) => partOf(part, page.people)),
    ...leftOut(page),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function headOf(
  { title, organization, inputs, as_of, position, today, digest, incomplete, proof, pending_seal }: Head,
  page: Page,
): string {
  const facts = [
    `Organization: ${escaped(organization.name ?? organization.id)}`,
    `Position ${position} of its history${as_of === null ? '' : `, ${as_of}`}; today is ${today}`,
    ...Object.entries(inputs).map(([name, value]) => `${name}: ${escaped(String(value))}`),
    `Digest: ${digest}`,
    ...(pending_seal ? ['Seal: none covers this position yet; ask again later for the proof'] : []),
    ...(proof ? ['Seal: format JSON has the proof that this position is in it'] : []),
    ...(incomplete ? ['Incomplete: an event of the organization could not be read, so something may lack.'] : []),
  ];
  return [`# ${title}${page.continued ? ', continued' : ''}`, facts.map((fact) => `- ${fact}`).join('\n')].join('\n\n');
}

function figureTable(figures: readonly Figure[]): string {
  const titles = ['Figure', ...figureHeads(figures)];
  return ['## Figures', '', ...tableHead(titles), ...figures.map(figureLine)].join('\n');
}

const figureLine = (figure: Figure): string => tableLine([figure.counts, ...figureCells(figure)]);

function partOf(part: Part, people: People): string {
  const { section, rows, first, left } = part;
  if (rows.length === 0) return `## ${section.title}\n\nNone.`;
  const some = first > 0 || left > 0;
  const which = some ? ` (${first + 1} to ${first + rows.length} of ${first + rows.length + left})` : '';
  const table = section.grid ? gridOf(section.grid, rows) : tableOf(section, rows, people);
  return [`## ${section.title}${which}`, '', ...table].join('\n');
}

/** Columns that are empty on this page are left out: they tell nothing, and take room. */
function tableOf(section: Section, rows: readonly Row[], people: People): string[] {
  const columns = shownOf(section).filter((column) => rows.some((row) => cellOf(row, column, people) !== ''));
  const used = { ...section, columns };
  return [headings(used), ...rows.map((row) => lineOf(used, row, people))];
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

const shownOf = ({ columns }: Section): readonly Column[] => columns.filter(({ detail }) => !detail);

const headings = (section: Section): string => tableHead(shownOf(section).map(({ title }) => title)).join('\n');

function tableHead(titles: readonly string[]): string[] {
  return [tableLine(titles), `|${'---|'.repeat(titles.length)}`];
}

function lineOf(section: Section, row: Row, people: People): string {
  return tableLine(
    shownOf(section).map((column) => {
      const text = cellOf(row, column, people);
      return escaped(column.prose ? cutText(text, PROSE) : text);
    }),
  );
}

const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** What is not on this page, and how to get it. */
function leftOut({ sections, parts, next }: Page): string[] {
  const left = parts.flatMap(({ section, left }) => (left > 0 ? [`${left} of ${section.title}`] : []));
  const columns = sections.some((section) => section.columns.some(({ prose, detail }) => prose || detail));
  const notes = [
    ...(next === null
      ? []
      : [`Left out: ${left.join(', ')}. Call getReport again with next_cursor as cursor for the next.`]),
    ...(columns ? ['Long texts are cut and some columns left out: format JSON or CSV has them all.'] : []),
  ];
  return notes.length === 0 ? [] : [`---\n\n${notes.join('\n')}`];
}
