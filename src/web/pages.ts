import type { WebContext } from './context.ts';
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
import type { Route } from './visit.ts';

/**
 * Every page. To add one: a file in `pages/` (beginning with the JSX pragmas of the others, for `veritrail` runs in any
 * folder) that exports its routes, and its line here. Routes are made by `get`, `post`, `openGet` and `openPost` of
 * visit.ts; a handler answers with a Page (page.ts) or `redirect(…)`, or throws a Refusal, which becomes an error page. Before a
 * `post` handler runs, the form is known to be ours; write forms with `Form` (context.tsx) and the fields of fields.tsx, and
 * do what they ask by `attempt` or `doThere` (attempt.ts).
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
