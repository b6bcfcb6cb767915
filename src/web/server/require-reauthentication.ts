import { timingSafeEqual } from 'node:crypto';
import { PERMISSIONS, type Permission, type PermissionRule } from '../../commands/organization/permissions.ts';
import { BLANK_FORM, type FormState } from './form-state.ts';
import { type PageRequest, Redirect, type SignedInRequest } from './page-request.ts';
import { withNext } from './sign-in-redirects.ts';

/** The page where a person confirms their identity again. */
export const REAUTHENTICATION_PATH = '/settings/security/confirm';

/**
 * Sends a person to the reauthentication page, unless they signed in or confirmed their identity recently.
 * @param page the page to come back to, which shows the form
 * @param fields the form's fields that keep their input there. Never a secret: see `withFormInput`
 * @throws Redirect
 */
export function requireReauthentication(request: SignedInRequest, page: string, fields: readonly string[] = []): void {
  if (!request.person.isRecent)
    throw new Redirect(withNext(REAUTHENTICATION_PATH, withFormInput(request, page, fields)));
}

/** Does the same if the form needs a permission that gives or takes access. @throws Redirect */
export function requireReauthenticationFor(
  permission: Permission,
  request: SignedInRequest,
  page: string,
  fields?: readonly string[],
): void {
  const { needsRecentAuthentication }: PermissionRule = PERMISSIONS[permission];
  if (needsRecentAuthentication) requireReauthentication(request, page, fields);
}

/** Limit of the query in a path to come back to, in characters. */
const MAX_QUERY_LENGTH = 1_500;

/** The parameter that shows that this service kept the input for this person. */
const KEPT = 'kept';

type KeptRequest = Pick<PageRequest, 'formValues' | 'query' | 'signInput'>;

/**
 * Returns the address of a page with the input of its form in the query, so that reauthentication loses none of it. It is
 * signed: otherwise anybody's link could fill in a form, such as a role. Leaves out input that is too long. Never pass a
 * secret: browsers and logs keep addresses.
 */
export function withFormInput(request: KeptRequest, path: string, fields: readonly string[]): string {
  const { formValues, signInput } = request;
  const pairs = fields.flatMap((name) => (formValues.get(name) ?? []).map((value) => [name, value]));
  const query = new URLSearchParams(pairs);
  if (query.size === 0 || query.toString().length > MAX_QUERY_LENGTH) return path;
  return `${path}?${query}&${KEPT}=${signInput(query).toString('base64url')}`;
}

/** Returns a form with the input that `withFormInput` put into the query, or a blank form. */
export function formFromQuery({ query, signInput }: KeptRequest, fields: readonly string[]): FormState {
  const names = fields.filter((name) => query.has(name));
  if (names.length === 0 || !isKept(query, signInput)) return BLANK_FORM;
  return { ...BLANK_FORM, values: new Map(names.map((name) => [name, query.getAll(name)])) };
}

function isKept(query: URLSearchParams, signInput: KeptRequest['signInput']): boolean {
  const kept = new URLSearchParams(query);
  const given = Buffer.from(kept.get(KEPT) ?? '', 'base64url');
  kept.delete(KEPT);
  const expected = signInput(kept);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Returns the typed password. For an account without a password, requires a recent reauthentication and returns null.
 * @throws Redirect to the reauthentication page
 */
export function passwordOrReauthentication(
  request: SignedInRequest,
  typedPassword: string,
  page: string,
): string | null {
  if (request.person.account.password !== null) return typedPassword;
  requireReauthentication(request, page);
  return null;
}
