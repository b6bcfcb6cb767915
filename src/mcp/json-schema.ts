import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * A schema as JSON Schema 2020-12, with every limit that is enforced: what the reference and the OpenAPI document say.
 * What tools/list says is less, see publish.ts.
 */
export function fullSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...full } = z.toJSONSchema(schema, { ...OPTIONS, override: readAfterwards }) as JsonSchema;
  return plain(full);
}

/** The same of several schemas by their names. Where one holds another, it refers to it: `#/components/schemas/<name>`. */
export function componentSchemas(named: ReadonlyMap<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of named) registry.add(schema, { id });
  const uri = (id: string) => componentRef(id).$ref;
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri, override: readAfterwards });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, plain(schema as JsonSchema)]),
  );
}

export const componentRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const OPTIONS = { io: 'input', unrepresentable: 'any' } as const;

/** What a preprocessing step takes is what comes after it. */
function readAfterwards({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { type, out } = zodSchema._zod.def as { type: string; out?: z.ZodType };
  if (type !== 'pipe') return;
  for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[keyword];
  Object.assign(jsonSchema, fullSchema(out!));
}

/** Keywords of ours, for tools/list and for how an input is read. */
const OURS = ['unpublished', 'unsaid', 'unlisted', 'clearedByNull'];

/** Leaves out what is about tools/list alone, says what numbers JavaScript has, or is a pattern that a format says in a word. */
function plain(schema: JsonSchema): JsonSchema {
  return mapSchemas(schema, ({ minimum, maximum, pattern, ...rest }) => ({
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !OURS.includes(keyword))),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(pattern === undefined || rest.format !== undefined ? {} : { pattern }),
  }));
}

/** A schema with itself and all that it holds changed. Names of properties are no keywords: one named `title` stays. */
export function mapSchemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = Object.entries(change(schema)).map(([keyword, value]) => {
    if (keyword === 'properties') return [keyword, mapValues(value as Record<string, JsonSchema>, change)];
    if (keyword === 'items') return [keyword, mapSchemas(value as JsonSchema, change)];
    if (keyword === 'anyOf') return [keyword, (value as JsonSchema[]).map((one) => mapSchemas(one, change))];
    return [keyword, value];
  });
  return Object.fromEntries(inner);
}

/** Titles are for the reference: generators of clients take them for names of types. */
export const untitled = (schema: JsonSchema) => mapSchemas(schema, ({ title: _title, ...rest }) => rest);

function mapValues(schemas: Record<string, JsonSchema>, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapSchemas(schema, change)]));
}
