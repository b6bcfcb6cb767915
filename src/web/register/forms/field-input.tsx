import type { ComponentChildren } from 'preact';
import { codesAsWords } from '../../../texts/words.ts';
import { ChoiceField, SelectField, TextAreaField, TextField } from '../../components/fields.tsx';
import type { FormState } from '../../server/form-state.ts';
import { type FormField, typedList } from './form-fields.ts';

const TEXT_ROWS = 3;
const LONG_TEXT_ROWS = 8;

interface FieldInputProps {
  form: FormState;
  input: FormField;
  /** The value until something is typed. */
  value: string;
  /** The cursor is here when the page opens. */
  autofocus?: boolean;
}

/** The control of one field, by its kind. */
export function FieldInput({ form, input, value, autofocus = false }: FieldInputProps) {
  const { name, field, choices } = input;
  const { kind, label, note, required } = field;
  const shared = {
    form,
    name,
    value,
    autofocus,
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

const NONE_OF_THESE = { value: '', label: 'None of these' };

/** The fields of a list in which nothing is named yet. */
const RECORD_ROWS = 3;

/** A list of records: those that are named already, and fields for others. */
function RecordsInput({ form, input, label }: { form: FormState; input: FormField; label: string }) {
  const { name, choices, candidates = [], askedAt, suggestFrom } = input;
  const named = choices ?? [];
  const isAsked = candidates.length > 0;
  // The choice takes the place of the word that several records have.
  const sent = typedList(form.values, name).filter((_, at) => !isAsked || at !== askedAt);
  const typed = sent.filter((text) => !named.some(({ value }) => value === text));
  const chosen = { ...form, values: new Map([[name, sent]]) };
  const rows = Math.max(typed.length + 1, named.length > 0 || isAsked ? 1 : RECORD_ROWS);
  const isFirst = (row: number) => row === 0 && named.length === 0 && !isAsked;
  return (
    <>
      {isAsked && (
        <ChoiceField
          form={chosen}
          name={name}
          label="The record that you mean"
          choices={[...candidates, NONE_OF_THESE]}
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
      {Array.from({ length: rows }, (_, row) => (
        <TextField
          key={row}
          form={{ ...(isFirst(row) ? form : withoutErrors(form)), values: new Map([[name, [typed[row] ?? '']]]) }}
          name={name}
          id={isFirst(row) ? name : `${name}-${row + 1}`}
          label={isFirst(row) ? label : 'Another record'}
          {...(row === 0 ? { hint: 'The number or name of a record.' } : {})}
          required={false}
          suggestFrom={suggestFrom ?? undefined}
        />
      ))}
    </>
  );
}

/** Returns a note of the description as a sentence for people. */
function hintText(note: string): ComponentChildren {
  const text = codesAsWords(note);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
