import type { WebContext } from './context.ts';
import { BLANK_FORM, type FormState, type FormValues } from './form-state.ts';
import { Redirect, type SignedInRequest } from './page-request.ts';
import { withNext } from './sign-in-redirects.ts';

/** The page where a person confirms their identity again. */
export const REAUTHENTICATION_PATH = '/settings/security/confirm';

/**
 * Sends a person to the reauthentication page, unless they signed in or confirmed their identity recently.
 * @param backPath the page to come back to; see `withFormInput` for a form's input
 * @throws Redirect
 */
export function requireReauthentication(
  { people }: Pick<WebContext, 'people'>,
  { person }: SignedInRequest,
  backPath: string,
): void {
  if (!people.recentAuthentication.isRecent(person.session))
    throw new Redirect(withNext(REAUTHENTICATION_PATH, backPath));
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
  context: Pick<WebContext, 'people'>,
  request: SignedInRequest,
  typedPassword: string,
  backPath: string,
): string | null {
  if (request.person.account.password !== null) return typedPassword;
  requireReauthentication(context, request, backPath);
  return null;
}
