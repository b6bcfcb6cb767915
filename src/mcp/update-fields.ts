import { Refusal } from '../commands/refusal.ts';
import { isBlank } from './left-out.ts';
import { isObject } from './protocol-message.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Returns the input of an update with those of its settable properties alone that `fields` names. Without `fields` all
 * apply, as long as the caller can have meant them.
 * @throws Refusal invalid_input where `fields` names what is not given, and where an update without it gives every
 * property and clears several: a strict caller has to send all, and would clear what it does not want to change
 */
export function withAppliedFields(settable: readonly string[], input: unknown): unknown {
  if (!isObject(input)) return input;
  const { fields } = input;
  if (fields === undefined || fields === null || (Array.isArray(fields) && fields.length === 0)) {
    refuseAllGiven(settable, input);
    return input;
  }
  // Anything else is refused as the schema is read.
  if (!Array.isArray(fields) || !fields.every((name) => settable.includes(name))) return input;
  const absent = fields.find((name) => !Object.hasOwn(input, name));
  if (absent !== undefined) {
    throw new Refusal(
      'invalid_input',
      `fields names ${absent}, which is not given: give it, or take it out of fields.`,
      {
        field: 'fields',
      },
    );
  }
  return Object.fromEntries(
    Object.entries(input).filter(([name]) => !settable.includes(name) || fields.includes(name)),
  );
}

function refuseAllGiven(settable: readonly string[], input: Input): void {
  if (!settable.every((name) => Object.hasOwn(input, name))) return;
  const cleared = settable.filter((name) => isBlank(input[name]));
  if (cleared.length < 2) return;
  throw new Refusal(
    'invalid_input',
    `All properties are given, and ${cleared.length} of them would be cleared: name those to change in fields.`,
    { field: 'fields', allowed: settable },
  );
}
