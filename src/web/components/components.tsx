import type { ComponentChildren } from 'preact';
import { dayText, isDay, momentText } from '../texts/dates.ts';

/** Repeats the role that a table's element has by itself. Some browsers drop it when a style sheet stacks the table. */
export const tableRole = (role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'rowheader' | 'cell') => ({ role });

/** A heading of a table: a text, or more with a text or day that stands beside the cells on a phone. */
export type TableHeading =
  | string
  | { text: string; content: ComponentChildren; day?: string; sort?: 'ascending' | 'descending' | undefined };

/**
 * A table that scrolls inside its own box if it is too wide. On a phone its rows are stacked. The first cell is the row's
 * heading.
 */
export function Table(props: {
  caption: string;
  head: readonly TableHeading[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
}) {
  const headings: Exclude<TableHeading, string>[] = props.head.map((heading) =>
    typeof heading === 'string' ? { text: heading, content: heading } : heading,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="scroll" aria-label={props.caption} tabIndex={0}>
      <table {...tableRole('table')}>
        <caption>{props.caption}</caption>
        <thead {...tableRole('rowgroup')}>
          <tr {...tableRole('row')}>
            {headings.map(({ text, content, sort }) => (
              <th key={text} scope="col" aria-sort={sort} {...tableRole('columnheader')}>
                {content}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...tableRole('rowgroup')}>
          {props.rows.map(({ key, cells: [first, ...rest] }) => (
            <tr key={key} {...tableRole('row')}>
              <th scope="row" {...tableRole('rowheader')}>
                {first}
              </th>
              {rest.map((cell, at) => (
                <td
                  key={headings[at + 1]?.text}
                  {...tableRole('cell')}
                  data-label={headings[at + 1]?.text}
                  data-day={headings[at + 1]?.day}
                >
                  {/* One box keeps the cell together beside its label on a phone. */}
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

/**
 * A text to copy. The script shows the button.
 * @param props.isMain copying is what the page is for
 */
export function CopyBlock(props: { id: string; text: string; secret?: boolean; isMain?: boolean }) {
  const { id, text, secret = false, isMain = false } = props;
  return (
    <div class="copy">
      <pre id={id} class={secret ? 'secret' : undefined}>
        {text}
      </pre>
      <button type="button" class={isMain ? undefined : 'quiet'} data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

/** A list of names with values. */
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

/** Characters of a digest that tell it apart at a glance. */
const SHORT_LENGTH = 8;

/** A digest in short. It is opened for comparing it with another. @param props.of the data that it covers */
export function Digest({ of, digest }: { of: string; digest: string }) {
  return (
    <details class="digest">
      <summary>
        <span>
          Digest of {of}: <code>{digest.slice(0, SHORT_LENGTH)}…</code>
        </span>
      </summary>
      <code>{digest}</code>
    </details>
  );
}

/*
 * Dates and times. The server writes them in UTC. The script local-time.js shows those with `data-local` in the reader's
 * language and zone, with the exact time in UTC on hover.
 */

/** A point in time in figures, for tables of settings. */
export function Timestamp({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>;
  return (
    <time dateTime={at} data-local="time">
      {`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}
    </time>
  );
}

/** A date in words. It is the same day in every zone. */
export function LongDay({ at }: { at: string }) {
  return (
    <time dateTime={at.slice(0, 10)} data-local="date">
      {dayText(at)}
    </time>
  );
}

/** The day of a point in time, which depends on the reader's zone. */
export function DayOf({ at }: { at: string }) {
  return (
    <time dateTime={at} data-local="day">
      {dayText(at)}
    </time>
  );
}

/** A point in time in words. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} data-local="time">
      {momentText(at)}
    </time>
  );
}

/** Returns a heading with a day. */
export function dayHeading(day: string): TableHeading {
  return { text: dayText(day), content: <LongDay at={day} />, day };
}

/** A moment of the register: a day, or a point in time. */
export function MomentTime({ at }: { at: string }) {
  return isDay(at) ? <LongDay at={at} /> : <ExactTime at={at} />;
}
