import type { z } from 'zod';
import { RETRYABLE_CODES, Refusal } from '../../commands/engine/refusal.ts';
import { checkForm, type FormState, type FormValues, formWithRefusal } from './form-state.ts';
import { Redirect, redirect } from './page-request.ts';

/** The outcome of a form: a result, or the form to show again. */
export type Submission<T> = { result: T; form: null } | { result: null; form: FormState };

/**
 * Checks a form's fields against `shape` and runs `action` with them. A refusal is shown in the form, at the field that it
 * names.
 * @throws what `action` throws, unless the person can correct it in this form. Rate limits and outages have an error page
 */
export async function submitForm<S extends z.ZodRawShape, T>(
  formValues: FormValues,
  shape: S,
  action: (value: z.output<z.ZodObject<S>>) => Promise<T>,
): Promise<Submission<T>> {
  const formCheck = checkForm(shape, formValues);
  if (formCheck.form !== null) return { result: null, form: formCheck.form };
  try {
    return { result: await action(formCheck.value), form: null };
  } catch (error) {
    if (!isShownInForm(error)) throw error;
    return { result: null, form: formWithRefusal(error, formValues, Object.keys(shape)) };
  }
}

/** Does the same for a form that is not shown again. The page `to` shows the outcome at its top. */
export async function submitAndRedirect<S extends z.ZodRawShape>(
  to: string,
  doneText: string,
  formValues: FormValues,
  shape: S,
  action: (value: z.output<z.ZodObject<S>>) => Promise<unknown>,
): Promise<Redirect> {
  const { form } = await submitForm(formValues, shape, action);
  return form === null ? redirect(to, doneText) : redirectWithErrors(to, form);
}

/** Redirects to a page that shows the form's errors at its top. */
export function redirectWithErrors(to: string, { formError, errors }: FormState): Redirect {
  return new Redirect(to, { kind: 'WARNING', text: formError ?? [...errors.values()].join(' ') });
}

function isShownInForm(error: unknown): error is Refusal {
  return error instanceof Refusal && !RETRYABLE_CODES.has(error.code);
}
