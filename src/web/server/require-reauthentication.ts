import { PERMISSIONS, type Permission, type PermissionRule } from '../../commands/organization/permissions.ts';
import { BLANK_FORM, type FormState, type FormValues } from './form-state.ts';
import { Redirect, type SignedInRequest } from './page-request.ts';
import { withNext } from './sign-in-redirects.ts';

/** The page where a person confirms their identity again. */
export const REAUTHENTICATION_PATH = '/settings/security/confirm';

/**
 * Sends a person to the reauthentication page, unless they signed in or confirmed their identity recently.
 * @param page the page to come back to, which shows the form
 * @param fields the form's fields that keep their input there. Never a secret: see `withFormInput`
 * @throws Redirect
 */
export function requireReauthentication(
  { person, formValues }: SignedInRequest,
  page: string,
  fields: readonly string[] = [],
): void {
  if (!person.isRecent) throw new Redirect(withNext(REAUTHENTICATION_PATH, withFormInput(page, formValues, fields)));
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

/**
 * Returns the address of a page with the input of its form in the query, so that reauthentication loses none of it.
 * Leaves out input that is too long. Never pass a secret: browsers and logs keep addresses.
 */
export function withFormInput(path: string, formValues: FormValues, fields: readonly string[]): string {
  const pairs = fields.flatMap((name) => (formValues.get(name) ?? []).map((value) => [name, value]));
  const query = new URLSearchParams(pairs).toString();
  return query === '' || query.length > MAX_QUERY_LENGTH ? path : `${path}?${query}`;
}

/** Returns a form with the input that `withFormInput` put into the query, or a blank form. */
export function formFromQuery(query: URLSearchParams, fields: readonly string[]): FormState {
  const names = fields.filter((name) => query.has(name));
  return { ...BLANK_FORM, values: new Map(names.map((name) => [name, query.getAll(name)])) };
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
