import { invalidField, Refusal } from '../commands/engine/refusal.ts';
import { asList, isBlank, isObject } from './schema/client-values.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Returns an update's input with only those settable properties that `fields` names. Without `fields` all apply.
 * @throws Refusal invalid_input when `fields` names a property that the input lacks, or when there is no `fields`, all
 * properties are there and several are empty. A client in strict schema mode sends all, and would clear those by accident.
 */
export function withAppliedFields(settable: readonly string[], input: unknown): unknown {
  if (!isObject(input)) return input;
  const fields = asList(input.fields);
  if (fields === undefined || fields === null || (Array.isArray(fields) && fields.length === 0)) {
    refuseAccidentalClearing(settable, input);
    return input;
  }
  // The schema refuses anything else.
  if (!Array.isArray(fields) || !fields.every((name) => settable.includes(name))) return input;
  const missingField = fields.find((name) => !Object.hasOwn(input, name));
  if (missingField !== undefined) {
    throw invalidField(
      'fields',
      `fields names ${missingField}, but the input has no ${missingField}. Add it, or remove it from fields.`,
    );
  }
  return Object.fromEntries(
    Object.entries(input).filter(([name]) => !settable.includes(name) || fields.includes(name)),
  );
}

function refuseAccidentalClearing(settable: readonly string[], input: Input): void {
  if (!settable.every((name) => Object.hasOwn(input, name))) return;
  const empty = settable.filter((name) => isBlank(input[name]));
  if (empty.length < 2) return;
  throw new Refusal(
    'invalid_input',
    `All properties are given, and ${empty.length} of them would be cleared. Name the properties to change in fields.`,
    { field: 'fields', allowed: settable },
  );
}
