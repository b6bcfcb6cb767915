import { accountPage } from '../pages/account/account.tsx';
import { assistantsPage } from '../pages/account/assistants.tsx';
import { connectPage } from '../pages/account/connect.tsx';
import { credentialsPage } from '../pages/account/credentials.tsx';
import { factorPages } from '../pages/account/factors.tsx';
import { secondFactorPage } from '../pages/account/second-factor.tsx';
import { securityPage } from '../pages/account/security.tsx';
import { startPage } from '../pages/account/start.tsx';
import { tokensPage } from '../pages/account/tokens.tsx';
import { accessPage } from '../pages/organization/access.tsx';
import { domainPages } from '../pages/organization/domains.tsx';
import { filesPage } from '../pages/organization/files.tsx';
import { memberPage } from '../pages/organization/member.tsx';
import { membersPage } from '../pages/organization/members.tsx';
import { organizationSettingsPage } from '../pages/organization/organization-settings.tsx';
import { organizationTokensPage } from '../pages/organization/organization-tokens.tsx';
import { organizationsPage } from '../pages/organization/organizations.tsx';
import { reportPage } from '../pages/organization/report.tsx';
import { reportsPage } from '../pages/organization/reports.tsx';
import { addRecordPages } from '../pages/register/add-record.tsx';
import { auditPackPage } from '../pages/register/audit-pack.tsx';
import { changeManyPages } from '../pages/register/change-many.tsx';
import { changeProofPages } from '../pages/register/change-proof.tsx';
import { changeRecordPages } from '../pages/register/change-record.tsx';
import { changesPage } from '../pages/register/changes.tsx';
import { comparePage } from '../pages/register/compare.tsx';
import { gettingStartedPage } from '../pages/register/getting-started.tsx';
import { handOverPages } from '../pages/register/hand-over.tsx';
import { homePage } from '../pages/register/home.tsx';
import { needsYouPage } from '../pages/register/needs-you.tsx';
import { proposalPages } from '../pages/register/proposals.tsx';
import { recordPages } from '../pages/register/record.tsx';
import { recordListPages } from '../pages/register/record-list.tsx';
import { recordRevisionPages } from '../pages/register/record-revisions.tsx';
import { searchPage } from '../pages/register/search.tsx';
import { undoCallPages } from '../pages/register/undo-call.tsx';
import { verifyFilePage } from '../pages/register/verify-file.tsx';
import { authorizationErrorPage } from '../pages/sign-in/authorization-error.tsx';
import { confirmPage } from '../pages/sign-in/confirm.tsx';
import { consentPage } from '../pages/sign-in/consent.tsx';
import { demoPage } from '../pages/sign-in/demo.tsx';
import { openIdPages } from '../pages/sign-in/openid.tsx';
import { signInPage } from '../pages/sign-in/sign-in.tsx';
import { welcomePage } from '../pages/sign-in/welcome.tsx';
import type { WebContext } from './context.ts';
import type { Route } from './page-request.ts';

/**
 * All pages. To add one, add a file to `pages/` that exports its routes, and a line here.
 *
 * - Make routes with `get`, `post`, `publicGet` and `publicPost` (page-request.ts).
 * - A handler returns a WebPage or `redirect(…)`, or throws a Refusal, which becomes an error page.
 * - Write forms with `Form` (form.tsx) and the fields of fields.tsx. A `post` handler runs only after the CSRF checks.
 * - Carry a form out with `submitForm` or `submitAndRedirect` (submit-form.ts).
 */
const PAGES: readonly ((context: WebContext) => readonly Route[])[] = [
  startPage,
  signInPage,
  secondFactorPage,
  openIdPages,
  welcomePage,
  demoPage,
  homePage,
  gettingStartedPage,
  needsYouPage,
  proposalPages,
  recordListPages,
  recordPages,
  addRecordPages,
  handOverPages,
  changeManyPages,
  changeRecordPages,
  recordRevisionPages,
  changesPage,
  undoCallPages,
  changeProofPages,
  searchPage,
  verifyFilePage,
  comparePage,
  auditPackPage,
  organizationsPage,
  organizationSettingsPage,
  membersPage,
  memberPage,
  domainPages,
  organizationTokensPage,
  accessPage,
  reportsPage,
  reportPage,
  filesPage,
  connectPage,
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
