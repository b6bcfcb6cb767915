import type { z } from 'zod';
import { nextStates } from '../../../commands/workflow.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Field, Fields } from '../../../register/field.ts';
import type { Choice } from '../../components/fields.tsx';
import type { ToolError } from '../../server/call-tool.ts';
import type { FormValues } from '../../server/form-state.ts';
import { enumText, type RecordRow } from '../field-content.tsx';

/** One field of a form: an input of the form's tool, as the family describes it. */
export interface FormField {
  /** The name of the tool's input. */
  name: string;
  field: Field;
  /** The values to choose from; null for a field that is typed. */
  choices: readonly Choice[] | null;
  /** The page whose search suggests records for what is typed; null for another field. */
  suggestFrom?: string | null;
  /** The records that a word typed here may name. */
  candidates?: readonly Choice[];
  /** The place of this word in a list. */
  askedAt?: number;
}

/** The choices that depend on the organization: its members, and records by the name of the field that takes them. */
export interface OrganizationChoices {
  members: readonly Choice[];
  records: ReadonlyMap<string, readonly Choice[]>;
}

const NOT_SET: Choice = { value: '', label: 'Not set' };

/**
 * Returns the fields of a form, in the order of their description.
 * @param fields their descriptions
 * @param record the record that the form changes; null for a new one
 */
export function formFields(
  family: FamilyDescription,
  fields: Fields,
  organizationChoices: OrganizationChoices,
  record: RecordRow | null,
): FormField[] {
  return Object.entries(fields).map(([name, described]) => {
    // A form takes a record by its name, not by an id.
    const field = described.kind === 'id' ? { ...described, label: described.label.replace(/ id$/, '') } : described;
    const choices = choicesOf(family, name, field, organizationChoices, record);
    if (choices === null || field.kind === 'ids') return { name, field, choices };
    const isNeverEmpty =
      record !== null && valueText(record[name]) !== '' && (field.required || field.initial !== undefined);
    const offered = isNeverEmpty || field.initial !== undefined ? choices : [NOT_SET, ...choices];
    return { name, field, choices: withCurrent(offered, record, name) };
  });
}

/** Returns the fields, of which the one that a tool refused offers the records that its word may name. */
export function withCandidates(
  fields: readonly FormField[],
  { field = '' }: Pick<ToolError, 'field'>,
  candidates: readonly Choice[],
): readonly FormField[] {
  if (candidates.length === 0) return fields;
  const refused = inputOf(field);
  return fields.map((input) => (input.name === refused ? { ...input, candidates, askedAt: placeIn(field) } : input));
}

/** Returns the input that an error's field names. A list names its item too: `record_ids.0`, `links.0.to_id`. */
export function inputOf(field: string): string {
  return field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
}

/** Returns the place in a list that an error's field names. */
const placeIn = (field: string): number => Number(/\d+/.exec(field)?.[0] ?? 0);

/** Returns the word that an error is about, as it was typed. */
export function refusedWord({ field = '' }: Pick<ToolError, 'field'>, values: FormValues): string {
  return typedList(values, inputOf(field))[placeIn(field)] ?? '';
}

/** Returns true if a word is neither the number nor the name of a record. */
export const isUnknownRecord = ({ message }: Pick<ToolError, 'message'>): boolean => message.includes(NAMES_NO_RECORD);

/** Begins the clause of tools about such a word. */
export const NAMES_NO_RECORD = 'names no record';

/** Returns the fields that a tool takes. */
export function fieldsTaken(fields: Fields, inputs: z.ZodObject): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(inputs.shape, name)));
}

/** Returns the values of a field that is chosen from a list; null if it is typed. */
function choicesOf(
  family: FamilyDescription,
  name: string,
  field: Field,
  { members, records }: OrganizationChoices,
  record: RecordRow | null,
): readonly Choice[] | null {
  switch (field.kind) {
    case 'enum':
      return enumValues(family, name, field, record).map((value) => ({ value, label: enumText(field, value) }));
    case 'rating':
      return [1, 2, 3, 4, 5].map((step) => ({
        value: String(step),
        label: field.labels?.[step] === undefined ? String(step) : `${step} · ${field.labels[step]}`,
      }));
    case 'boolean':
      return [
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ];
    case 'account':
      return members;
    case 'id':
    case 'ids':
      return records.get(name) ?? [];
    default:
      return null;
  }
}

/** Returns the values of an enum. A state has those that can follow, or the first ones of a new record. */
function enumValues(
  family: FamilyDescription,
  name: string,
  { values }: Field & { kind: 'enum' },
  record: RecordRow | null,
): readonly string[] {
  if (family.workflow?.field !== name) return values;
  if (record === null) return family.workflow.first?.states ?? values;
  const current = String(record[name]);
  const next = nextStates(family, name, current);
  return values.filter((value) => value === current || next.includes(value));
}

/** Adds the record's value if nobody can choose it any more, such as an owner who has left. */
function withCurrent(choices: readonly Choice[], record: RecordRow | null, name: string): readonly Choice[] {
  const value = valueText(record?.[name]);
  if (value === '' || choices.some((choice) => choice.value === value)) return choices;
  const label = name === 'owner_id' && typeof record?.owner === 'string' ? record.owner : value;
  return [...choices, { value, label }];
}

/** Returns a record's value as a form holds it. An empty field is an empty text. */
export function valueText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Returns the inputs of a tool that a form sent. Empty fields are left out. */
export function typedInputs(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  const inputs = fields.map(({ name, field }) => [
    name,
    field.kind === 'ids' ? typedList(values, name) : typedText(values, name) || undefined,
  ]);
  return Object.fromEntries(inputs.filter(([, input]) => input !== undefined && String(input) !== ''));
}

/** Returns the numbers, names and ids that a form sent for a list of records. */
export function typedList(values: FormValues, name: string): readonly string[] {
  return (values.get(name) ?? []).map((text) => text.trim()).filter((text) => text !== '');
}

/** Returns what a form sent for a field, as the tool stores texts; undefined if it has no such field. */
export function typedText(values: FormValues, name: string): string | undefined {
  return values.get(name)?.[0]?.replaceAll('\r\n', '\n').trim();
}
