import { addDays } from '../../src/commands/engine/dates.ts';
import { controlIndex } from '../../src/commands/engine/ids.ts';
import { EXAMPLE_TODAY, exampleId, mapTexts } from '../../src/tools/schema/example.ts';

const ID = /^([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26,29}$/;
const PAGE_URL = /^https?:\/\/[^/]+\/organizations\//;
/** The ids and dates in a page's address. */
const PAGE_URL_PART = /[a-z]{3}_\w{26,29}|\d{4}-\d{2}-\d{2}/g;
const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}\.\d{3})Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const DAY_MS = 86_400_000;
/** Longer lists are cut, with an ellipsis. */
const MAX_LIST_ITEMS = 2;
const MAX_LINE_WIDTH = 100;

/** Returns a function that replaces ids, dates and times of the run on `today` by those that the reference shows. */
export function illustrator(today: string): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const exampleIdOf = (id: string, prefix: string) => {
    const existingId = ids.get(id);
    if (existingId !== undefined) return existingId;
    const index = counts.get(prefix) ?? 0;
    counts.set(prefix, index + 1);
    // Short, such as `vnd_…007`.
    const exampleText = exampleId(prefix, prefix === 'ctl' ? controlIndex(id) : index).replace(
      /(?<=^.{4}).*(?=.{3}$)/,
      '…',
    );
    ids.set(id, exampleText);
    return exampleText;
  };
  const dateOf = (date: string) => addDays(EXAMPLE_TODAY, (Date.parse(date) - Date.parse(today)) / DAY_MS);
  const toExampleText = (text: string): string => {
    if (PAGE_URL.test(text)) return text.replace(PAGE_URL_PART, toExampleText);
    const prefix = ID.exec(text)?.[1];
    if (prefix !== undefined) return exampleIdOf(text, prefix);
    const [, date, time] = TIME.exec(text) ?? [];
    if (date !== undefined) return `${dateOf(date)}T${time === '00:00:00.000' ? time : '09:00:00.000'}Z`;
    return DATE.test(text) ? dateOf(text) : shortText(text);
  };
  return (value) => shorten(mapTexts(value, toExampleText));
}

/** Shortens a hash, a UUID, and a text of several lines. */
function shortText(text: string): string {
  if (HASH.test(text)) return '5f1c…';
  if (text.includes('\n')) return `${text.split('\n', 1)[0]}\n…`;
  return UUID.test(text) ? '0195…' : text;
}

/** Removes nulls, and cuts long lists and signed cursors. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_LIST_ITEMS).map(shorten);
    return value.length > MAX_LIST_ITEMS ? [...items, '…'] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === 'next_cursor' ? '…' : shorten(member)] as const),
  );
}

/** Formats JSON, with every value that fits a line on one line. */
export function jsonText(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= MAX_LINE_WIDTH) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((item) => jsonText(item, deeper))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonText(member, deeper)}`);
  return `${open}\n${members.map((member) => `${deeper}${member}`).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
