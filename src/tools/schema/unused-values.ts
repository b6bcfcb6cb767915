import type { z } from 'zod';
import { isObject, type UncheckedObject } from './is-object.ts';

/*
 * Strict callers send every property, with null or an empty value for those they don't use. Such values are removed
 * before an input is read, so that no hash, cursor or id derived from an input depends on them.
 */

/** The properties of an object, or the items of an array, that can contain optional values. */
export interface OptionalValues {
  properties?: ReadonlyMap<string, Property>;
  items?: OptionalValues;
}

interface Property {
  isOptional: boolean;
  /** The value's type, as zod names it. */
  type: string;
  /** An empty string means null here, for any type. */
  isNullable: boolean;
  inner: OptionalValues | null;
}

/** Returns the optional values that a schema's inputs can contain. */
export function optionalValuesOf(schema: z.ZodType): OptionalValues {
  return propertyOf(schema).inner ?? {};
}

/**
 * Returns the input without unused optional values: null, and empty strings, arrays and objects where the schema takes
 * that type. Fields that null clears in an update (see `clearedByNull`) stay as they are.
 */
export function withoutUnused({ properties, items }: OptionalValues, input: unknown): unknown {
  if (items && Array.isArray(input)) return input.map((item) => withoutUnused(items, item));
  return properties && isObject(input) ? withoutUnusedProperties(properties, input) : input;
}

/** Returns an object without unused optional values. It is the same object if there are none, as in most inputs. */
function withoutUnusedProperties(properties: ReadonlyMap<string, Property>, input: UncheckedObject): UncheckedObject {
  let result = input;
  for (const name of Object.keys(input)) {
    const property = properties.get(name);
    if (property === undefined) continue;
    const original = input[name];
    const cleaned = property.inner ? withoutUnused(property.inner, original) : original;
    const isLeftOut = isUnused(cleaned, property);
    if (cleaned === original && !isLeftOut) continue;
    if (result === input) result = { ...input };
    if (isLeftOut) delete result[name];
    else result[name] = cleaned;
  }
  return result;
}

interface Definition {
  type: string;
  innerType?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
}

function propertyOf(schema: z.ZodType): Property {
  const { type, innerType, out, element, shape } = schema._zod.def as Definition;
  if (type === 'pipe') return propertyOf(out!);
  if (innerType) {
    const property = propertyOf(innerType);
    return type === 'nullable' ? { ...property, isNullable: true } : { ...property, isOptional: true };
  }
  const inner = element ? optionalInItems(propertyOf(element).inner) : shape ? optionalInProperties(shape) : null;
  return { isOptional: false, type, isNullable: false, inner };
}

const optionalInItems = (items: OptionalValues | null): OptionalValues | null => items && { items };

function optionalInProperties(shape: Readonly<Record<string, z.ZodType>>): OptionalValues | null {
  const properties = Object.entries(shape)
    .filter(([, schema]) => !schema.meta()?.clearedByNull)
    .map(([name, schema]) => [name, propertyOf(schema)] as const)
    .filter(([, { isOptional, inner }]) => isOptional || inner !== null);
  return properties.length === 0 ? null : { properties: new Map(properties) };
}

/** Returns true if a value is null, or a string of spaces only. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function isUnused(value: unknown, { isOptional, type, isNullable }: Property): boolean {
  if (!isOptional) return false;
  if (isBlank(value)) return value === null || type === 'string' || isNullable;
  if (Array.isArray(value)) return value.length === 0 && type === 'array';
  return (type === 'object' || type === 'custom') && isObject(value) && Object.keys(value).length === 0;
}
