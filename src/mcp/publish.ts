import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';

/** Enforced and documented, but not published: common clients refuse or drop them, or they cost tokens for nothing. */
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
  // Said in words: bounds and defaults that every list and write shares once for all, others in the tool's description.
  'minimum',
  'maximum',
  'default',
];

/** The schema of an input as clients see it: plain objects, arrays, enums and numbers. */
export function publishedSchema(input: z.ZodType): JsonSchema {
  return prune(
    z.toJSONSchema(input, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const definition = zodSchema._zod.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
        // null is said in words; what a preprocessing step takes is what comes after it.
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
  const { hideDescription, hideEnum, clearedByNull: _, ...said } = schema as JsonSchema;
  return Object.fromEntries(
    Object.entries(said)
      .filter(
        ([key]) =>
          !UNPUBLISHED_KEYWORDS.includes(key) &&
          !(hideDescription && key === 'description') &&
          !(hideEnum && key === 'enum'),
      )
      .map(([key, value]) => [key, key === 'properties' ? pruneProperties(value as JsonSchema) : prune(value)]),
  );
}

/** Property names are not keywords: one named `pattern` stays. */
function pruneProperties(properties: JsonSchema): JsonSchema {
  const published = Object.entries(properties as Record<string, JsonSchema>).filter(
    ([, schema]) => !schema.unpublished,
  );
  return Object.fromEntries(published.map(([name, schema]) => [name, prune(schema)]));
}
