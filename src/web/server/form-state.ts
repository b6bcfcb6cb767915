import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Refusal } from '../../commands/engine/refusal.ts';
import { readBody } from '../../http/body.ts';
import { HttpError } from '../../http/http-errors.ts';
import { withRoleNames } from '../texts/role-labels.ts';

/** Limits of a form's body, and of its fields. */
const MAX_FORM_BYTES = 64 * 1024;
/** A record has up to four texts of 10,000 characters, and a character can have 9 bytes in a form. */
export const MAX_RECORD_FORM_BYTES = 512 * 1024;
const MAX_FORM_FIELDS = 300;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The values that a form sent, by field name and in order. A Map, because an object has names of its own. */
export type FormValues = ReadonlyMap<string, readonly string[]>;

export const NO_FORM_VALUES: FormValues = new Map();

/** Reads a form's body. @throws HttpError 413, 415, 400 */
export async function readForm(request: IncomingMessage, maxBytes = MAX_FORM_BYTES): Promise<FormValues> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!FORM_TYPE.test(type) || encoding !== 'identity') {
    throw new HttpError(415, 'invalid_input', 'Send the form as application/x-www-form-urlencoded.');
  }
  const body = await readBody(request, maxBytes);
  const text = body.toString('utf8');
  // Parsing 250,000 fields would take 40 ms. A last "&" begins no field.
  if (text.split('&', MAX_FORM_FIELDS + 2).length > MAX_FORM_FIELDS + 1) throw tooManyFields();
  const values = new Map<string, string[]>();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    fields += 1;
    if (fields > MAX_FORM_FIELDS) throw tooManyFields();
    const fieldValues = values.get(name);
    if (fieldValues === undefined) values.set(name, [value]);
    else fieldValues.push(value);
  }
  return values;
}

const tooManyFields = () =>
  new HttpError(400, 'invalid_input', 'The form has too many fields. Reload the page and try again.');

/** A field that is sent once. A missing field counts as empty text. */
export function singleField<T>(inner: z.ZodType<T, string>) {
  return z
    .array(z.string())
    .max(1, 'This was sent twice. Reload the page and try again.')
    .transform((values) => values[0] ?? '')
    .pipe(inner);
}

/** A field that is sent any number of times, such as check boxes of one name. */
export function repeatedField<T>(inner: z.ZodType<T, string>) {
  return z.array(inner);
}

/** A value that the page itself put into the form, such as an id. */
export const hiddenField = () => singleField(z.string().min(1, 'Reload the page and try again.'));

/** A single check box. */
export const checkboxField = () => singleField(z.string().transform((value) => value !== ''));

/** A field that the page's script fills with a JSON object. The receiver checks its shape. */
export const jsonObject = (message: string) =>
  z.string().transform((text, context): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Reported below.
    }
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** A form to show again: the values that were typed, and the errors. */
export interface FormState {
  values: FormValues;
  /** Error texts by field. */
  errors: ReadonlyMap<string, string>;
  /** An error that belongs to no single field. */
  formError: string | null;
}

export const BLANK_FORM: FormState = { values: NO_FORM_VALUES, errors: new Map(), formError: null };

export const hasErrors = ({ errors, formError }: FormState): boolean => formError !== null || errors.size > 0;

/** Returns a form with these values and no errors. */
export function filledForm(fields: Record<string, string | readonly string[]>): FormState {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, typeof value === 'string' ? [value] : value] as const,
  );
  return { ...BLANK_FORM, values: new Map(entries) };
}

/** Returns the fields of `shape` (made with `singleField` and `repeatedField`), or the form to show again. Ignores other fields. */
export function checkForm<S extends z.ZodRawShape>(
  shape: S,
  values: FormValues,
): { value: z.output<z.ZodObject<S>>; form: null } | { value: null; form: FormState } {
  const fields = Object.fromEntries(Object.keys(shape).map((name) => [name, values.get(name) ?? []]));
  const result = z.object(shape).safeParse(fields);
  if (result.success) return { value: result.data, form: null };
  const errors = new Map<string, string>();
  for (const { path, message } of result.error.issues) {
    const name = String(path[0]);
    if (!errors.has(name)) errors.set(name, message);
  }
  return { value: null, form: { values, errors, formError: null } };
}

/** Returns the form to show again after a refusal. The message stands at the field that it names, if the form has it. */
export function formWithRefusal(refusal: Refusal, values: FormValues, fields: readonly string[]): FormState {
  const { field } = refusal.more;
  const message = withRoleNames(refusal.message);
  if (field === undefined || !fields.includes(field)) return { values, errors: new Map(), formError: message };
  return { values, errors: new Map([[field, message]]), formError: null };
}
