/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

/** Says what an element is although it is that already: style sheets that stack a table take it away in some browsers. */
const as = (role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'rowheader' | 'cell') => ({ role });

/**
 * A table that scrolls inside itself where it is too wide; on a telephone its rows are stacked. A row's first cell is
 * its heading.
 */
export function Table(props: {
  caption: string;
  head: readonly string[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="scroll" aria-label={props.caption} tabIndex={0}>
      <table {...as('table')}>
        <caption>{props.caption}</caption>
        <thead {...as('rowgroup')}>
          <tr {...as('row')}>
            {props.head.map((title) => (
              <th key={title} scope="col" {...as('columnheader')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...as('rowgroup')}>
          {props.rows.map(({ key, cells: [first, ...rest] }) => (
            <tr key={key} {...as('row')}>
              <th scope="row" {...as('rowheader')}>
                {first}
              </th>
              {rest.map((cell, at) => (
                <td key={props.head[at + 1]} {...as('cell')} data-label={props.head[at + 1]}>
                  {/* One box, so that what stands beside the label stays together. */}
                  <div>{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Text to be copied as it stands; the button shows itself where the script runs. */
export function CopyBlock({ id, text, secret = false }: { id: string; text: string; secret?: boolean }) {
  return (
    <div class="copy">
      <pre id={id} class={secret ? 'secret' : undefined}>
        {text}
      </pre>
      <button type="button" class="quiet" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

/** Names with their values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** A point in time, to the minute; told in full where it matters to a machine. */
export function Moment({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>;
  return <time dateTime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>;
}

export function Day({ at }: { at: string }) {
  return <time dateTime={at}>{at.slice(0, 10)}</time>;
}
