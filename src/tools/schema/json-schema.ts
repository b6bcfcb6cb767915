import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Keywords of `meta` that only this service uses, for publishing and for reading inputs. */
const INTERNAL_KEYWORDS = [
  ...[
    'unpublished',
    'unlisted',
    'hideDescription',
    'hideEnum',
    'unpublishedValues',
    'clearedByNull',
    'implied',
    'recordPrefixes',
  ],
];

/** Keywords that are enforced and documented but not published: clients refuse or ignore them, or they waste tokens. */
const UNPUBLISHED_KEYWORDS = [
  'pattern',
  'format',
  'title',
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  // Given in words: shared bounds and defaults in the instructions, others in the tool's description.
  'minimum',
  'maximum',
  'default',
];

/** Returns a schema as JSON Schema 2020-12 with every enforced limit, for the reference and the OpenAPI document. */
export function fullSchema(schema: z.ZodType): JsonSchema {
  return mapSchemas(toJsonSchema(schema, ['pipe']), fullKeywords);
}

/** Published schemas by input. Each is made when it is first needed, because all of them would take an eighth of the start. */
const publishedSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns an input's schema as clients see it: plain objects, arrays, enums and numbers. Null is described in words. */
export function publishedSchema(input: z.ZodType): JsonSchema {
  let published = publishedSchemas.get(input);
  if (published === undefined) {
    published = mapSchemas(toJsonSchema(input, ['pipe', 'nullable']), publishedKeywords);
    publishedSchemas.set(input, published);
  }
  return published;
}

/** A filter's schema, as far as reading it from an address needs it. */
export interface PublishedFilter {
  type?: string;
}

const filtersByInput = new WeakMap<z.ZodType, Record<string, PublishedFilter>>();

/** Returns the schemas of the members of an input's `filter`, also of unlisted ones. */
export function publishedFilters(input: z.ZodType): Record<string, PublishedFilter> {
  let filters = filtersByInput.get(input);
  if (filters === undefined) {
    const { properties } = mapSchemas(toJsonSchema(input, ['pipe', 'nullable']), withoutUnpublished) as {
      properties?: { filter?: { properties?: Record<string, PublishedFilter> } };
    };
    filters = properties?.filter?.properties ?? {};
    filtersByInput.set(input, filters);
  }
  return filters;
}

function withoutUnpublished({ properties, ...schema }: JsonSchema): JsonSchema {
  return properties === undefined
    ? schema
    : { ...schema, properties: publishedProperties(properties, ['unpublished']) };
}

/** Returns schemas by name. One that contains another refers to it as `#/components/schemas/<name>`. */
export function componentSchemas(schemasByName: ReadonlyMap<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemasByName) registry.add(schema, { id });
  const uri = (id: string) => componentRef(id).$ref;
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri, override: describeInner(['pipe']) });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [
      id,
      mapSchemas(schema as JsonSchema, fullKeywords),
    ]),
  );
}

export const componentRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const OPTIONS = { io: 'input', unrepresentable: 'any' } as const;

/** A zod type that can be described by the schema in it. A pipe is an input that is preprocessed. */
type Wrapper = 'pipe' | 'nullable';

function toJsonSchema(schema: z.ZodType, wrappers: readonly Wrapper[]): JsonSchema {
  const options = { ...OPTIONS, override: describeInner(wrappers) };
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, options) as JsonSchema;
  return mapSchemas(json, withoutImplied);
}

/** Removes implied properties from those that a caller must give. */
function withoutImplied({ required, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(required)) return schema;
  const properties = schema.properties as Record<string, JsonSchema>;
  const needed = required.filter((name) => !properties[name]?.implied);
  return { ...schema, ...(needed.length === 0 ? {} : { required: needed }) };
}

function describeInner(wrappers: readonly Wrapper[]) {
  return ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void => {
    const { type, innerType, out } = zodSchema._zod.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
    if (!wrappers.some((wrapper) => wrapper === type)) return;
    for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as JsonSchema)[keyword];
    Object.assign(jsonSchema, toJsonSchema((out ?? innerType)!, wrappers));
  };
}

/** Removes internal keywords, bounds that only repeat JavaScript's safe integers, and patterns that a format implies. */
function fullKeywords({ minimum, maximum, pattern, ...rest }: JsonSchema): JsonSchema {
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !INTERNAL_KEYWORDS.includes(keyword))),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(pattern === undefined || rest.format !== undefined ? {} : { pattern }),
  };
}

/** Removes what clients don't see: unpublished properties and keywords, and descriptions and enums that are hidden. */
function publishedKeywords(schema: JsonSchema): JsonSchema {
  const hiddenKeywords = [...INTERNAL_KEYWORDS, ...UNPUBLISHED_KEYWORDS];
  if (schema.hideDescription) hiddenKeywords.push('description');
  if (schema.hideEnum) hiddenKeywords.push('enum');
  const keywords = Object.entries(schema).filter(([keyword]) => !hiddenKeywords.includes(keyword));
  return Object.fromEntries(
    keywords.map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, publishedProperties(value, ['unpublished', 'unlisted'])];
      if (keyword === 'enum') return [keyword, publishedValues(schema)];
      // A list hides the enum of its items.
      return [keyword, keyword === 'items' && schema.hideEnum ? { ...(value as JsonSchema), hideEnum: true } : value];
    }),
  );
}

const publishedValues = ({ enum: values, unpublishedValues = [] }: JsonSchema) =>
  (values as unknown[]).filter((value) => !(unpublishedValues as unknown[]).includes(value));

function publishedProperties(properties: unknown, marks: readonly string[]): object {
  const all = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(all.filter(([, schema]) => !marks.some((mark) => schema[mark])));
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
