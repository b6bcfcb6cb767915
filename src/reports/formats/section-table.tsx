/** @jsxRuntime automatic @jsxImportSource preact */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import type { NamesByKey, SectionPart } from '../pages/report-page.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import { type CellStyle, cellText, columnHeading, groupText } from './report-text.ts';

/** Texts that must not break at the end of a line: dates, times, states, short names. */
const SHORT_WORD = /^(?:[\p{L}\p{N}_.-]{1,20}|\d{4}-\d\d-\d\d \d\d:\d\d)$/u;
/** Characters. Longer names of people may break at the end of a line. */
const SHORT_NAME_LENGTH = 18;
/** Characters. A shorter detail stays with its name at the end of a line. */
const SHORT_DETAIL_LENGTH = 20;
/** Rows that are rendered at a time. Other requests run in between. */
const ROWS_PER_BATCH = 250;
/** Control characters, except tabs and line ends. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

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
  style: CellStyle;
}

/** Decides which columns of a section have a value, and where they are written. */
export function layOutTable({ section: { columns, group = [] }, rows }: SectionPart, people: NamesByKey): TableLayout {
  const style: CellStyle = { people, codesInWords: true, toTheMinute: true };
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

const isTechnical = ({ kind }: ReportColumn): boolean => kind === 'TECHNICAL';

const isNumber = (column: ReportColumn, rows: readonly ReportRow[]): boolean =>
  rows.every((row) => ['number', 'undefined'].includes(typeof valueAt(row, column.field)));

/**
 * Renders the rows of a section as markup, in batches: a report may have 100,000 rows.
 * @throws the signal's reason if it is aborted
 */
export async function renderRows(
  part: SectionPart,
  layout: TableLayout,
  signal: AbortSignal | undefined,
): Promise<string> {
  let markup = '';
  for (let first = 0; first < part.rows.length; first += ROWS_PER_BATCH) {
    markup += renderMarkup(<RowBatch part={part} layout={layout} first={first} />);
    await nextTurn();
    signal?.throwIfAborted();
  }
  return markup;
}

/** The table of a section. @param rows as `renderRows` rendered them */
export function SectionTable({ caption, layout, rows }: { caption: string; layout: TableLayout; rows: string }) {
  const headings = layout.columns.map(({ column, heading, cellClass }) => (
    <th key={column.field} scope="col" class={cellClass ?? textClass(column, '')}>
      {heading}
    </th>
  ));
  return (
    <ScrollTable caption={caption} headings={headings}>
      <Rendered markup={rows} />
    </ScrollTable>
  );
}

function RowBatch({ part, layout, first }: { part: SectionPart; layout: TableLayout; first: number }) {
  const { section, rows } = part;
  return rows.slice(first, first + ROWS_PER_BATCH).map((row, index) => {
    const group = groupText(section.group, row, rows[first + index - 1], layout.style);
    return <RowBody layout={layout} row={row} group={group} />;
  });
}

/** A row of the report, with its group above and its details below. */
function RowBody({ layout, row, group }: { layout: TableLayout; row: ReportRow; group: string | null }) {
  const { columns, style } = layout;
  return (
    <tbody>
      {group !== null && <GroupRow columns={columns.length}>{group}</GroupRow>}
      <tr>
        {columns.map(({ column, cellClass }, index) => {
          const text = cellText(row, column, style);
          const content = column.prose ? <RichText text={text} /> : text;
          const className = cellClass ?? textClass(column, text);
          return index === 0 ? (
            <th scope="row" class={className}>
              {content}
            </th>
          ) : (
            <td class={className}>{content}</td>
          );
        })}
      </tr>
      <DetailsRow layout={layout} row={row} />
    </tbody>
  );
}

/** A row's details and ids, each with its name. Ids are not printed. */
function DetailsRow({ layout: { columns, below, style }, row }: { layout: TableLayout; row: ReportRow }) {
  const details = below.flatMap((column) => {
    const text = cellText(row, column, style);
    return text === '' ? [] : [{ column, text }];
  });
  if (details.length === 0) return null;
  const isPrinted = details.some(({ column }) => !isTechnical(column));
  return (
    <tr class={isPrinted ? 'below' : 'below screen'}>
      <td colspan={columns.length}>
        <div>
          {details.map(({ column, text }) => (
            <Detail key={column.field} column={column} text={text} />
          ))}
        </div>
      </td>
    </tr>
  );
}

function Detail({ column, text }: { column: ReportColumn; text: string }) {
  if (column.kind === 'ALARM') return <span class="alarm">{column.title}</span>;
  return (
    <span class={isTechnical(column) ? 'id' : text.length <= SHORT_DETAIL_LENGTH ? 'word' : undefined}>
      <b>{columnHeading(column)}</b> <RichText text={text} />
    </span>
  );
}

/** Returns the class of a cell that is neither prose nor a number. */
function textClass({ field, kind, person }: ReportColumn, text: string): string | undefined {
  if (kind === 'ALARM') return text === '' ? undefined : 'alarm';
  if (SHORT_WORD.test(text) || (person && text.length <= SHORT_NAME_LENGTH)) return 'word';
  return field.endsWith('name') ? 'name' : undefined;
}

/** A table that scrolls by itself in a narrow window. */
export function ScrollTable(props: { caption: string; headings: ComponentChildren; children: ComponentChildren }) {
  const { caption, headings, children } = props;
  return (
    <section class="scroll" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>{headings}</tr>
        </thead>
        {children}
      </table>
    </section>
  );
}

/** A heading above rows that belong together. */
export function GroupRow({ columns, children }: { columns: number; children: ComponentChildren }) {
  return (
    <tr class="group">
      <th scope="colgroup" colspan={columns}>
        {children}
      </th>
    </tr>
  );
}

const DAY = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)/;
const EXPIRED = /(\(expired \d{4}-\d\d-\d\d\))/;

/** A text in which dates don't break at the end of a line, and expired evidence stands out. */
export function RichText({ text }: { text: string }) {
  if (!DAY.test(text)) return text;
  return (
    <>
      {text
        .split(EXPIRED)
        .map((part, index) =>
          index % 2 === 1 ? <span class="alarm">{withoutBreaks(part)}</span> : withoutBreaks(part),
        )}
    </>
  );
}

const withoutBreaks = (text: string) =>
  text.split(DAY).map((part, index) => (index % 2 === 1 ? <span class="word">{part}</span> : part));

/**
 * Renders an element. Control characters, which no document may contain, are replaced by U+FFFD. The replacement also
 * joins the fragments of the markup to one string, so that a long report is rendered in a third less time.
 */
export function renderMarkup(element: VNode): string {
  return renderToString(element).replace(CONTROLS, '\uFFFD');
}

/** Inserts markup that was rendered before, or a style sheet. It is not escaped again. */
export function Rendered({ markup }: { markup: string }): VNode {
  return jsxTemplate([markup]);
}
