/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { type FormState, isFaulty } from './forms.ts';

interface FieldProps {
  form: FormState;
  name: string;
  label: string;
  hint?: ComponentChildren;
  required?: boolean;
  /** Where two forms of a page have a field of one name; the name unless said. */
  id?: string;
}

interface TextProps extends FieldProps {
  type?: 'text' | 'email' | 'password' | 'number' | 'date';
  autocomplete?: string;
  inputMode?: 'numeric';
  min?: number;
  max?: number;
  maxLength?: number;
  /** What stands in it where nothing was sent. */
  value?: string;
}

/** One line of text with its label, hint and fault. What was typed is shown again, but never a password. */
export function TextField(props: TextProps) {
  const { form, name, type = 'text', id = name } = props;
  const value = type === 'password' ? undefined : (form.sent.get(name)?.[0] ?? props.value ?? '');
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Hint {...props} />
      <input
        id={id}
        name={name}
        // The types of JSX tell inputs apart by their type, which here is any of these.
        type={type as 'text'}
        value={value}
        autocomplete={props.autocomplete ?? 'off'}
        inputMode={props.inputMode}
        min={props.min}
        max={props.max}
        maxLength={props.maxLength}
        required={props.required ?? true}
        {...describedBy(props)}
      />
      <Fault {...props} />
    </div>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** One of a list. */
export function SelectField(props: FieldProps & { choices: readonly Choice[]; value?: string }) {
  const { form, name, choices, id = name } = props;
  const chosen = form.sent.get(name)?.[0] ?? props.value;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Hint {...props} />
      <select id={id} name={name} {...describedBy(props)}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
      <Fault {...props} />
    </div>
  );
}

/** Any of a list, as check boxes of one name; or exactly one of it, as radio buttons. */
export function ChoiceField(
  props: FieldProps & { choices: readonly Choice[]; type?: 'checkbox' | 'radio'; chosen?: readonly string[] },
) {
  const { form, name, choices, type = 'checkbox' } = props;
  const chosen = form.sent.get(name) ?? props.chosen ?? [];
  const { 'aria-describedby': described } = describedBy(props);
  return (
    <fieldset class="field" aria-describedby={described}>
      <legend>{props.label}</legend>
      <Hint {...props} />
      {choices.map(({ value, label, hint }) => (
        <label key={value} class="choice">
          <input type={type} name={name} value={value} checked={chosen.includes(value)} />
          <span>
            {label}
            {hint !== undefined && <small>{hint}</small>}
          </span>
        </label>
      ))}
      <Fault {...props} />
    </fieldset>
  );
}

/** A check box of its own. */
export function CheckField({ form, name, label, hint }: FieldProps) {
  return (
    <div class="field">
      <label class="choice">
        <input type="checkbox" name={name} value="on" checked={(form.sent.get(name)?.[0] ?? '') !== ''} />
        <span>
          {label}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </label>
      <Fault form={form} name={name} />
    </div>
  );
}

/** Stands at the top of a form that was not taken. */
export function FormFault({ form }: { form: FormState }) {
  if (!isFaulty(form)) return null;
  return (
    // The page begins with it, however far down the form is.
    <p class="notice warning" role="alert" tabIndex={-1} autofocus>
      {form.fault ?? 'Something is not right yet: see below.'}
    </p>
  );
}

function Hint({ name, id = name, hint }: { name: string; id?: string; hint?: ComponentChildren }) {
  if (hint === undefined) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      {hint}
    </p>
  );
}

function Fault({ form, name, id = name }: { form: FormState; name: string; id?: string }) {
  const message = form.errors.get(name);
  if (message === undefined) return null;
  return (
    <p class="fault" id={`${id}-fault`}>
      {message}
    </p>
  );
}

function describedBy({ form, name, id = name, hint }: FieldProps) {
  const ids = [hint !== undefined && `${id}-hint`, form.errors.has(name) && `${id}-fault`].filter(Boolean);
  return {
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': form.errors.has(name) ? ('true' as const) : undefined,
  };
}
