/** All event types that the source can write. */
import { readdirSync, readFileSync } from 'node:fs';
import { FAMILIES } from '../../../src/commands/families.ts';
import { allTools } from '../../../src/mcp/tools/all-tools.ts';
import type { ToolService } from '../../../src/mcp/tools/define-tool.ts';

const COMMANDS = new URL('../../../src/commands/', import.meta.url);

const sourceOf = (file: string) => readFileSync(new URL(file, COMMANDS), 'utf8');

/** Returns the types that stand in the source, and those that `defineFamily` makes for each family. */
export function eventTypes(): string[] {
  const source = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map(sourceOf)
    .join('\n');
  const titles = [
    'Organization',
    'Member',
    'Domain',
    'Token',
    'Records',
    ...Object.values(FAMILIES).map(({ title }) => title),
  ];
  const literal = new RegExp(`\\btype: '((?:${titles.join('|')})[A-Z]\\w*)'`, 'g');
  return [...new Set([...[...source.matchAll(literal)].map((match) => match[1]!), ...commonTypes()])].sort();
}

/** Leaves out events that no tool leads to: controls, for example, come with their framework. */
function commonTypes(): string[] {
  const tools = new Set(allTools({} as ToolService).map(({ name }) => name));
  return Object.values(FAMILIES).flatMap(({ title, singular }) => {
    const addedVerb = /\baddedVerb: '(\w+)'/.exec(sourceOf(`${singular}.ts`))?.[1] ?? 'Added';
    return [
      ...(tools.has(`add${title}`) ? [`${title}${addedVerb}`] : []),
      ...(tools.has(`update${title}`) ? [`${title}DetailsChanged`, `${title}OwnerAssigned`] : []),
      `${title}Archived`,
      `${title}Restored`,
    ];
  });
}
