/** @jsxRuntime automatic @jsxImportSource preact */
import { may } from '../../commands/roles.ts';
import type { Membership } from '../../identity/members.ts';
import type { ShownToken } from '../../identity/token-lists.ts';
import { signInBlocks } from '../connect-blocks.ts';
import type { WebContext } from '../context.ts';
import type { Page } from '../page.ts';
import { CopyBlock, Day } from '../pieces.tsx';
import { roleName } from '../roles.ts';
import { openGet, type Route } from '../visit.ts';

/** The start: what this is for strangers; for who has signed in, how to connect an assistant. */
export const homePage = (context: WebContext): Route[] => [
  openGet('/', async ({ person }) => {
    if (person === null) return strangersPage;
    const [organizations, tokens] = await Promise.all([
      context.members.organizationsOf(person.account.id),
      context.tokens.listOf(person.account.id),
    ]);
    return startPage(context.endpoint, organizations, tokens);
  }),
];

const strangersPage: Page = {
  title: 'veritrail',
  plain: true,
  body: (
    <>
      <p class="lead">A compliance register that your AI assistant keeps with you.</p>
      <p>Risks, measures, vendors, obligations, controls, audits and their evidence, in one place.</p>
      <p>Every change is kept, every past day can be read again, and the whole history can be proven.</p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
    </>
  ),
};

function startPage(endpoint: string, organizations: readonly Membership[], tokens: readonly ShownToken[]): Page {
  return {
    title: 'Connect an assistant',
    section: '/',
    body: (
      <>
        <Expiring tokens={tokens.filter(({ expiring, kind }) => expiring && kind === 'API')} />
        {organizations.length === 0 ? <NoOrganization /> : <Ways endpoint={endpoint} />}
        {organizations.length > 0 && <Organizations organizations={organizations} />}
      </>
    ),
  };
}

function Ways({ endpoint }: { endpoint: string }) {
  return (
    <>
      <p class="lead">Two ways. Then ask your assistant: “Which risks are due for review?”</p>
      <section class="card">
        <h2>By signing in</h2>
        {signInBlocks(endpoint).map(({ id, client, where, text }) => (
          <div key={id}>
            <h3>{client}</h3>
            <p>{where}</p>
            <CopyBlock id={id} text={text} />
          </div>
        ))}
      </section>
      <section class="card">
        <h2>With an API token</h2>
        <p>
          For Claude Desktop, Cursor, VS Code, Zed, scripts and all else: make a token, and paste the configuration that
          comes with it.
        </p>
        <p>
          <a class="button" href="/settings/tokens">
            Make a token
          </a>
        </p>
      </section>
    </>
  );
}

function Expiring({ tokens }: { tokens: readonly ShownToken[] }) {
  if (tokens.length === 0) return null;
  return (
    <section class="notice warning">
      <h2>Tokens about to expire</h2>
      <ul>
        {tokens.map(({ id, name, last_four, expires_at }) => (
          <li key={id}>
            {name} (…{last_four}) ends on <Day at={expires_at} />.
          </li>
        ))}
      </ul>
      <p>
        <a href="/settings/tokens">Renew or revoke them</a>
      </p>
    </section>
  );
}

function Organizations({ organizations }: { organizations: readonly Membership[] }) {
  return (
    <section>
      <h2>Your organizations</h2>
      <ul>
        {organizations.map(({ id, name, role }) => (
          <li key={id}>
            <a href={`/organizations/${id}`}>{name}</a>, as {roleName(role)}
            {may(role, 'getReport') && (
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
      You are a member of no organization. Ask an owner of yours for an invitation link, and open it in this browser.
    </p>
  );
}
