import type { WebContext } from './context.ts';
import type { Route } from './page-request.ts';
import { accessPage } from './pages/access.tsx';
import { accountPage } from './pages/account.tsx';
import { assistantsPage } from './pages/assistants.tsx';
import { authorizationErrorPage } from './pages/authorization-error.tsx';
import { confirmPage } from './pages/confirm.tsx';
import { consentPage } from './pages/consent.tsx';
import { credentialsPage } from './pages/credentials.tsx';
import { domainPages } from './pages/domains.tsx';
import { factorPages } from './pages/factors.tsx';
import { filesPage } from './pages/files.tsx';
import { homePage } from './pages/home.tsx';
import { memberPage } from './pages/member.tsx';
import { membersPage } from './pages/members.tsx';
import { openIdPages } from './pages/openid.tsx';
import { organizationPage } from './pages/organization.tsx';
import { organizationTokensPage } from './pages/organization-tokens.tsx';
import { organizationsPage } from './pages/organizations.tsx';
import { reportsPage } from './pages/reports.tsx';
import { secondFactorPage } from './pages/second-factor.tsx';
import { securityPage } from './pages/security.tsx';
import { signInPage } from './pages/sign-in.tsx';
import { tokensPage } from './pages/tokens.tsx';
import { welcomePage } from './pages/welcome.tsx';

/**
 * All pages. To add one, add a file to `pages/` that exports its routes, and a line here. The file begins with the JSX
 * pragmas of the others, because `veritrail` runs in any folder.
 *
 * - Make routes with `get`, `post`, `publicGet` and `publicPost` (page-request.ts).
 * - A handler returns a WebPage or `redirect(…)`, or throws a Refusal, which becomes an error page.
 * - Write forms with `Form` (form.tsx) and the fields of fields.tsx. A `post` handler runs only after the CSRF checks.
 * - Carry a form out with `submitForm` or `submitAndRedirect` (submit-form.ts).
 */
const PAGES: readonly ((context: WebContext) => readonly Route[])[] = [
  homePage,
  signInPage,
  secondFactorPage,
  openIdPages,
  welcomePage,
  organizationsPage,
  organizationPage,
  membersPage,
  memberPage,
  domainPages,
  organizationTokensPage,
  accessPage,
  reportsPage,
  filesPage,
  tokensPage,
  assistantsPage,
  consentPage,
  authorizationErrorPage,
  securityPage,
  confirmPage,
  credentialsPage,
  factorPages,
  accountPage,
];

export function allRoutes(context: WebContext): Route[] {
  return PAGES.flatMap((page) => page(context));
}
