import { derivedId, itemCommandId } from '../commands/engine/ids.ts';
import { FAMILIES } from '../commands/families.ts';
import type { Story } from './story.ts';

/** The ids of the demo's records, by their names in the stories. */
export interface RecordIds {
  /** @throws Error if no story has a record of this name */
  of(name: string): string;
}

/**
 * Gives every record its id: the story's own one, as for a framework, or one derived from the installation and the
 * record's name. Controls are named by their numbers.
 * @throws Error if two stories have the same name
 */
export function idsByName(stories: readonly Story[], installation: string): RecordIds {
  const ids = new Map<string, string>();
  const add = (name: string, id: string) => {
    if (ids.has(name)) throw new Error(`Two stories of the demo have the name ${name}`);
    ids.set(name, id);
  };
  for (const { family, name, id, steps } of stories) {
    if (family === 'CONTROL') continue;
    add(name, id ?? derivedId(FAMILIES[family].prefix, itemCommandId(installation, `${family} ${name}`)));
    for (const { command } of steps) {
      if (command.type !== 'AddFramework') continue;
      for (const control of command.fields.controls ?? []) add(control.section_title, control.id);
    }
  }
  return {
    of(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`No story of the demo has the name ${name}`);
      return id;
    },
  };
}

/** Returns the command with record ids in place of names, in the fields that refer to records. */
export function replaceNamesByIds<Command extends object>(
  command: Command,
  references: readonly string[],
  ids: RecordIds,
): Command {
  if (!('fields' in command)) return command;
  const fields: Record<string, unknown> = { ...(command.fields as object) };
  for (const field of references) {
    const value = fields[field];
    if (typeof value === 'string') fields[field] = ids.of(value);
    else if (Array.isArray(value)) fields[field] = value.map((name: string) => ids.of(name));
  }
  return { ...command, fields };
}
