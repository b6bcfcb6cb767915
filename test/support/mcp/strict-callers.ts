/*
 * Strict callers convert a tool's published schema before a model sees it: every property becomes required. So the
 * model must also send a value for each property that it doesn't use. Each function below is one way to choose it.
 */

/** The members of a published schema that the conversions read. */
export interface PublishedSchema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, PublishedSchema>;
  items?: PublishedSchema;
}

type Input = Readonly<Record<string, unknown>>;
/** Returns the value to send for a property that the caller doesn't use. */
type UnusedValue = (schema: PublishedSchema, name: string) => unknown;

/** Returns the input with exactly the published properties. `unusedValue` fills in the ones that the input lacks. */
export function withEveryProperty(schema: PublishedSchema, input: Input, unusedValue: UnusedValue): Input {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (!Object.hasOwn(input, name)) return [name, unusedValue(property, name)];
    return [name, fillNested(property, input[name], unusedValue)];
  });
  return Object.fromEntries(properties);
}

function fillNested(schema: PublishedSchema, value: unknown, unused: UnusedValue): unknown {
  if (Array.isArray(value)) return value.map((item) => fillNested(schema.items ?? {}, item, unused));
  if (typeof value !== 'object' || value === null) return value;
  return withEveryProperty(schema, value as Input, unused);
}

/** For callers that make every property nullable: sends null. */
export const asNull: UnusedValue = () => null;

/** Sends null, but for an object sends all its properties as null. */
export const asObjectOfNulls: UnusedValue = (schema) =>
  schema.properties ? withEveryProperty(schema, {}, asObjectOfNulls) : null;

/** For callers without null: sends an empty value, or an enum's first value. */
export const asEmpty: UnusedValue = (schema, name) => {
  if (schema.enum) return schema.enum[0];
  if (schema.properties) return withEveryProperty(schema, {}, asEmpty);
  if (schema.type === 'integer') return TYPICAL_NUMBERS[name] ?? 3;
  return { string: '', array: [], boolean: false }[String(schema.type)];
};

/** Sends an empty value, and an empty object for an object. */
export const asEmptyObject: UnusedValue = (schema, name) => (schema.properties ? {} : asEmpty(schema, name));

/** Numbers by property name, as a careful model would send them. There is no empty number. */
const TYPICAL_NUMBERS: Readonly<Record<string, number>> = { size: 20, min_score: 1, max_score: 25 };
