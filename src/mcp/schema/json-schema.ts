import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Returns a schema as JSON Schema 2020-12 with every enforced limit, for the reference and the OpenAPI document.
 * tools/list publishes less, see publish.ts.
 */
export function fullSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...full } = z.toJSONSchema(schema, {
    ...OPTIONS,
    override: useSchemaAfterPreprocessing,
  }) as JsonSchema;
  return cleanSchema(full);
}

/** Returns schemas by name. One that contains another refers to it as `#/components/schemas/<name>`. */
export function componentSchemas(schemasByName: ReadonlyMap<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemasByName) registry.add(schema, { id });
  const uri = (id: string) => componentRef(id).$ref;
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri, override: useSchemaAfterPreprocessing });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, cleanSchema(schema as JsonSchema)]),
  );
}

export const componentRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const OPTIONS = { io: 'input', unrepresentable: 'any' } as const;

/** Describes a preprocessed input by the schema that reads it after preprocessing. */
function useSchemaAfterPreprocessing({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: object;
}): void {
  const { type, out } = zodSchema._zod.def as { type: string; out?: z.ZodType };
  if (type !== 'pipe') return;
  for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[keyword];
  Object.assign(jsonSchema, fullSchema(out!));
}

/** Keywords that only this service uses, for tools/list and for reading inputs. */
const INTERNAL_KEYWORDS = ['unpublished', 'hideDescription', 'hideEnum', 'clearedByNull'];

/** Removes internal keywords, bounds that only repeat JavaScript's safe integers, and patterns that a format implies. */
function cleanSchema(schema: JsonSchema): JsonSchema {
  return mapSchemas(schema, ({ minimum, maximum, pattern, ...rest }) => ({
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !INTERNAL_KEYWORDS.includes(keyword))),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(pattern === undefined || rest.format !== undefined ? {} : { pattern }),
  }));
}

/** Applies `change` to a schema and every schema in it. A property named `title` is not taken for the keyword. */
export function mapSchemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = Object.entries(change(schema)).map(([keyword, value]) => {
    if (keyword === 'properties') return [keyword, mapValues(value as Record<string, JsonSchema>, change)];
    if (keyword === 'items') return [keyword, mapSchemas(value as JsonSchema, change)];
    if (keyword === 'anyOf') return [keyword, (value as JsonSchema[]).map((option) => mapSchemas(option, change))];
    return [keyword, value];
  });
  return Object.fromEntries(inner);
}

/** Removes titles. They are for the reference; client generators would use them as type names. */
export const withoutTitles = (schema: JsonSchema) => mapSchemas(schema, ({ title: _title, ...rest }) => rest);

function mapValues(schemas: Record<string, JsonSchema>, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapSchemas(schema, change)]));
}
