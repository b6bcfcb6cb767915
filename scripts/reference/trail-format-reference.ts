import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EventSchemas, MemberSchemas, ValueSchema } from '../../src/register/event-schema.ts';
import { EVENTS_BY_STREAM } from '../../src/register/events.ts';
import { table } from './tables.ts';

const PAGE = fileURLToPath(new URL('../../docs/trail-format.md', import.meta.url));
const BEGIN = '<!-- Made by npm run docs from src/register. Do not edit. -->';
const END = '<!-- End of the made part. -->';

/** Makes docs/trail-format.md: the page itself, with today's schemas of events between its markers. */
export function makeTrailFormatReference(): { page: string; path: string } {
  const current = readFileSync(PAGE, 'utf8');
  const [begin, end] = [current.indexOf(BEGIN), current.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/trail-format.md lacks the markers of its made part');
  const schemas = Object.entries(EVENTS_BY_STREAM).map(streamSection).join('\n\n');
  return { page: `${current.slice(0, begin)}${BEGIN}\n\n${schemas}\n\n${current.slice(end)}`, path: PAGE };
}

function streamSection([stream, events]: [string, EventSchemas]): string {
  const rows = Object.entries(events).flatMap(([type, versions]) =>
    versions.map((members, index) => [`\`${type}\``, String(index + 1), `\`${memberList(members)}\``]),
  );
  return `**${stream}**\n\n${table(['type', 'version', 'data'], rows)}`;
}

/** Returns `name: text, [reason: text]`: members that are always there, and in brackets those that may be absent. */
function memberList(members: MemberSchemas): string {
  const memberLines = Object.entries(members).map(([name, schema]) => {
    const member = `${name}: ${typeWords(schema)}`;
    return schema.optional ? `[${member}]` : member;
  });
  return memberLines.join(', ');
}

function typeWords({ type, nullable, items, members }: ValueSchema): string {
  const words = members ? `{${memberList(members)}}` : items ? `list of ${typeWords(items)}` : TYPE_WORDS[type];
  return nullable ? `${words} or null` : words;
}

const TYPE_WORDS: Readonly<Record<ValueSchema['type'], string>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  list: 'list',
  object: 'object',
};
