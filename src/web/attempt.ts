import { Refusal } from '../commands/refusal.ts';
import { type FormState, refusedForm, type Sent } from './forms.ts';

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
    if (!(error instanceof Refusal) || ['internal', 'unavailable', 'rate_limited'].includes(error.code)) throw error;
    return { done: null, state: refusedForm(error, sent, fields) };
  }
}
