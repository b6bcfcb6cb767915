import type { Role } from '../commands/caller.ts';
import { forbidden, type Permission, roleAllows } from '../commands/permissions.ts';
import { notFound } from '../http/http-errors.ts';
import { type Actor, personOf } from '../identity/actor.ts';
import type { WebContext } from './context.ts';
import type { SignedInVisit } from './visit.ts';

/** An organization that the visitor is a member of, and as whom they act there. */
export interface Within {
  organization: { id: string; name: string; role: Role };
  actor: Actor;
  /** Where this organization's pages begin. */
  path: string;
}

/**
 * @param deed what the page is for
 * @throws HttpError 404 where the address names no organization of the visitor's: nothing tells whether there is one
 * @throws Refusal forbidden where the visitor's role is not enough for the deed
 */
export async function within({ members }: WebContext, visit: SignedInVisit, deed?: Permission): Promise<Within> {
  const accountId = visit.person.account.id;
  const found = await members.membership(accountId, visit.params.id ?? '');
  if (found === null) throw notFound('There is no such organization of yours.');
  const { id, name, role } = found;
  if (deed !== undefined && !roleAllows(role, deed)) throw forbidden(deed, role);
  return { organization: { id, name, role }, actor: { ...personOf(accountId), role }, path: `/organizations/${id}` };
}
