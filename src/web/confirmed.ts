import type { WebParts } from './parts.ts';
import { withNext } from './signing-in.ts';
import { Redirect, type SignedInVisit } from './visit.ts';

/** Where somebody proves again who they are. */
export const CONFIRM = '/settings/security/confirm';

/**
 * Lets pass who lately proved who they are.
 * @param back the page that the others come back to: what they sent by a form is lost
 * @throws Redirect
 */
export function confirmFirst({ people }: WebParts, { person }: SignedInVisit, back: string): void {
  if (!people.proof.isRecent(person.session)) throw new Redirect(withNext(CONFIRM, back));
}

/** What proves it at once: the password as typed, or null for an account without one. @throws Redirect as confirmFirst */
export function proofOf(parts: WebParts, visit: SignedInVisit, typed: string, back: string): string | null {
  if (visit.person.account.password !== null) return typed;
  confirmFirst(parts, visit, back);
  return null;
}
