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
  const suggest = input.suggestFrom ?? undefined;
  if (kind === 'ids') return <RecordsInput form={form} input={input} label={shared.label} />;
  if (input.candidates !== undefined) {
    return (
      <>
        <ChoiceField form={form} name={name} label={shared.label} choices={input.candidates} type="radio" />
        <TextField
          {...shared}
          form={withoutErrors(form)}
          id={`${name}-other`}
          label="Another record"
          required={false}
          suggestFrom={suggest}
        />
      </>
    );
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
    case 'months':
      return <TextField {...shared} type="number" required={false} />;
    default:
      return <TextField {...shared} required={false} suggestFrom={suggest} />;
  }
}

/** The form for a second input of a field, whose error stands at the first. */
const withoutErrors = (form: FormState): FormState => ({ ...form, errors: new Map() });

/** A list of records: those that are named already, and a field for another one. */
function RecordsInput({ form, input, label }: { form: FormState; input: FormField; label: string }) {
  const { name, choices, candidates = [], suggestFrom } = input;
  const named = choices ?? [];
  const isAsked = candidates.length > 0;
  const typed = (form.values.get(name) ?? []).filter((text) => !named.some(({ value }) => value === text));
  // The choice takes the place of the word that several records have.
  const other = { ...form, values: new Map([...form.values, [name, isAsked ? [] : typed]]) };
  const isOther = named.length > 0 || isAsked;
  return (
    <>
      {isAsked && (
        <ChoiceField
          form={form}
          name={name}
          label="The record that you mean"
          choices={candidates}
          type="radio"
          required
        />
      )}
      {named.length > 0 && (
        <ChoiceField
          form={isAsked ? withoutErrors(form) : form}
          name={name}
          id={isAsked ? `${name}-named` : name}
          label={label}
          choices={named}
          chosen={named.map(({ value }) => value)}
        />
      )}
      <TextField
        form={isOther ? withoutErrors(other) : other}
        name={name}
        id={isOther ? `${name}-other` : name}
        label={isOther ? 'Another record' : label}
        hint="The number or name of a record."
        required={false}
        suggestFrom={suggestFrom ?? undefined}
      />
    </>
  );
}

/** Returns a note of the description as a sentence for people. */
function hintText(note: string): ComponentChildren {
  const text = codesAsWords(note);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
