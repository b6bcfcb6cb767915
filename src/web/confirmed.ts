import type { WebContext } from './context.ts';
import { BLANK, type FormState, type Sent } from './forms.ts';
import { withNext } from './signing-in.ts';
import { Redirect, type SignedInVisit } from './visit.ts';

/** Where somebody proves again who they are. */
export const CONFIRM = '/settings/security/confirm';

/**
 * Lets pass who lately proved who they are.
 * @param back the page that the others come back to; see `withInput` for what they sent by a form
 * @throws Redirect
 */
export function confirmFirst({ people }: Pick<WebContext, 'people'>, { person }: SignedInVisit, back: string): void {
  if (!people.proof.isRecent(person.session)) throw new Redirect(withNext(CONFIRM, back));
}

/** Longer addresses than this are not taken as a place to come back to. */
const MAX_INPUT = 1_500;

/**
 * Returns the address of a page with the input of its form in the query, so that reauthentication loses none of it.
 * Input that is too long is left out. Never for a secret: addresses are remembered.
 */
export function withInput(path: string, sent: Sent, fields: readonly string[]): string {
  const pairs = fields.flatMap((name) => (sent.get(name) ?? []).map((value) => [name, value]));
  const query = new URLSearchParams(pairs).toString();
  return query === '' || query.length > MAX_INPUT ? path : `${path}?${query}`;
}

/** Returns a form with the input that `withInput` kept in the query; blank where there is none. */
export function inputIn(query: URLSearchParams, fields: readonly string[]): FormState {
  const kept = fields.filter((name) => query.has(name));
  return { ...BLANK, sent: new Map(kept.map((name) => [name, query.getAll(name)])) };
}

/** What proves it at once: the password as typed, or null for an account without one. @throws Redirect as confirmFirst */
export function proofOf(context: WebContext, visit: SignedInVisit, typed: string, back: string): string | null {
  if (visit.person.account.password !== null) return typed;
  confirmFirst(context, visit, back);
  return null;
}
