import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SectionPart } from '../pages/report-page.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { escapeHtml } from './escape-html.ts';
import { cellText, columnHeading, groupText } from './report-text.ts';
import { isTechnical, type TableLayout, textClass } from './table-layout.ts';

/* Rows are written as text, not as elements: a report may have 100,000 rows, and elements took twice the time. */

/** Rows that are rendered at a time. Other requests run in between. */
const ROWS_PER_BATCH = 250;
/** Characters. A shorter detail stays with its name at the end of a line. */
const SHORT_DETAIL_LENGTH = 20;

/**
 * Returns the rows of a section as HTML.
 * @throws the signal's reason if it is aborted
 */
export async function renderRows(
  part: SectionPart,
  layout: TableLayout,
  signal: AbortSignal | undefined,
): Promise<string> {
  let html = '';
  for (let first = 0; first < part.rows.length; first += ROWS_PER_BATCH) {
    html += rowBatch(part, layout, first);
    await nextTurn();
    signal?.throwIfAborted();
  }
  return html;
}

/** Returns some rows. Joining an array also makes one flat string of them, which is faster to copy than its parts. */
function rowBatch({ section, rows }: SectionPart, layout: TableLayout, first: number): string {
  const batch = rows.slice(first, first + ROWS_PER_BATCH).map((row, index) => {
    const group = groupText(section.group, row, rows[first + index - 1], layout.style);
    return rowBody(layout, row, group);
  });
  return batch.join('');
}

/** Returns a row of the report, with its group above and its details below. */
function rowBody(layout: TableLayout, row: ReportRow, group: string | null): string {
  const cells = layout.columns.map(({ column, cellClass }, index) => {
    const text = cellText(row, column, layout.style);
    const classAttribute = classOf(cellClass ?? textClass(column, text));
    const content = column.prose ? richText(text) : escapeHtml(text);
    // A heading must have a text: some risks have no reference.
    return index === 0 && text !== ''
      ? `<th scope="row"${classAttribute}>${content}</th>`
      : `<td${classAttribute}>${content}</td>`;
  });
  const groupHtml = group === null ? '' : groupRow(layout.columns.length, group);
  return `<tbody>${groupHtml}<tr>${cells.join('')}</tr>${detailsRow(layout, row)}</tbody>`;
}

/** Returns a heading above rows that belong together. */
export function groupRow(columns: number, text: string): string {
  return `<tr class="group"><th scope="colgroup" colspan="${columns}">${escapeHtml(text)}</th></tr>`;
}

/** Returns a row's details and ids, each with its name. Ids are not printed. */
function detailsRow({ columns, below, style }: TableLayout, row: ReportRow): string {
  let details = '';
  let isPrinted = false;
  for (const column of below) {
    const text = cellText(row, column, style);
    if (text === '') continue;
    // The space is where a line may end: without it a word would break.
    details += `${details && ' '}${detail(column, text)}`;
    isPrinted ||= !isTechnical(column);
  }
  if (details === '') return '';
  const rowClass = isPrinted ? 'below' : 'below screen';
  return `<tr class="${rowClass}"><td colspan="${columns.length}"><div>${details}</div></td></tr>`;
}

function detail(column: ReportColumn, text: string): string {
  if (column.kind === 'ALARM') return `<span class="alarm">${escapeHtml(column.title)}</span>`;
  const spanClass = isTechnical(column) ? 'id' : text.length <= SHORT_DETAIL_LENGTH ? 'word' : undefined;
  return `<span${classOf(spanClass)}><b>${escapeHtml(columnHeading(column))}</b> ${richText(text)}</span>`;
}

/** Returns an attribute with one of our own class names, which need no escaping. */
const classOf = (name: string | undefined): string => (name === undefined ? '' : ` class="${name}"`);

const DAY = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)/;
const EXPIRED = /(\(expired \d{4}-\d\d-\d\d\))/;

/** Returns a text in which dates don't break at the end of a line, and expired evidence stands out. */
export function richText(text: string): string {
  if (!DAY.test(text)) return escapeHtml(text);
  const parts = text.split(EXPIRED).map((part, index) => {
    const html = withoutBreaks(part);
    return index % 2 === 1 ? `<span class="alarm">${html}</span>` : html;
  });
  return parts.join('');
}

function withoutBreaks(text: string): string {
  const parts = text
    .split(DAY)
    .map((part, index) => (index % 2 === 1 ? `<span class="word">${part}</span>` : escapeHtml(part)));
  return parts.join('');
}
