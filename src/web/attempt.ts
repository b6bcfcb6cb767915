import { Refusal } from '../commands/refusal.ts';
import { type FormState, refusedForm, type Sent } from './forms.ts';
import { Redirect, redirect } from './visit.ts';

/** What came of a form: `state` is the form to show again. */
export type Attempt<T> = { done: T; state: null } | { done: null; state: FormState };

/**
 * Does what a form asks for. What is refused is said in the form, beside the field that it names; whatever else goes
 * wrong, too many tries among it, has a page of its own.
 */
export async function attempt<T>(sent: Sent, fields: readonly string[], deed: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { done: await deed(), state: null };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return { done: null, state: refusedForm(error, sent, fields) };
  }
}

/** The same for a form with nothing to fill in: what came of it is said at the top of the page `to`. */
export async function doThere(to: string, done: string, deed: () => Promise<unknown>): Promise<Redirect> {
  try {
    await deed();
    return redirect(to, done);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return new Redirect(to, { kind: 'WARNING', text: error.message });
  }
}

/** What a person can do something about on the page where they are. */
function isAnswer(error: unknown): error is Refusal {
  return error instanceof Refusal && !['internal', 'unavailable', 'rate_limited'].includes(error.code);
}
