import type { z } from 'zod';

/*
 * Clients write one input in several ways. Strict callers send every property, with null or an empty value for those they
 * don't use. Others send the JSON text of an object, a list, a number or a boolean, or the item of a list of one. All of it
 * becomes one form before an input is read, so that no hash, cursor or id derived from an input depends on it.
 */

/** A value that an input can contain, by its schema. */
export interface ValueShape {
  /** The value's type, as zod names it. `custom` is an object. */
  type: string;
  isOptional: boolean;
  /** An empty string means null here, for any type. */
  isNullable: boolean;
  /** Null clears the stored value, so it is no unused value. */
  isCleared: boolean;
  properties?: ReadonlyMap<string, ValueShape>;
  items?: ValueShape;
  maxItems?: number;
  /** The value is the id of a record with one of these prefixes, which a word may name. */
  recordPrefixes?: readonly string[];
}

interface Definition {
  type: string;
  innerType?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  checks?: readonly { _zod: { def: { check: string; maximum?: number } } }[];
}

function maxItemsOf(checks: Definition['checks'] = []): number {
  const limit = checks.find(({ _zod }) => _zod.def.check === 'max_length')?._zod.def.maximum;
  return limit ?? Number.POSITIVE_INFINITY;
}

export function shapeOf(schema: z.ZodType): ValueShape {
  const { type, innerType, out, element, shape, checks } = schema._zod.def as Definition;
  const { clearedByNull, recordPrefixes, hideEnum } = schema.meta() ?? {};
  const isCleared = clearedByNull === true;
  if (type === 'pipe') return { ...shapeOf(out!), isCleared };
  if (innerType) {
    const inner = shapeOf(innerType);
    const flags = type === 'nullable' ? { isNullable: true } : { isOptional: true };
    return { ...inner, ...flags, isCleared: isCleared || inner.isCleared };
  }
  return {
    // Clients see a text in place of a hidden enum, so an empty one is unused.
    ...{
      type: type === 'enum' && hideEnum === true ? 'string' : type,
      isOptional: false,
      isNullable: false,
      isCleared,
    },
    ...(Array.isArray(recordPrefixes) && recordPrefixes.length > 0 ? { recordPrefixes } : {}),
    ...(element ? { items: shapeOf(element), maxItems: maxItemsOf(checks) } : {}),
    ...(shape ? { properties: new Map(Object.entries(shape).map(([name, inner]) => [name, shapeOf(inner)])) } : {}),
  };
}

/** Returns an input in the one form that is read. It is the same object if it has that already, as most inputs have. */
export function plainInput(shape: ValueShape, input: unknown): unknown {
  return plainValue(shape, input, { parts: MAX_JSON_VALUES });
}

/** The parts of JSON that the texts in an input may still have. */
interface Budget {
  parts: number;
}

function plainValue(shape: ValueShape, given: unknown, budget: Budget): unknown {
  const value = asExpected(shape.type, given, budget);
  if (shape.items && Array.isArray(value)) return plainItems(shape.items, value, budget);
  return shape.properties && isObject(value) ? plainProperties(shape.properties, value, budget) : value;
}

function plainItems(items: ValueShape, list: readonly unknown[], budget: Budget): readonly unknown[] {
  const result = list.map((item) => plainValue(items, item, budget));
  return result.some((item, index) => item !== list[index]) ? result : list;
}

function plainProperties(properties: ReadonlyMap<string, ValueShape>, input: UncheckedObject, budget: Budget): object {
  let result = input;
  for (const name of Object.keys(input)) {
    const shape = properties.get(name);
    if (shape === undefined) continue;
    const value = plainValue(shape, input[name], budget);
    const isLeftOut = isUnused(value, shape);
    if (value === input[name] && !isLeftOut) continue;
    if (result === input) result = { ...input };
    if (isLeftOut) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** Returns the value as the type that is expected, if its text or itself as a list of one is that. */
function asExpected(type: string, value: unknown, budget: Budget): unknown {
  switch (type) {
    case 'array':
      return asList(value, budget);
    case 'object':
    case 'custom':
      return asObject(value, budget);
    case 'number':
    case 'boolean':
      return typeof value === 'string' ? parsedIf((parsed) => typeof parsed === type, value, budget) : value;
    default:
      return value;
  }
}

/** Returns what the JSON text of an object says, and another value as it is. */
export function asObject(value: unknown, budget: Budget = { parts: MAX_JSON_VALUES }): unknown {
  return isTextFrom('{', value) ? parsedIf(isObject, value, budget) : value;
}

/** Returns a list as it is, and another value or the JSON text of a list as one. Nothing stays nothing. */
export function asList(value: unknown, budget: Budget = { parts: MAX_JSON_VALUES }): unknown {
  const list = isTextFrom('[', value) ? parsedIf(Array.isArray, value, budget) : value;
  return list === undefined || isBlank(list) || Array.isArray(list) ? list : [list];
}

const isTextFrom = (start: string, value: unknown): value is string =>
  typeof value === 'string' && value.trimStart().startsWith(start);

/** Returns what a text says in JSON if that is as expected and not too costly to read; else the text. */
function parsedIf(isExpected: (parsed: unknown) => boolean, text: string, budget: Budget): unknown {
  const { depth, parts } = sizeOfJson(Buffer.from(text), budget.parts);
  budget.parts -= parts;
  if (depth > MAX_JSON_DEPTH || budget.parts < 0) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed === null || isExpected(parsed) ? parsed : text;
  } catch {
    return text;
  }
}

/** Returns true if a value is null, or a string of spaces only. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Returns true for null, and for an empty string, array or object where the schema takes that type. */
function isUnused(value: unknown, { isOptional, isCleared, type, isNullable }: ValueShape): boolean {
  if (!isOptional || isCleared) return false;
  if (isBlank(value)) return value === null || type === 'string' || isNullable;
  if (Array.isArray(value)) return value.length === 0 && type === 'array';
  return (type === 'object' || type === 'custom') && isObject(value) && Object.keys(value).length === 0;
}

/** An object of JSON, whose members are not checked yet. */
export type UncheckedObject = Record<string, unknown>;

export const isObject = (value: unknown): value is UncheckedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Levels of nesting. A message with its tool's inputs has seven. */
export const MAX_JSON_DEPTH = 32;
/** Members and elements in all. The largest input, 200 rows of evidence, has about 6,800. */
export const MAX_JSON_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the levels and parts of JSON, in one pass over the bytes outside strings. It stops where one of them is beyond its
 * limit: to parse such a text takes up to 200 ms.
 */
export function sizeOfJson(bytes: Buffer, maxParts = MAX_JSON_VALUES): { depth: number; parts: number } {
  let level = 0;
  let depth = 0;
  let parts = 0;
  for (let index = 0; index < bytes.length && depth <= MAX_JSON_DEPTH && parts <= maxParts; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        level -= 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        level += 1;
        depth = Math.max(depth, level);
        parts += 1;
        break;
      case COMMA:
        parts += 1;
        break;
    }
  }
  return { depth, parts };
}

/** Returns where a string ends that begins before `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}
