import type { Role } from '../../commands/organization/caller.ts';
import { forbidden, type Permission, roleAllows } from '../../commands/organization/permissions.ts';
import { notFound } from '../../http/http-errors.ts';
import type { Actor } from '../../identity/memberships/actor.ts';
import { secondFactorNeededPage } from '../components/second-factor-needed-page.tsx';
import type { WebContext } from './context.ts';
import { actorOf, RefusedPage, type SignedInRequest } from './page-request.ts';
import { requireReauthenticationFor } from './require-reauthentication.ts';

/** The organization in a page's path, and the member who acts there. */
export interface MembershipContext {
  organization: { id: string; name: string; role: Role };
  actor: Actor;
  /** The path of the organization's pages. */
  path: string;
  /** The coming day from which the organization requires a second factor that the person lacks; null without one. */
  missingFactorFrom: string | null;
}

/** The page that shows a form, by its path below the organization's, and the fields that keep their input there. */
export interface FormPlace {
  page: string;
  fields?: readonly string[];
}

/**
 * Returns the organization in the path, in which the signed-in person is a member.
 * @param permission needed for the page. A form whose permission gives or takes access asks again who it is
 * @param form the form that was sent, to come back to it with its input
 * @throws HttpError 404 if the person is not a member. It is the same whether or not the organization exists
 * @throws Refusal forbidden if the person's role doesn't have the permission
 * @throws Redirect to the reauthentication page
 * @throws RefusedPage if the organization requires a second factor and the person has none
 */
export async function requireMembership(
  { members }: Pick<WebContext, 'members'>,
  request: SignedInRequest,
  permission?: Permission,
  form: FormPlace = { page: '' },
): Promise<MembershipContext> {
  const accountId = request.person.account.id;
  const membership = await members.membership(accountId, request.params.id ?? '');
  if (membership === null) throw notFound('You are not a member of such an organization.');
  const { id, name, role, missingFactorFrom } = membership;
  if (membership.missingFactor) throw new RefusedPage(secondFactorNeededPage(name));
  if (permission !== undefined && !roleAllows(role, permission)) throw forbidden(permission, role);
  const path = `/organizations/${id}`;
  if (permission !== undefined && request.ctx.method === 'POST')
    requireReauthenticationFor(permission, request, path + form.page, form.fields);
  return { organization: { id, name, role }, actor: { ...actorOf(request), role }, path, missingFactorFrom };
}
