/** Every type of event that the source can write. */
import { readdirSync, readFileSync } from 'node:fs';
import { FAMILIES } from '../../src/commands/families.ts';
import type { Service } from '../../src/mcp/service.ts';
import { allTools } from '../../src/mcp/tools.ts';

const COMMANDS = new URL('../../src/commands/', import.meta.url);

const sourceOf = (file: string) => readFileSync(new URL(file, COMMANDS), 'utf8');

/** Those that the source names itself, and each family's own words for what all families have. */
export function eventTypes(): string[] {
  const source = readdirSync(COMMANDS).map(sourceOf).join('\n');
  const titles = [
    'Organization',
    'Member',
    'Domain',
    'Token',
    'Records',
    ...Object.values(FAMILIES).map(({ title }) => title),
  ];
  const named = new RegExp(`\\btype: '((?:${titles.join('|')})[A-Z]\\w*)'`, 'g');
  return [...new Set([...[...source.matchAll(named)].map((found) => found[1]!), ...commonTypes()])].sort();
}

/** A family whose records no tool adds or changes (controls come with their framework) writes no such event. */
function commonTypes(): string[] {
  const tools = new Set(allTools({} as Service).map(({ name }) => name));
  return Object.values(FAMILIES).flatMap(({ title, singular }) => {
    const begins = /\bbegins: '(\w+)'/.exec(sourceOf(`${singular}.ts`))?.[1] ?? 'Added';
    return [
      ...(tools.has(`add${title}`) ? [`${title}${begins}`] : []),
      ...(tools.has(`update${title}`) ? [`${title}DetailsChanged`, `${title}OwnerAssigned`] : []),
      `${title}Archived`,
      `${title}Restored`,
    ];
  });
}
