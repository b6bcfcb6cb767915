import { FAMILY_DESCRIPTIONS } from '../register/families.ts';
import type { Fields } from '../register/field.ts';
import { relationLabel } from '../register/link.ts';
import { codeWords, instantText } from './words.ts';

/* Values of records as text. */

/** People's names by key. `ReportPeople` explains the keys. */
export type NamesByKey = ReadonlyMap<string, string>;

/** Returns the name for an account id, if possible the one at this time. Undefined for any other text. */
export function personName(people: NamesByKey, text: string, time?: unknown): string | undefined {
  const nameThen = time === undefined ? undefined : people.get(`${text}@${String(time)}`);
  return nameThen ?? people.get(text);
}

/** Fields that hold a value of an enumeration: those of any family, and those of reports' own rows. */
const ENUM_FIELDS = new Set([
  ...FAMILY_DESCRIPTIONS.flatMap(({ fields }) => enumFieldNames(fields)),
  ...['kind', 'type', 'what', 'record_type', 'event_type'],
]);

export const isEnumField = (field: string): boolean => ENUM_FIELDS.has(field.split('.').at(-1)!);

function enumFieldNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind === 'object') return enumFieldNames(field.fields);
    return field.kind === 'enum' ? [name] : [];
  });
}

/** Labels of enumerations' values, by field, of all families. */
const ENUM_LABELS = new Map<string, Readonly<Record<string, string>>>();
for (const { fields } of FAMILY_DESCRIPTIONS)
  for (const [name, field] of Object.entries(fields as Fields))
    if (field.kind === 'enum' && field.labels !== undefined)
      ENUM_LABELS.set(name, { ...ENUM_LABELS.get(name), ...field.labels });

/** Returns the labels of a field's values, for those whose own words aren't readable. */
export const enumLabels = (field: string) => ENUM_LABELS.get(field);

/** Options for writing values as text. */
export interface TextStyle {
  /** Names for account ids. */
  people: NamesByKey;
  /** The time of the act. Without it, names are those of the report's moment. */
  actTime?: unknown;
  /** Writes enumerations in words. By default they are written as the tools have them. */
  codesInWords?: boolean;
  /** Writes times to the minute. */
  toTheMinute?: boolean;
  /** Adds the ids of records in lists. */
  showIds?: boolean;
}

/**
 * Returns a value as text: "yes" or "no", lists with semicolons, records by name with their state, changes with an arrow.
 * Returns an empty text for no value.
 */
export function textOf(value: unknown, style: TextStyle): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string')
    return personName(style.people, value, style.actTime) ?? (style.toTheMinute ? instantText(value) : value);
  if (Array.isArray(value)) return value.map((item) => textOf(item, style)).join('; ');
  if (typeof value !== 'object') return String(value);
  return objectText(value as Record<string, unknown>, style);
}

export const codeText = (
  code: unknown,
  { codesInWords }: TextStyle,
  labels?: Readonly<Record<string, string>>,
): string => (codesInWords ? (labels?.[String(code)] ?? codeWords(String(code))) : String(code));

function objectText(value: Record<string, unknown>, style: TextStyle): string {
  const { name, id, reference_id, field } = value;
  if (field !== undefined) return fieldChangeText(String(field), value, style);
  if (name !== undefined) {
    const details = nameDetails(value, style);
    const fullName = [reference_id, name].filter((part) => part !== undefined).join(' ');
    return details.length === 0 ? fullName : `${fullName} (${details.join(', ')})`;
  }
  if (id !== undefined) return String(reference_id ?? id);
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return members.map(([key, member]) => memberText(key, member, style)).join(', ');
}

function memberText(key: string, value: unknown, style: TextStyle): string {
  const text =
    isEnumField(key) && typeof value === 'string' ? codeText(value, style, enumLabels(key)) : textOf(value, style);
  return style.codesInWords ? `${codeWords(key).toLowerCase()} ${text}` : `${key} ${text}`;
}

/** Returns a record's source, state and validity. Its name alone would mislead. */
function nameDetails({ id, source, state, valid_until, expired }: Record<string, unknown>, style: TextStyle): string[] {
  const details: string[] = source === undefined ? [] : [String(source)];
  if (state !== undefined) details.push(style.codesInWords ? codeText(state, style).toLowerCase() : String(state));
  if (valid_until !== undefined) details.push(`${expired === true ? 'expired' : 'valid until'} ${String(valid_until)}`);
  if (style.showIds && id !== undefined) details.push(String(id));
  return details;
}

/** Begins the fields of a crosswalk's change. The other control's number follows, or a relation. */
const LINKED_FIELD = 'linked.';

/** Returns a pair of a crosswalk, such as "Equivalent to GV.PO-01", or the number of its pairs, such as "Equivalent: 12". */
export function crosswalkFieldText(field: string, to: unknown): string {
  const name = field.slice(LINKED_FIELD.length);
  return typeof to === 'number' ? `${codeWords(name)}: ${to}` : `${relationLabel(to) ?? String(to)} ${name}`;
}

/** Returns a field's change such as "status: Open → Closed". An empty old value is left out. */
function fieldChangeText(field: string, { from, to }: Record<string, unknown>, style: TextStyle): string {
  const sideText = (value: unknown) =>
    isEnumField(field) && typeof value === 'string' ? codeText(value, style, enumLabels(field)) : textOf(value, style);
  if (style.codesInWords && field.startsWith(LINKED_FIELD)) return crosswalkFieldText(field, to);
  const before = sideText(from);
  const name = style.codesInWords ? codeWords(field) : field;
  return `${name}: ${before === '' ? '' : `${before} → `}${sideText(to) || '–'}`;
}
