import { FAMILIES } from '../commands/families.ts';
import { derivedId, itemCommandId } from '../commands/ids.ts';
import type { Story } from './story.ts';

/** Records of the demo by the names that its stories call them. */
export interface RecordIds {
  /** @throws Error where no story is about such a record */
  of(name: string): string;
}

/**
 * Gives every record its id: derived from the installation and its name, or told by the story, as a framework's is; its
 * controls go by their numbers.
 * @throws Error where two stories have one name
 */
export function idsByName(stories: readonly Story[], installation: string): RecordIds {
  const ids = new Map<string, string>();
  const keep = (name: string, id: string) => {
    if (ids.has(name)) throw new Error(`Two stories of the demo are about ${name}`);
    ids.set(name, id);
  };
  for (const { family, name: own, id, steps } of stories) {
    if (family === 'CONTROL') continue;
    keep(own, id ?? derivedId(FAMILIES[family].prefix, itemCommandId(installation, `${family} ${own}`)));
    for (const { command } of steps) {
      if (command.type !== 'AddFramework') continue;
      for (const control of command.fields.controls ?? []) keep(control.section_title, control.id);
    }
  }
  return {
    of(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`No story of the demo is about ${name}`);
      return id;
    },
  };
}

/** The command with ids for the names in those of its fields that refer to records. */
export function replaceNamesByIds<Command extends object>(
  command: Command,
  references: readonly string[],
  names: RecordIds,
): Command {
  if (!('fields' in command)) return command;
  const fields: Record<string, unknown> = { ...(command.fields as object) };
  for (const field of references) {
    const named = fields[field];
    if (typeof named === 'string') fields[field] = names.of(named);
    else if (Array.isArray(named)) fields[field] = named.map((name: string) => names.of(name));
  }
  return { ...command, fields };
}
