import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Refusal } from '../commands/refusal.ts';
import { readBody } from '../http/body.ts';
import { HttpError } from '../http/http-errors.ts';

/** The most that a form may send, and the most fields. */
const FORM_LIMIT = 64 * 1024;
const MAX_FIELDS = 300;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** What a form sent: each name's values in their order. A Map, so that no name means more than another. */
export type Sent = ReadonlyMap<string, readonly string[]>;

export const NOTHING_SENT: Sent = new Map();

/** Reads a form's body. @throws HttpError 413, 415, 400 */
export async function readForm(request: IncomingMessage): Promise<Sent> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!FORM_TYPE.test(type) || encoding !== 'identity') {
    throw new HttpError(415, 'invalid_input', 'Send the form as a browser does, form-urlencoded.');
  }
  const body = await readBody(request, FORM_LIMIT);
  const sent = new Map<string, string[]>();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    fields += 1;
    if (fields > MAX_FIELDS)
      throw new HttpError(400, 'invalid_input', 'The form has too many fields: reload the page.');
    const values = sent.get(name);
    if (values === undefined) sent.set(name, [value]);
    else values.push(value);
  }
  return sent;
}

/** A field that is sent once, or not at all, which is an empty text. */
export function one<T>(inner: z.ZodType<T, string>) {
  return z
    .array(z.string())
    .max(1, 'This was sent twice: reload the page.')
    .transform((values) => values[0] ?? '')
    .pipe(inner);
}

/** A field that is sent any number of times, as check boxes of one name are. */
export function many<T>(inner: z.ZodType<T, string>) {
  return z.array(inner);
}

/** What the page itself put into the form, such as an id. */
export const hidden = () => one(z.string().min(1, 'Reload the page, then try again.'));

/** A check box of its own. */
export const checkbox = () => one(z.string().transform((value) => value !== ''));

/** A field that the script fills with a JSON object. Its shape is for whoever takes it to check. */
export const jsonObject = (message: string) =>
  z.string().transform((text, context): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Said below.
    }
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** What is shown again of a form that was not taken: what was typed and what is wrong with it. */
export interface FormState {
  sent: Sent;
  /** By field. */
  errors: ReadonlyMap<string, string>;
  /** What is wrong with no single field. */
  fault: string | null;
}

export const BLANK: FormState = { sent: NOTHING_SENT, errors: new Map(), fault: null };

export const isFaulty = ({ errors, fault }: FormState): boolean => fault !== null || errors.size > 0;

/** A form filled in by us. */
export function filled(values: Record<string, string | readonly string[]>): FormState {
  const sent = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'string' ? [value] : value] as const,
  );
  return { ...BLANK, sent: new Map(sent) };
}

/** A form's fields as `schema` (of `one` and `many`) takes them, or the form to show again. Other fields are ignored. */
export function checkForm<S extends z.ZodRawShape>(
  shape: S,
  sent: Sent,
): { value: z.output<z.ZodObject<S>>; state: null } | { value: null; state: FormState } {
  const fields = Object.fromEntries(Object.keys(shape).map((name) => [name, sent.get(name) ?? []]));
  const read = z.object(shape).safeParse(fields);
  if (read.success) return { value: read.data, state: null };
  const errors = new Map<string, string>();
  for (const { path, message } of read.error.issues) {
    const name = String(path[0]);
    if (!errors.has(name)) errors.set(name, message);
  }
  return { value: null, state: { sent, errors, fault: null } };
}

/** The form to show again after a refusal, beside the field that it names where the form has that. */
export function refusedForm(refusal: Refusal, sent: Sent, fields: readonly string[]): FormState {
  const { field } = refusal.more;
  if (field === undefined || !fields.includes(field)) return { sent, errors: new Map(), fault: refusal.message };
  return { sent, errors: new Map([[field, refusal.message]]), fault: null };
}
