import { z } from 'zod';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { summaryMembers } from '../../queries/records/present-records.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { answerFields } from './family-schema.ts';
import * as field from './fields.ts';
import { once } from './once.ts';
import { type RecordSchemas, time } from './output.ts';

/**
 * Returns the schemas of a family's records, which are made when they are first read.
 * @param extraFields fields that only answers have, or that differ from their inputs
 */
export function recordSchemas(family: FamilyDescription, extraFields: z.ZodRawShape = {}): RecordSchemas {
  const { type, title, singular, plural, prefix } = family;
  const full = once(() => fullSchemaOf(family, extraFields));
  const summary = once(() => summaryOf(family, full()));
  return {
    ...{ type, title, singular, plural, prefix },
    get full() {
      return full();
    },
    get summary() {
      return summary();
    },
  };
}

function fullSchemaOf(family: FamilyDescription, extraFields: z.ZodRawShape): z.ZodObject {
  const { owner_id: _owner, ...fields } = answerFields(family);
  return z.strictObject({
    id: field.id(family.prefix),
    organization_id: field.id('org'),
    ...fields,
    ...extraFields,
    owner_id: field.id('acc').nullable(),
    owner: z.string().nullable().describe('the name of owner_id'),
    created_at: time(),
    updated_at: time(),
    revision: z.int().describe('1 when added, +1 with each event'),
    archived_at: time().nullable(),
    stale: z.literal(true).optional().describe('a later event could not be read, so the record may be outdated'),
    truncated: z.array(z.string()).optional().describe('texts that were shortened because the record did not fit'),
  });
}

function summaryOf({ type: family, prefix, summary, fields }: FamilyDescription, full: z.ZodObject): z.ZodObject {
  const filteredFields = Object.values(familyQueryOfType(family).filteredFields).flat();
  // A summary has these only if the filter is about them.
  const moreFields = [...new Set(filteredFields)].filter((name) => !summary.includes(name));
  const chosen = [...summary, ...moreFields].map((name) => {
    const type = full.shape[name] as z.ZodType;
    const definition = fields[name];
    const present = type instanceof z.ZodNullable ? (type.unwrap() as z.ZodType) : type;
    const shown =
      definition?.kind === 'object'
        ? z.strictObject(
            Object.fromEntries(
              summaryMembers(definition.fields).map((key) => [key, (present as z.ZodObject).shape[key] as z.ZodType]),
            ),
          )
        : present;
    return [name, present === type && !moreFields.includes(name) ? shown : shown.optional()];
  });
  return z.strictObject({
    id: field.id(prefix),
    ...Object.fromEntries(chosen),
    owner: z.string().optional(),
    archived_at: time().optional(),
    stale: z.literal(true).optional(),
  });
}
