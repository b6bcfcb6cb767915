/*
 * Strict callers convert a tool's published schema before a model sees it: every property becomes required. The model
 * has to send something for each that it does not use.
 */

/** A published schema, as far as the conversions look at it. */
export interface PublishedSchema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, PublishedSchema>;
  items?: PublishedSchema;
}

type Input = Readonly<Record<string, unknown>>;
type Unused = (schema: PublishedSchema, name: string) => unknown;

/** An input with every property that is published, and no other; `unused` gives the value of each that the caller has no use for. */
export function withEveryProperty(schema: PublishedSchema, input: Input, unused: Unused): Input {
  const properties = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    if (!Object.hasOwn(input, name)) return [name, unused(inner, name)];
    return [name, inside(inner, input[name], unused)];
  });
  return Object.fromEntries(properties);
}

function inside(schema: PublishedSchema, value: unknown, unused: Unused): unknown {
  if (Array.isArray(value)) return value.map((item) => inside(schema.items ?? {}, item, unused));
  if (typeof value !== 'object' || value === null) return value;
  return withEveryProperty(schema, value as Input, unused);
}

/** Every property required and nullable: what is not used is null. */
export const asNull: Unused = () => null;

/** The same, but for objects, which are filled with nulls. */
export const asObjectOfNulls: Unused = (schema) =>
  schema.properties ? withEveryProperty(schema, {}, asObjectOfNulls) : null;

/** Every property required, none nullable: what is not used is empty, and where nothing is, the first choice. */
export const asEmpty: Unused = (schema, name) => {
  if (schema.enum) return schema.enum[0];
  if (schema.properties) return withEveryProperty(schema, {}, asEmpty);
  if (schema.type === 'integer') return WHOLE_NUMBERS[name] ?? 3;
  return { string: '', array: [], boolean: false }[String(schema.type)];
};

/** The same, but for objects, which are empty. */
export const asEmptyObject: Unused = (schema, name) => (schema.properties ? {} : asEmpty(schema, name));

/** There is no empty number: what a careful model would send. */
const WHOLE_NUMBERS: Readonly<Record<string, number>> = { size: 20, min_score: 1, max_score: 25 };
