import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';

/** Keywords that are enforced and documented but not published: clients refuse or ignore them, or they waste tokens. */
const UNPUBLISHED_KEYWORDS = [
  '$schema',
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

/** Returns an input's schema as clients see it: plain objects, arrays, enums and numbers. */
export function publishedSchema(input: z.ZodType): JsonSchema {
  return prune(
    z.toJSONSchema(input, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const definition = zodSchema._zod.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
        // Null is described in words. A preprocessed input is described by the schema after preprocessing.
        if (definition.type === 'nullable') replace(jsonSchema, publishedSchema(definition.innerType!));
        if (definition.type === 'pipe') replace(jsonSchema, publishedSchema(definition.out!));
      },
    }) as JsonSchema,
  );
}

function replace(target: JsonSchema, source: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

function prune(schema: unknown): JsonSchema {
  if (Array.isArray(schema)) return schema.map(prune) as unknown as JsonSchema;
  if (typeof schema !== 'object' || schema === null) return schema as unknown as JsonSchema;
  const { hideDescription, hideEnum, clearedByNull: _clearedByNull, ...keywords } = schema as JsonSchema;
  return Object.fromEntries(
    Object.entries(keywords)
      .filter(
        ([key]) =>
          !UNPUBLISHED_KEYWORDS.includes(key) &&
          !(hideDescription && key === 'description') &&
          !(hideEnum && key === 'enum'),
      )
      .map(([key, value]) => [key, key === 'properties' ? pruneProperties(value as JsonSchema) : prune(value)]),
  );
}

/** Prunes each property's schema. The names stay: a property can be called `pattern`. */
function pruneProperties(properties: JsonSchema): JsonSchema {
  const published = Object.entries(properties as Record<string, JsonSchema>).filter(
    ([, schema]) => !schema.unpublished,
  );
  return Object.fromEntries(published.map(([name, schema]) => [name, prune(schema)]));
}
