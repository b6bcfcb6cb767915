/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

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
