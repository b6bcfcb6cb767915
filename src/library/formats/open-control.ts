import { z } from 'zod';
import { Refusal } from '../../commands/engine/refusal.ts';
import { ControlList } from '../control-list.ts';
import type { FrameworkReading } from '../framework-reading.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** A control of an OpenControl standard (https://open-control.org). Its key in the file is its number. */
const controlSchema = z.object({
  family: z.string().nullish(),
  name: z.string().nullish(),
  description: z.string().nullish(),
});

/** Members of other OpenControl files. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  standards: 'certification',
  satisfies: 'component',
  components: 'configuration',
  dependencies: 'configuration',
};

/** Returns true for a standard: besides its name, each member is a control. */
export function isOpenControlStandard(document: JsonObject): boolean {
  return typeof document.name === 'string' && controlsOf(document).length > 0 && openControlFile(document) === null;
}

/** Returns the kind of another OpenControl file, such as a certification; null for anything else. */
export function openControlFile(document: JsonObject): string | null {
  if (typeof document.name !== 'string') return null;
  const member = Object.keys(OTHER_FILES).find((name) => name in document);
  return member === undefined ? null : OTHER_FILES[member]!;
}

/** Reads an OpenControl standard. @throws Refusal for a control that can't be read */
export function readOpenControlStandard(document: JsonObject, withText: boolean): FrameworkReading {
  const list = new ControlList(withText);
  for (const [number, value] of controlsOf(document)) {
    const result = controlSchema.safeParse(value);
    if (!result.success) {
      throw new Refusal('invalid_input', `Control ${number} of the OpenControl standard has a member that is no text.`);
    }
    const { family, name, description } = result.data;
    list.add(`control ${number}`, {
      section_title: number,
      name: name ?? '',
      text: description ?? '',
      groups: typeof family === 'string' ? [family] : [],
    });
  }
  return { name: String(document.name), version: null, ...list.finish() };
}

function controlsOf(document: JsonObject): [string, JsonObject][] {
  return Object.entries(document).filter((entry): entry is [string, JsonObject] => {
    const [, value] = entry;
    return isJsonObject(value) && ('name' in value || 'family' in value || 'description' in value);
  });
}
