import type { ComponentChildren } from 'preact';
import { codesAsWords } from '../../../texts/words.ts';
import { ChoiceField, SelectField, TextAreaField, TextField } from '../../components/fields.tsx';
import type { FormState } from '../../server/form-state.ts';
import type { FormField } from './form-fields.ts';

const TEXT_ROWS = 3;
const LONG_TEXT_ROWS = 8;

/** The control of one field, by its kind. @param props.value the value until something is typed */
export function FieldInput({ form, input, value }: { form: FormState; input: FormField; value: string }) {
  const { name, field, choices } = input;
  const { kind, label, note, required } = field;
  const shared = {
    form,
    name,
    value,
    label: required ? `${label} (required)` : label,
    ...(note === undefined ? {} : { hint: hintText(note) }),
  };
  if (kind === 'ids') {
    return <ChoiceField {...shared} choices={choices ?? []} chosen={(choices ?? []).map((choice) => choice.value)} />;
  }
  if (choices !== null) return <SelectField {...shared} choices={choices} />;
  switch (kind) {
    case 'text':
      return <TextAreaField {...shared} rows={TEXT_ROWS} />;
    case 'longText':
      return <TextAreaField {...shared} rows={LONG_TEXT_ROWS} />;
    case 'date':
    case 'time':
      return <TextField {...shared} type="date" required={false} />;
    default:
      return <TextField {...shared} required={false} />;
  }
}

/** Returns a note of the description as a sentence for people. */
function hintText(note: string): ComponentChildren {
  const text = codesAsWords(note);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
