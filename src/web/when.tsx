/** @jsxRuntime automatic @jsxImportSource preact */

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A day, such as 3 Mar 2026. @param at an instant, ISO 8601 */
export function Day({ at }: { at: string }) {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>;
}

/** A moment, such as 3 Mar 2026, 09:00 UTC: pages are the same for everybody. @param at an instant, ISO 8601 */
export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{MINUTE.format(new Date(at))} UTC</time>;
}
