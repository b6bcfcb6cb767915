import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import { type TableLayout, textClass } from './table-layout.ts';
import { groupRow, richText } from './table-rows.ts';

/** Control characters, except tabs and line ends. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

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
export function GroupRow({ columns, text }: { columns: number; text: string }) {
  return <Rendered markup={groupRow(columns, text)} />;
}

/** A text in which dates don't break at the end of a line, and expired evidence stands out. */
export function RichText({ text }: { text: string }) {
  return <Rendered markup={richText(text)} />;
}

/** Renders an element. Control characters, which no document may contain, are replaced by U+FFFD. */
export function renderMarkup(element: VNode): string {
  return renderToString(element).replace(CONTROLS, '\uFFFD');
}

/** Inserts markup that was rendered before, or a style sheet. It is not escaped again. */
export function Rendered({ markup }: { markup: string }): VNode {
  return jsxTemplate([markup]);
}
