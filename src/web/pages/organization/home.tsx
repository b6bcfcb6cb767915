/** @jsxRuntime automatic @jsxImportSource preact */
import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { Membership } from '../../../identity/memberships/members.ts';
import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { CopyBlock, Day } from '../../components/components.tsx';
import type { WebContext } from '../../server/context.ts';
import { publicGet, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { signInBlocks } from '../../texts/connect-blocks.ts';
import { roleName } from '../../texts/role-labels.ts';

/** The home page: what this service is, or how to connect an assistant for people who are signed in. */
export const homePage = (context: Pick<WebContext, 'endpoint' | 'members' | 'tokens'>): Route[] => [
  publicGet('/', async ({ person }) => {
    if (person === null) return strangersPage;
    const [organizations, tokens] = await Promise.all([
      context.members.organizationsOf(person.account.id),
      context.tokens.listOfAccount(person.account.id),
    ]);
    return startPage(context.endpoint, organizations, tokens);
  }),
];

const strangersPage: WebPage = {
  title: 'veritrail',
  plain: true,
  body: (
    <>
      <p class="lead">A compliance register that your AI assistant keeps with you.</p>
      <p>Risks, measures, vendors, obligations, controls, audits and their evidence, in one place.</p>
      <p>Every change is kept, you can view any past day, and you can prove that nobody altered the history.</p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
    </>
  ),
};

function startPage(endpoint: string, organizations: readonly Membership[], tokens: readonly TokenListItem[]): WebPage {
  return {
    title: 'Connect an assistant',
    section: '/',
    body: (
      <>
        <ExpiringTokens tokens={tokens.filter(({ expiring, kind }) => expiring && kind === 'API')} />
        {organizations.length === 0 ? <NoOrganization /> : <ConnectWays endpoint={endpoint} />}
        {organizations.length > 0 && <OrganizationList organizations={organizations} />}
      </>
    ),
  };
}

function ConnectWays({ endpoint }: { endpoint: string }) {
  return (
    <>
      <p class="lead">Choose one of two ways. Then ask your assistant: “Which risks are due for review?”</p>
      <section class="card">
        <h2>Sign in</h2>
        {signInBlocks(endpoint).map(({ id, client, instruction, text }) => (
          <div key={id}>
            <h3>{client}</h3>
            <p>{instruction}</p>
            <CopyBlock id={id} text={text} />
          </div>
        ))}
      </section>
      <section class="card">
        <h2>API token</h2>
        <p>
          For Claude Desktop, Cursor, VS Code, Zed, scripts and anything else: create a token and paste the
          configuration that comes with it.
        </p>
        <p>
          <a class="button" href="/settings/tokens">
            Create a token
          </a>
        </p>
      </section>
    </>
  );
}

function ExpiringTokens({ tokens }: { tokens: readonly TokenListItem[] }) {
  if (tokens.length === 0) return null;
  return (
    <section class="notice warning">
      <h2>Tokens that expire soon</h2>
      <ul>
        {tokens.map(({ id, name, last_four, expires_at }) => (
          <li key={id}>
            {name} (…{last_four}) expires on <Day at={expires_at} />.
          </li>
        ))}
      </ul>
      <p>
        <a href="/settings/tokens">Renew or revoke them</a>
      </p>
    </section>
  );
}

function OrganizationList({ organizations }: { organizations: readonly Membership[] }) {
  return (
    <section>
      <h2>Your organizations</h2>
      <ul>
        {organizations.map(({ id, name, role }) => (
          <li key={id}>
            <a href={`/organizations/${id}`}>{name}</a>, role {roleName(role)}
            {roleAllows(role, 'generateReports') && (
              <>
                {' · '}
                <a href={`/organizations/${id}/reports`} aria-label={`Reports of ${name}`}>
                  Reports
                </a>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoOrganization() {
  return (
    <p class="lead">
      You are not a member of any organization. Ask an owner for an invitation link and open it in this browser.
    </p>
  );
}
