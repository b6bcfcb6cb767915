import { CopyBlock } from '../../components/components.tsx';
import { ExpiringTokens } from '../../components/expiring-tokens.tsx';
import type { WebContext } from '../../server/context.ts';
import { get, type Route } from '../../server/page-request.ts';
import { readOnlyAddress, signInBlocks } from '../../texts/connect-blocks.ts';

const PATH = '/connect';

/** Says how to connect an assistant. */
export const connectPage = ({ endpoint, tokens }: Pick<WebContext, 'endpoint' | 'tokens'>): Route[] => [
  get(PATH, async ({ person }) => ({
    title: 'Connect an assistant',
    section: PATH,
    body: (
      <>
        <ExpiringTokens tokens={await tokens.listOfAccount(person.account.id)} />
        <ConnectionMethods endpoint={endpoint} />
      </>
    ),
  })),
];

function ConnectionMethods({ endpoint }: { endpoint: string }) {
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
        <h3>Any assistant that should only read</h3>
        <p>Use this address instead of the one above. Through it nothing can be changed, whatever your role is.</p>
        <CopyBlock id="read-only-address" text={readOnlyAddress(endpoint)} />
        <p>
          An assistant sees only the tools that it may use, and keeps this list. After your role was raised, connect it
          again.
        </p>
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
