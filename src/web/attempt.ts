import type { z } from 'zod';
import { Refusal } from '../commands/refusal.ts';
import { checkForm, type FormState, refusedForm, type Sent } from './forms.ts';
import { Redirect, redirect } from './visit.ts';

/** What came of a form: `state` is the form to show again. */
export type Attempt<T> = { done: T; state: null } | { done: null; state: FormState };

/**
 * Does what a form asks for, once its fields are what `shape` takes. What is refused is said in the form, beside the
 * field that it names; whatever else goes wrong, too many tries among it, has a page of its own.
 */
export async function attempt<S extends z.ZodRawShape, T>(
  sent: Sent,
  shape: S,
  deed: (value: z.output<z.ZodObject<S>>) => Promise<T>,
): Promise<Attempt<T>> {
  const checked = checkForm(shape, sent);
  if (checked.state !== null) return { done: null, state: checked.state };
  try {
    return { done: await deed(checked.value), state: null };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return { done: null, state: refusedForm(error, sent, Object.keys(shape)) };
  }
}

/** The same for a form that is not shown again: what came of it is said at the top of the page `to`. */
export async function doThere<S extends z.ZodRawShape>(
  to: string,
  done: string,
  sent: Sent,
  shape: S,
  deed: (value: z.output<z.ZodObject<S>>) => Promise<unknown>,
): Promise<Redirect> {
  const { state } = await attempt(sent, shape, deed);
  if (state === null) return redirect(to, done);
  const text = state.fault ?? [...state.errors.values()].join(' ');
  return new Redirect(to, { kind: 'WARNING', text });
}

/** What a person can do something about on the page where they are. */
function isAnswer(error: unknown): error is Refusal {
  return error instanceof Refusal && !['internal', 'unavailable', 'rate_limited'].includes(error.code);
}
