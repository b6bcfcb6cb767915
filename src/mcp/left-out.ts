import type { z } from 'zod';
import { isObject } from './protocol-message.ts';

/*
 * Strict callers send every property, with null or something empty for those that they do not use. Such values are
 * taken out before an input is read: no hash, cursor or id that is made of an input depends on them.
 */

/** The properties of an object, or the items of an array, that may hold optional values. */
interface Plan {
  properties?: ReadonlyMap<string, Property>;
  items?: Plan;
}

interface Property {
  isOptional: boolean;
  /** The kind of value, as zod names it. */
  type: string;
  /** An empty text means null here, whatever the type. */
  isNullable: boolean;
  inner: Plan | null;
}

const plans = new WeakMap<z.ZodType, Plan>();

/**
 * Returns the input without optional values that say nothing: null, and empty texts, arrays and objects where a text,
 * an array or an object is taken. Fields that an update clears by null (see `clearedByNull`) stay as they are.
 */
export function withoutUnused(schema: z.ZodType, input: unknown): unknown {
  const plan = plans.get(schema) ?? propertyOf(schema).inner ?? {};
  plans.set(schema, plan);
  return kept(plan, input);
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
  const inner = element ? ofItems(propertyOf(element).inner) : shape ? ofProperties(shape) : null;
  return { isOptional: false, type, isNullable: false, inner };
}

const ofItems = (items: Plan | null): Plan | null => items && { items };

function ofProperties(shape: Readonly<Record<string, z.ZodType>>): Plan | null {
  const properties = Object.entries(shape)
    .filter(([, schema]) => !schema.meta()?.clearedByNull)
    .map(([name, schema]) => [name, propertyOf(schema)] as const)
    .filter(([, { isOptional, inner }]) => isOptional || inner !== null);
  return properties.length === 0 ? null : { properties: new Map(properties) };
}

/** Tells whether a value is null or a text of nothing but spaces. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function kept({ properties, items }: Plan, value: unknown): unknown {
  if (items && Array.isArray(value)) return value.map((item) => kept(items, item));
  if (!properties || !isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
    const property = properties.get(name);
    if (property === undefined) return [[name, given]];
    const inside = property.inner ? kept(property.inner, given) : given;
    return isUnused(inside, property) ? [] : [[name, inside]];
  });
  return Object.fromEntries(entries);
}

function isUnused(value: unknown, { isOptional, type, isNullable }: Property): boolean {
  if (!isOptional) return false;
  if (isBlank(value)) return value === null || type === 'string' || isNullable;
  if (Array.isArray(value)) return value.length === 0 && type === 'array';
  return type === 'object' && isObject(value) && Object.keys(value).length === 0;
}
