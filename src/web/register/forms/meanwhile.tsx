import type { RecordDetails } from '../../../queries/records/record-details.ts';
import type { FormState } from '../../server/form-state.ts';
import { enumText, type RecordRow } from '../field-content.tsx';
import { type FormField, valueText } from './form-fields.ts';

/** A field that somebody changed after the form was opened. */
export interface MeanwhileChange {
  input: FormField;
  /** The value that the form showed, and the value now. */
  before: string;
  now: string;
  /** The name of the person who changed it last; null if the history shown is too short for it. */
  by: string | null;
}

/** Returns the fields of a form that changed after it was opened. @param shown the record as the form showed it */
export function meanwhileChanges(
  fields: readonly FormField[],
  shown: RecordRow,
  { record }: Pick<RecordDetails, 'record'>,
): MeanwhileChange[] {
  return fields.flatMap((input) => {
    const [before, now] = [valueText(shown[input.name]), valueText(record[input.name])];
    if (before === now) return [];
    const change = record.history.changes.find(({ changes }) => changes.some(({ field }) => field === input.name));
    return [{ input, before, now, by: change?.actor.name ?? null }];
  });
}

/** Longer values are left out of a sentence. */
const MAX_VALUE_CHARACTERS = 40;

/** Returns a sentence such as `Priya changed Likelihood from 2 to 3.` Texts that people typed are in quotes. */
export function meanwhileText({ input, before, now, by }: MeanwhileChange): string {
  const [from, to] = [before, now].map((text) => quoted(input, text)) as [string, string];
  const values = from.length + to.length > MAX_VALUE_CHARACTERS ? '' : ` from ${from} to ${to}`;
  return `${by ?? 'Somebody'} changed ${input.field.label}${values}.`;
}

/** The name of the radio buttons that settle a field which both changed. */
const choiceName = (name: string) => `theirs.${name}`;

/** Returns the fields in which the form gives way to the others' values. */
export function concededFields(values: FormState['values'], fields: readonly FormField[]): string[] {
  return fields.map(({ name }) => name).filter((name) => values.get(choiceName(name))?.[0] === 'THEIRS');
}

/** A field that both changed: before, theirs and yours, and the choice between the two. */
export function ContestedField({ change, yours }: { change: MeanwhileChange; yours: string }) {
  const { input, before, now } = change;
  const { name } = input;
  return (
    <fieldset class="notice warning" aria-labelledby={`${name}-meanwhile`}>
      <p id={`${name}-meanwhile`}>
        <b>{meanwhileText(change)}</b>
      </p>
      <dl class="facts">
        {Object.entries({ Before: before, Theirs: now, Yours: yours }).map(([version, text]) => (
          <>
            <dt>{version}</dt>
            <dd>{quoted(input, text)}</dd>
          </>
        ))}
      </dl>
      {(
        [
          ['MINE', 'Keep mine'],
          ['THEIRS', 'Take theirs'],
        ] as const
      ).map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" name={choiceName(name)} value={value} checked={value === 'MINE'} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function quoted(input: FormField, text: string): string {
  const { field, choices } = input;
  const isTyped = choices === null && ['name', 'person', 'text', 'longText', 'url'].includes(field.kind);
  return text !== '' && isTyped ? `“${text}”` : labelOf(input, text);
}

function labelOf({ field, choices }: FormField, text: string): string {
  if (text === '') return 'empty';
  return choices?.find(({ value }) => value === text)?.label ?? (field.kind === 'enum' ? enumText(field, text) : text);
}
