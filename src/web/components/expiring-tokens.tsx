import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import { LongDay } from './components.tsx';

/** Warns of a person's API tokens that expire soon. */
export function ExpiringTokens({ tokens }: { tokens: readonly TokenListItem[] }) {
  const expiringTokens = tokens.filter(({ expiring, kind }) => expiring && kind === 'API');
  if (expiringTokens.length === 0) return null;
  return (
    <section class="notice warning">
      <h2>Tokens that expire soon</h2>
      <ul>
        {expiringTokens.map(({ id, name, last_four, expires_at }) => (
          <li key={id}>
            {name} (…{last_four}) expires on <LongDay at={expires_at} />.
          </li>
        ))}
      </ul>
      <p>
        <a href="/settings/tokens">Renew or revoke them</a>
      </p>
    </section>
  );
}
