import type { WebParts } from './parts.ts';
import { Redirect, type SignedInVisit } from './visit.ts';

/** Where somebody proves again who they are. */
export const CONFIRM = '/settings/security/confirm';

/**
 * Null for somebody who lately proved who they are; others are sent to do so first and come back.
 * @param back the page to come back to: what was sent by a form is lost
 */
export function confirmFirst({ people }: WebParts, { person }: SignedInVisit, back: string): Redirect | null {
  if (people.proof.isRecent(person.session)) return null;
  return new Redirect(`${CONFIRM}?next=${encodeURIComponent(back)}`);
}
