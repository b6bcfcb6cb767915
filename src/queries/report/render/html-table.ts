import { valueAt } from '../columns.ts';
import type { Part, People } from '../page.ts';
import { markupOf } from '../plots/plot.ts';
import type { Column, Row } from '../report-type.ts';
import { cellOf, groupText, headingOf, type Style } from './cells.ts';
import { textMarkup } from './html-text.ts';

/** What is not broken at the end of a line: dates and times, states, short names. */
const WORD = /^(?:[\p{L}\p{N}_.-]{1,20}|\d{4}-\d\d-\d\d \d\d:\d\d)$/u;

/** A person's name of so many characters isn't either. */
const NAME = 18;

const styleOf = (people: People): Style => ({ people, words: true, minutes: true });

/** A section with all that its rows say. */
export function sectionOf(part: Part, at: number, people: People, plot: string): string {
  const { section, rows } = part;
  const note = section.note === undefined ? '' : `<p class="note">${markupOf(section.note)}</p>`;
  // A grid is told by its plot, which says its numbers in words too.
  const table = section.grid && plot ? '' : rowsOf(part, styleOf(people));
  const content = rows.length === 0 ? '<p class="muted">None.</p>' : `${plot}${table}`;
  const apart = section.group && rows.length > 0 ? ' class="apart"' : '';
  return `<section${apart}><h2 id="section-${at}">${markupOf(section.title)}</h2>${note}${content}</section>`;
}

/** How many columns a section's table has. */
export function widthOf(part: Part, people: People): number {
  return shownOf(part, styleOf(people)).columns.length;
}

/** What has a column, and what stands below a row: details, and ids, for which no line has room. */
interface Shown {
  columns: Column[];
  below: Column[];
}

function shownOf({ section: { columns, group = [] }, rows }: Part, style: Style): Shown {
  const told = columns.filter(
    (column) => !group.includes(column) && rows.some((row) => cellOf(row, column, style) !== ''),
  );
  const isBelow = (column: Column) => column.detail === true || isTechnical(column);
  return { columns: told.filter((column) => !isBelow(column)), below: told.filter(isBelow) };
}

const isTechnical = ({ kind }: Column): boolean => kind === 'TECHNICAL';

function rowsOf(part: Part, style: Style): string {
  const { section, rows } = part;
  const shown = shownOf(part, style);
  const numbers = shown.columns.filter((column) => isNumber(column, rows));
  const classOf = (column: Column, text = '') => classNames(column, numbers.includes(column), text);
  const head = shown.columns.map((column) => `<th scope="col"${classOf(column)}>${markupOf(headingOf(column))}</th>`);
  const bodies = rows.map((row, at) => {
    const group = groupText(section.group, row, rows[at - 1], style);
    const span = shown.columns.length;
    const above = group && `<tr class="group"><th scope="colgroup" colspan="${span}">${markupOf(group)}</th></tr>`;
    return `<tbody>${above ?? ''}${lineOf(shown.columns, row, style, classOf)}${belowOf(shown, row, style)}</tbody>`;
  });
  return tableOf(section.title, head.join(''), bodies);
}

const isNumber = (column: Column, rows: readonly Row[]): boolean =>
  rows.every((row) => ['number', 'undefined'].includes(typeof valueAt(row, column.field)));

function lineOf(
  columns: readonly Column[],
  row: Row,
  style: Style,
  classOf: (column: Column, text: string) => string,
): string {
  const cells = columns.map((column, at) => {
    const text = cellOf(row, column, style);
    const tag = at === 0 ? 'th scope="row"' : 'td';
    return `<${tag}${classOf(column, text)}>${column.prose ? textMarkup(text) : markupOf(text)}</${tag.slice(0, 2)}>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

/** What else is known of a row, each by its name; for what is technical nobody reads paper. */
function belowOf({ columns, below }: Shown, row: Row, style: Style): string {
  const told = below.flatMap((column) => {
    const text = cellOf(row, column, style);
    if (text === '') return [];
    const kind = isTechnical(column) ? ' class="id"' : column.kind === 'ALARM' ? ' class="alarm"' : '';
    const told =
      column.kind === 'ALARM' ? markupOf(column.title) : `<b>${markupOf(headingOf(column))}</b> ${textMarkup(text)}`;
    return [{ text: `<span${kind}>${told}</span>`, paper: !isTechnical(column) }];
  });
  if (told.length === 0) return '';
  const screen = told.some(({ paper }) => paper) ? '' : ' screen';
  const content = told.map(({ text }) => text).join(' ');
  return `<tr class="below${screen}"><td colspan="${columns.length}"><div>${content}</div></td></tr>`;
}

function classNames({ field, prose, kind, person }: Column, number: boolean, text: string): string {
  if (prose) return ' class="prose"';
  if (number) return ' class="number"';
  if (kind === 'ALARM') return text === '' ? '' : ' class="alarm"';
  if (WORD.test(text) || (person && text.length <= NAME)) return ' class="word"';
  return field.endsWith('name') ? ' class="name"' : '';
}

/** A table that a narrow window scrolls by itself. @param bodies rows that belong together, each in a `tbody` */
export function tableOf(caption: string, head: string, bodies: readonly string[]): string {
  const name = markupOf(caption);
  return [
    `<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table><caption>${name}</caption>`,
    `<thead><tr>${head}</tr></thead>${bodies.join('\n')}</table></div>`,
  ].join('');
}
