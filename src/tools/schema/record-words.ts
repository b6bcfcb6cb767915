import { idPrefix } from '../../commands/engine/ids.ts';
import { MAX_CHARACTERS } from '../../register/field.ts';
import { isObject, type ValueShape } from './client-values.ts';

/* A tool call may name a record by its number or name wherever an input takes its id. */

/** Stands for every item of a list in a path. A longer list is refused, so nothing in it is looked up. */
interface ItemStep {
  maxItems: number;
}

/** A place in an input that takes the id of a record with one of these prefixes. */
export interface RecordPlace {
  path: readonly (string | ItemStep)[];
  prefixes: readonly string[];
}

/** A word in an input that names a record. */
export interface RecordWord {
  path: readonly (string | number)[];
  word: string;
  prefixes: readonly string[];
}

/** Returns the places in which inputs of a shape take ids of records. */
export function recordPlaces({ recordPrefixes: prefixes, items, maxItems, properties }: ValueShape): RecordPlace[] {
  if (prefixes !== undefined) return [{ path: [], prefixes }];
  const within = (step: string | ItemStep, inner: ValueShape) =>
    recordPlaces(inner).map((place) => ({ ...place, path: [step, ...place.path] }));
  if (items !== undefined) return within({ maxItems: maxItems! }, items);
  return [...(properties ?? [])].flatMap(([name, inner]) => within(name, inner));
}

/** Returns the words that stand in these places of an input instead of ids. Texts that no record can have are none. */
export function recordWordsIn(places: readonly RecordPlace[], input: unknown): RecordWord[] {
  return places.flatMap(({ path, prefixes }) =>
    valuesAt(input, path).flatMap(({ value, at }) => {
      const word = wordOf(value);
      return word === null ? [] : [{ path: at, word, prefixes }];
    }),
  );
}

function valuesAt(
  value: unknown,
  [step, ...rest]: RecordPlace['path'],
  at: RecordWord['path'] = [],
): { value: unknown; at: RecordWord['path'] }[] {
  if (step === undefined) return [{ value, at }];
  if (typeof step === 'string') return isObject(value) ? valuesAt(value[step], rest, [...at, step]) : [];
  const isShort = Array.isArray(value) && value.length <= step.maxItems;
  return isShort ? value.flatMap((item, index) => valuesAt(item, rest, [...at, index])) : [];
}

function wordOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS.name) return null;
  const word = value.trim();
  return word !== '' && word.isWellFormed() && idPrefix(word) === null ? word : null;
}

/** Returns an input with ids in place of words. The input stays as it is. */
export function withIds(input: unknown, ids: readonly { path: RecordWord['path']; id: string }[]): unknown {
  return ids.reduce((changed, { path, id }) => withValueAt(changed, path, id), input);
}

function withValueAt(input: unknown, [step, ...rest]: RecordWord['path'], value: string): unknown {
  if (step === undefined) return value;
  if (Array.isArray(input)) return input.with(step as number, withValueAt(input[step as number], rest, value));
  const object = input as Record<string, unknown>;
  return { ...object, [step]: withValueAt(object[step], rest, value) };
}
