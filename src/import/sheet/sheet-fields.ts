import { FAMILIES } from '../../commands/families.ts';
import { type FamilyName, linkedFamiliesOf } from '../../register/families.ts';
import { type Field, type Fields, MAX_MONTHS } from '../../register/field.ts';
import { headingsOf } from '../../register/headings.ts';
import type { SheetField } from '../../sheets/cells/read-cell.ts';
import { FAMILY_TOOLS } from '../../tools/all-family-tools.ts';
import { recordColumns } from '../../tools/record-file-catalog.ts';
import type { RowReader } from '../import-rows.ts';
import { OWNER_NAME } from './owner-column.ts';

export interface SheetFields {
  fields: readonly SheetField[];
  /** Fields that hold several values in one cell. */
  listFields: ReadonlySet<string>;
  /** Fields that take a member. */
  accountFields: ReadonlySet<string>;
  /** Fields that name records of other families, which become links. */
  linkFields: ReadonlyMap<string, FamilyName>;
  /** Fields that every row must have. */
  required: readonly string[];
  /** Columns of a file of the type's records that rows with an id can't set. */
  readOnlyColumns: ReadonlySet<string>;
}

/**
 * Returns the fields of a type. `id` is one of them only if a column is mapped to it, because many sheets have another
 * ID. Rows with an id change records.
 */
export function sheetFields({ type, addParser, updateParser }: RowReader, withId: boolean): SheetFields {
  const family = FAMILIES[type];
  const headings = headingsOf(family);
  const names = Object.keys({ ...updateParser?.schema.shape, ...addParser?.schema.shape }).filter(
    (name) => name !== 'id',
  );
  const fieldsOfType: Fields = { ...family.pastDecision?.fields, ...family.fields };
  const namedFields = names.map((name) => [name, fieldsOfType[name]!] as const);
  const namesOf = (has: (field: Field) => unknown) =>
    namedFields.filter(([, field]) => has(field)).map(([name]) => name);
  const needed = addParser === null ? ['id'] : namesOf(({ required }) => required);
  const linkFields = linkFieldsOf(type);
  return {
    fields: [
      ...(withId ? [{ name: 'id', kind: 'text' } as const] : []),
      ...(withId && names.includes('owner_id') ? [{ name: OWNER_NAME, kind: 'text' } as const] : []),
      ...namedFields.map(([name, field]) => sheetField(type, name, field, headings(name), withId)),
      ...[...linkFields].map(([name, linked]) => linkField(name, linked)),
    ],
    listFields: new Set(namesOf(({ kind }) => kind === 'ids')),
    accountFields: new Set(namesOf(({ kind }) => kind === 'account')),
    linkFields,
    required: withId ? ['id'] : needed,
    readOnlyColumns: new Set(withId ? readOnlyColumns(type, updateParser) : []),
  };
}

function readOnlyColumns(type: FamilyName, updateParser: RowReader['updateParser']): string[] {
  const { record } = FAMILY_TOOLS.find(({ family }) => family.type === type)!;
  const settable = [...Object.keys(updateParser?.schema.shape ?? {}), OWNER_NAME];
  return recordColumns(record).filter((column) => !settable.includes(column));
}

function sheetField(
  type: FamilyName,
  name: string,
  field: Field,
  headings: readonly string[],
  withId: boolean,
): SheetField {
  const isNamedByText = !withId && name === 'name' && field.required && 'description' in FAMILIES[type].fields;
  const common = {
    name,
    headings: [field.label, ...headings],
    ...(field.required ? { required: true } : {}),
    ...(field.kind === 'name' ? { isOneLine: true } : {}),
    // A register without titles has them in its descriptions. Records that exist have their names.
    ...(isNamedByText ? { fallback: 'description' } : {}),
  };
  switch (field.kind) {
    case 'enum':
      return { ...common, kind: 'enum', values: field.values };
    case 'id':
      return { ...common, kind: 'id', prefix: field.prefix };
    case 'boolean':
    case 'date':
    case 'rating':
    case 'url':
      return { ...common, kind: field.kind };
    case 'months':
      return { ...common, kind: 'months', max: MAX_MONTHS };
    case 'time':
      return { ...common, kind: 'timestamp' };
    default:
      return { ...common, kind: 'text' };
  }
}

/**
 * Returns a field, such as `risks`, for each other family with which the type's records can be linked. Links within a
 * family need a relation, which a column of references doesn't have.
 */
function linkFieldsOf(type: FamilyName): ReadonlyMap<string, FamilyName> {
  return new Map(linkedFamiliesOf(FAMILIES[type]).map(({ plural, type: linked }) => [plural, linked]));
}

function linkField(name: string, type: FamilyName): SheetField {
  const { singular, plural } = FAMILIES[type];
  const adjectives = ['linked', 'related', 'associated'];
  const nouns = [plural, singular];
  return {
    name,
    kind: 'text',
    headings: [
      ...adjectives.flatMap((adjective) => nouns.map((noun) => `${adjective} ${noun}`)),
      ...['ids', 'refs', 'references'].map((noun) => `${singular} ${noun}`),
    ],
  };
}
