/** @jsxRuntime automatic @jsxImportSource preact */
import type { IssuedToken } from '../identity/token-record.ts';
import { connectBlocks } from './connect-blocks.ts';
import type { Page } from './page.ts';
import { CopyBlock, Day } from './pieces.tsx';

/** A token's text, this once, with ready configurations. */
export function issuedPage(endpoint: string, { token, record }: IssuedToken, how: 'NEW' | 'RENEWED'): Page {
  return {
    title: how === 'NEW' ? 'Your new token' : 'Your token has a new text',
    section: '/settings/tokens',
    body: (
      <>
        <p class="notice done" role="status">
          {how === 'NEW' ? 'The token is made.' : 'The text that it had no longer works.'} Copy it now: it is shown only
          this once.
        </p>
        <section class="card">
          <h2>{record.name}</h2>
          <CopyBlock id="token" text={token} secret />
          <p>
            It ends on <Day at={record.expires_at} />. Keep it like a password.
          </p>
        </section>
        <section>
          <h2>Paste it into your assistant</h2>
          {connectBlocks(endpoint, token).map(({ id, client, where, text }) => (
            <details key={id} name="client">
              <summary>{client}</summary>
              <p>{where}</p>
              <CopyBlock id={id} text={text} />
            </details>
          ))}
        </section>
        <p>
          <a href="/settings/tokens">Back to your tokens</a>
        </p>
      </>
    ),
  };
}
