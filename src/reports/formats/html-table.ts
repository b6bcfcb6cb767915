import { escapeMarkup } from '../charts/plot.ts';
import type { NamesByKey, SectionPart } from '../pages/report-page.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import { type CellStyle, cellText, columnHeading, groupText } from './cells.ts';
import { textMarkup } from './html-text.ts';

/** Texts that must not break at the end of a line: dates, times, states, short names. */
const SHORT_WORD = /^(?:[\p{L}\p{N}_.-]{1,20}|\d{4}-\d\d-\d\d \d\d:\d\d)$/u;

/** Characters. Longer names of people may break at the end of a line. */
const SHORT_NAME_LENGTH = 18;

const styleOf = (people: NamesByKey): CellStyle => ({ people, codesInWords: true, toTheMinute: true });

/** Returns a section with all fields of its rows. */
export function sectionHtml(part: SectionPart, index: number, people: NamesByKey, plot: string): string {
  const { section, rows } = part;
  const note = section.note === undefined ? '' : `<p class="note">${escapeMarkup(section.note)}</p>`;
  // The plot of a grid replaces its table: it has the same numbers, also in words.
  const table = section.grid && plot ? '' : rowsOf(part, styleOf(people));
  const content = rows.length === 0 ? '<p class="muted">None.</p>' : `${plot}${table}`;
  const apart = section.group && rows.length > 0 ? ' class="apart"' : '';
  return `<section${apart}><h2 id="section-${index}">${escapeMarkup(section.title)}</h2>${note}${content}</section>`;
}

/** Returns the number of columns of a section's table. */
export function columnCount(part: SectionPart, people: NamesByKey): number {
  return visibleColumns(part, styleOf(people)).columns.length;
}

/** The columns of the table, and those written below each row: details and ids, which need too much width. */
interface VisibleColumns {
  columns: ReportColumn[];
  below: ReportColumn[];
}

function visibleColumns({ section: { columns, group = [] }, rows }: SectionPart, style: CellStyle): VisibleColumns {
  const filled = columns.filter(
    (column) => !group.includes(column) && rows.some((row) => cellText(row, column, style) !== ''),
  );
  const isBelow = (column: ReportColumn) => column.detail === true || isTechnical(column);
  return { columns: filled.filter((column) => !isBelow(column)), below: filled.filter(isBelow) };
}

const isTechnical = ({ kind }: ReportColumn): boolean => kind === 'TECHNICAL';

function rowsOf(part: SectionPart, style: CellStyle): string {
  const { section, rows } = part;
  const visible = visibleColumns(part, style);
  const numbers = visible.columns.filter((column) => isNumber(column, rows));
  const classOf = (column: ReportColumn, text = '') => classNames(column, numbers.includes(column), text);
  const head = visible.columns.map(
    (column) => `<th scope="col"${classOf(column)}>${escapeMarkup(columnHeading(column))}</th>`,
  );
  const bodies = rows.map((row, at) => {
    const group = groupText(section.group, row, rows[at - 1], style);
    const span = visible.columns.length;
    const above = group && `<tr class="group"><th scope="colgroup" colspan="${span}">${escapeMarkup(group)}</th></tr>`;
    return `<tbody>${above ?? ''}${lineOf(visible.columns, row, style, classOf)}${belowOf(visible, row, style)}</tbody>`;
  });
  return tableHtml(section.title, head.join(''), bodies);
}

const isNumber = (column: ReportColumn, rows: readonly ReportRow[]): boolean =>
  rows.every((row) => ['number', 'undefined'].includes(typeof valueAt(row, column.field)));

function lineOf(
  columns: readonly ReportColumn[],
  row: ReportRow,
  style: CellStyle,
  classOf: (column: ReportColumn, text: string) => string,
): string {
  const cells = columns.map((column, at) => {
    const text = cellText(row, column, style);
    const tag = at === 0 ? 'th scope="row"' : 'td';
    return `<${tag}${classOf(column, text)}>${column.prose ? textMarkup(text) : escapeMarkup(text)}</${tag.slice(0, 2)}>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

/** Returns a row's details and ids, each with its name. Ids are not printed. */
function belowOf({ columns, below }: VisibleColumns, row: ReportRow, style: CellStyle): string {
  const details = below.flatMap((column) => {
    const text = cellText(row, column, style);
    if (text === '') return [];
    const kind = isTechnical(column) ? ' class="id"' : column.kind === 'ALARM' ? ' class="alarm"' : '';
    const markup =
      column.kind === 'ALARM'
        ? escapeMarkup(column.title)
        : `<b>${escapeMarkup(columnHeading(column))}</b> ${textMarkup(text)}`;
    return [{ text: `<span${kind}>${markup}</span>`, isPrinted: !isTechnical(column) }];
  });
  if (details.length === 0) return '';
  const screen = details.some(({ isPrinted }) => isPrinted) ? '' : ' screen';
  const content = details.map(({ text }) => text).join(' ');
  return `<tr class="below${screen}"><td colspan="${columns.length}"><div>${content}</div></td></tr>`;
}

function classNames({ field, prose, kind, person }: ReportColumn, number: boolean, text: string): string {
  if (prose) return ' class="prose"';
  if (number) return ' class="number"';
  if (kind === 'ALARM') return text === '' ? '' : ' class="alarm"';
  if (SHORT_WORD.test(text) || (person && text.length <= SHORT_NAME_LENGTH)) return ' class="word"';
  return field.endsWith('name') ? ' class="name"' : '';
}

/** Returns a table that scrolls by itself in a narrow window. @param bodies `tbody` elements of rows that belong together */
export function tableHtml(caption: string, head: string, bodies: readonly string[]): string {
  const name = escapeMarkup(caption);
  return [
    `<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table><caption>${name}</caption>`,
    `<thead><tr>${head}</tr></thead>${bodies.join('\n')}</table></div>`,
  ].join('');
}
