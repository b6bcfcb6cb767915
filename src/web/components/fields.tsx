import type { ComponentChildren } from 'preact';
import { type FormState, hasErrors } from '../server/form-state.ts';
import { momentText } from '../texts/dates.ts';

interface FieldProps {
  form: FormState;
  name: string;
  label: string;
  hint?: ComponentChildren;
  required?: boolean;
  /** The cursor is here when the page opens. */
  autofocus?: boolean;
  /** Needed if two forms of a page have a field of this name. Default: `name`. */
  id?: string;
}

interface TextProps extends FieldProps {
  type?: 'text' | 'email' | 'password' | 'number' | 'date';
  autocomplete?: string;
  inputMode?: 'numeric';
  min?: number;
  max?: number;
  maxLength?: number;
  /** The value shown if nothing was sent. */
  value?: string;
  /** The page whose search suggests records for what is typed. */
  suggestFrom?: string | undefined;
}

/** One line of text with its label, hint and error. Shows again what was typed, but never a password. */
export function TextField(props: TextProps) {
  const { form, name, type = 'text', id = name } = props;
  const value = type === 'password' ? undefined : (form.values.get(name)?.[0] ?? props.value ?? '');
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Hint {...props} />
      <input
        id={id}
        name={name}
        // JSX types have one type per input type; here it varies.
        type={type as 'text'}
        value={value}
        autocomplete={props.autocomplete ?? 'off'}
        inputMode={props.inputMode}
        min={props.min}
        max={props.max}
        maxLength={props.maxLength}
        required={props.required ?? true}
        data-suggest={props.suggestFrom}
        autofocus={props.autofocus}
        {...describedBy(props)}
      />
      <FieldError {...props} />
    </div>
  );
}

/** Several lines of text with their label, hint and error. Shows again what was typed. */
export function TextAreaField(props: FieldProps & { rows: number; value?: string }) {
  const { form, name, rows, id = name } = props;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Hint {...props} />
      <textarea id={id} name={name} rows={rows} autofocus={props.autofocus} {...describedBy(props)}>
        {form.values.get(name)?.[0] ?? props.value ?? ''}
      </textarea>
      <FieldError {...props} />
    </div>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
  /** A point in time that the label names, as `momentText` writes it. The script shows it in the reader's zone. */
  at?: string | undefined;
}

/**
 * A choice of one from a list.
 * @param props.prompt the text shown until something is chosen, for a choice that needs a thought
 */
export function SelectField(props: FieldProps & { choices: readonly Choice[]; value?: string; prompt?: string }) {
  const { form, name, choices, prompt, id = name } = props;
  const chosen = form.values.get(name)?.[0] ?? props.value;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Hint {...props} />
      <select id={id} name={name} required={prompt !== undefined} {...describedBy(props)}>
        {prompt !== undefined && <option value="">{prompt}</option>}
        {choices.map(({ value, label, at }) => (
          <option
            key={value}
            value={value}
            selected={value === chosen}
            data-at={at}
            data-at-text={at && momentText(at)}
          >
            {label}
          </option>
        ))}
      </select>
      <FieldError {...props} />
    </div>
  );
}

/** Check boxes of one name for any number of choices, or radio buttons for exactly one. */
export function ChoiceField(
  props: FieldProps & { choices: readonly Choice[]; type?: 'checkbox' | 'radio'; chosen?: readonly string[] },
) {
  const { form, name, choices, type = 'checkbox', id = name } = props;
  const chosen = form.values.get(name) ?? props.chosen ?? [];
  const { 'aria-describedby': descriptionId } = describedBy(props);
  return (
    <fieldset class="field" aria-describedby={descriptionId}>
      <legend>{props.label}</legend>
      <Hint {...props} />
      {choices.map(({ value, label, hint }, at) => (
        <label key={value} class="choice">
          <input
            // The summary of errors links to the first choice.
            id={at === 0 ? id : undefined}
            type={type}
            name={name}
            value={value}
            checked={chosen.includes(value)}
            required={props.required ?? false}
          />
          <span>
            {label}
            {hint !== undefined && <small>{hint}</small>}
          </span>
        </label>
      ))}
      <FieldError {...props} />
    </fieldset>
  );
}

/** A single check box. */
export function CheckField({ form, name, label, hint }: FieldProps) {
  return (
    <div class="field">
      <label class="choice">
        <input type="checkbox" name={name} value="on" checked={(form.values.get(name)?.[0] ?? '') !== ''} />
        <span>
          {label}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </label>
      <FieldError form={form} name={name} />
    </div>
  );
}

/**
 * The summary at the top of a form with errors. Each error links to its field.
 * @param props.ids the ids of fields whose id is not their name
 */
export function FormError({ form, ids = {} }: { form: FormState; ids?: Readonly<Record<string, string>> }) {
  if (!hasErrors(form)) return null;
  return (
    // Focused, so that the browser scrolls to the form.
    <div class="notice errors" role="alert" tabIndex={-1} autofocus>
      <h2>There is a problem</h2>
      {form.formError !== null && <p>{form.formError}</p>}
      {form.errors.size > 0 && (
        <ul>
          {[...form.errors].map(([name, message]) => (
            <li key={name}>
              <a href={`#${ids[name] ?? name}`}>{message}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
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

function FieldError({ form, name, id = name }: { form: FormState; name: string; id?: string }) {
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
