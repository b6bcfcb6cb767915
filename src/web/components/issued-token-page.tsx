import type { IssuedToken } from '../../identity/tokens/token-record.ts';
import type { WebPage } from '../server/web-page.ts';
import { accessText, autonomyText } from '../texts/access-text.ts';
import { connectBlocks } from '../texts/connect-blocks.ts';
import { CopyBlock, LongDay } from './components.tsx';

/** Shows a token once, with ready configurations. */
export function issuedTokenPage(
  endpoint: string,
  { token, record }: IssuedToken,
  change: 'CREATED' | 'REGENERATED',
): WebPage {
  return {
    title: change === 'CREATED' ? 'Your new token' : 'Your regenerated token',
    section: '/settings/tokens',
    body: (
      <>
        <p class="notice done" role="status">
          {change === 'CREATED' ? 'Token created.' : 'Token regenerated. The old one no longer works.'} Copy it now: it
          is shown only once.
        </p>
        <section class="card">
          <h2>{record.name}</h2>
          <CopyBlock id="token" text={token} secret isMain />
          <p>
            It expires on <LongDay at={record.expires_at} />. Keep it like a password.
          </p>
          <p>
            Role: {accessText(record)}. Without a person: {autonomyText(record).toLowerCase()}. An organization’s
            ceiling can allow less.
          </p>
        </section>
        <section>
          <h2>Paste it into your assistant</h2>
          {connectBlocks(endpoint, token).map(({ id, client, instruction, text }) => (
            <details key={id} name="client">
              <summary>{client}</summary>
              <p>{instruction}</p>
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
