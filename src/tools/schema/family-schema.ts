import { z } from 'zod';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { hasRelations, RECORD_PREFIXES } from '../../register/families.ts';
import type { FamilyDescription, KeyFilter } from '../../register/family-description.ts';
import type { Field, Fields } from '../../register/field.ts';
import * as field from './fields.ts';
import { position, statedTime } from './output.ts';

/* The inputs and answers of a family's tools, as its description has them. */

/** Returns the fields that adding a record takes. */
export function addedFields({ fields }: FamilyDescription): z.ZodRawShape {
  return shapeOf(inputOrder(fields), (name) => (fields[name]!.setBy === 'COMMAND' ? null : addSchema(fields[name]!)));
}

function addSchema(definition: Field): z.ZodType | null {
  const schema = inputSchema(definition);
  return definition.hiddenInAdds ? (schema?.meta({ unpublished: true }) ?? null) : schema;
}

/** Returns the fields that describe a past decision in a row of an import. None is required. */
export function pastDecisionFields({ pastDecision }: FamilyDescription): z.ZodRawShape {
  const fields = pastDecision?.fields ?? {};
  return shapeOf(Object.keys(fields), (name) => inputSchema(fields[name]!));
}

/** Returns the times of past states that a row of an import can state, and that tools set themselves. */
export function timesOfPastStates({ fields }: FamilyDescription): z.ZodRawShape {
  return shapeOf(Object.keys(fields), (name) => {
    const { timeOf, setBy } = fields[name]!;
    const isStateSettable = timeOf?.fields.every((state) => fields[state]!.setBy === undefined) ?? false;
    return isStateSettable && setBy !== undefined ? inputSchema(fields[name]!) : null;
  });
}

/** Returns the fields that an update takes. None is required. */
export function updatedFields({ fields }: FamilyDescription): z.ZodRawShape {
  return shapeOf(inputOrder(fields), (name) => {
    const schema = fields[name]!.setBy === undefined ? inputSchema(fields[name]!) : null;
    return schema && fields[name]!.required ? schema.optional() : schema;
  });
}

/** Returns fields as an update accepts them, without descriptions. The add tool already publishes those. */
export function asUpdateFields(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [
      name,
      field.clearedByNull(field.withoutDescription(type as z.ZodType)),
    ]),
  );
}

/** Returns the filter of a family's list. */
export function listFilter(family: FamilyDescription) {
  return z.strictObject({
    ...filterFields(family),
    ...field.commonFilters(family.prefix, family.missing, RECORD_PREFIXES),
    ...(hasRelations(family) ? field.relationFilters() : {}),
  });
}

/** Returns the input of a family's list. */
export function listInput(family: FamilyDescription) {
  return z.strictObject({
    organization_id: field.impliedOrganizationId(),
    filter: listFilter(family).optional(),
    ...field.listFields(familyQueryOfType(family.type).orders),
  });
}

/** Returns the filters of a family's list, except those of all lists. */
function filterFields({ fields, filters = {} }: FamilyDescription): z.ZodRawShape {
  return {
    ...shapeOf(Object.keys(fields), (name) => {
      const { filter } = fields[name]!;
      if (filter === undefined) return null;
      const schema = filterSchema(fields[name]!).optional();
      if (filter === true) return schema;
      return 'note' in filter
        ? field.withoutDescription(schema.describe(filter.note))
        : field.withoutDescription(schema.describe('each word of a value must begin a word of it'));
    }),
    ...shapeOf(Object.keys(filters), (name) => {
      const schema = keyFilterSchema(filters[name]!.kind).optional();
      return filters[name]!.note === undefined ? schema : schema.describe(filters[name]!.note);
    }),
  };
}

/** Returns the fields of a record in answers, except those of every family. A field without a value is null. */
export function answerFields({ fields }: Pick<FamilyDescription, 'fields'>): z.ZodRawShape {
  return shapeOf(inputOrder(fields), (name) => answerSchema(fields[name]!));
}

/** Returns the names of fields: required inputs, other inputs, those of a new record alone, and those that no input sets. */
function inputOrder(fields: Fields): string[] {
  const rank = (name: string) => {
    const { required, setBy } = fields[name]!;
    if (setBy === 'COMMAND' || inputSchema(fields[name]!) === null) return 3;
    return required ? 0 : setBy === 'ADD' ? 2 : 1;
  };
  const ranks = new Map(Object.keys(fields).map((name) => [name, rank(name)]));
  return [...ranks.keys()].sort((a, b) => ranks.get(a)! - ranks.get(b)!);
}

function shapeOf(names: readonly string[], schemaOf: (name: string) => z.ZodType | null): z.ZodRawShape {
  const schemas = names.map((name) => [name, schemaOf(name)] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== null)) as z.ZodRawShape;
}

/** Returns a field's schema in inputs; null if no input sets it. */
function inputSchema(definition: Field): z.ZodType | null {
  const value = definition.derived ? null : valueSchema(definition);
  if (value === null) return null;
  if (definition.required) return describe(value, definition);
  return describe(definition.initial === undefined ? field.clearable(value) : value.optional(), definition);
}

/** Returns the schema of a value as callers give it; null if they never do. */
function valueSchema(definition: Field): z.ZodType | null {
  switch (definition.kind) {
    case 'name':
      return field.name();
    case 'person':
      return field.person();
    case 'text':
      return definition.required ? field.requiredText() : field.text();
    case 'longText':
      return field.longText();
    case 'url':
      return field.url();
    case 'sha256':
      return field.sha256Digest();
    case 'date':
      return field.date();
    case 'time':
      return field.dateOrTime();
    case 'boolean':
      return z.boolean();
    case 'rating':
      return field.rating();
    case 'months':
      return field.months();
    case 'account':
      return field.owner();
    case 'enum':
      return field.enumOf(definition.values as [string, ...string[]]);
    case 'id':
      return field.recordId(definition.prefix);
    case 'ids':
      return field.idList(
        definition.maxItems,
        RECORD_PREFIXES.filter((prefix) => prefix !== definition.exceptPrefix),
      );
    default:
      return null;
  }
}

function filterSchema(definition: Field): z.ZodType {
  switch (definition.kind) {
    case 'boolean':
    case 'past':
      return z.boolean();
    default:
      return field.listOf(valueSchema(definition)!);
  }
}

function keyFilterSchema(kind: KeyFilter['kind']): z.ZodType {
  switch (kind) {
    case 'date':
      return field.date();
    case 'time':
      return field.timestamp();
    case 'score':
      return field.score();
    case 'rating':
      return field.rating();
    case 'boolean':
      return z.boolean();
  }
}

function answerSchema(definition: Field): z.ZodType {
  const value = answerValueSchema(definition);
  if (['count', 'validCount', 'past'].includes(definition.kind)) return describe(value, definition);
  const isNeverNull = definition.required || definition.initial !== undefined;
  return describe(isNeverNull ? value : value.nullable(), definition);
}

/** Returns the schema of a value as answers give it. */
function answerValueSchema(definition: Field): z.ZodType {
  switch (definition.kind) {
    case 'time':
      return statedTime();
    case 'account':
      return field.id('acc');
    case 'importedName':
      return field.id('nam');
    case 'id':
      return field.id(definition.prefix);
    case 'score':
      return field.score();
    case 'share':
      return z.number().min(0).max(1);
    case 'position':
      return position();
    case 'count':
    case 'validCount':
      return z.int();
    case 'past':
      return z.boolean();
    case 'object':
      return z.strictObject(answerFields(definition));
    default:
      return valueSchema(definition)!;
  }
}

function describe<Schema extends z.ZodType>(schema: Schema, { note }: Field): Schema {
  return note === undefined ? schema : field.withoutDescription(schema.describe(note));
}
