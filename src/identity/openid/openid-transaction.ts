import { createHmac, hash, randomBytes } from 'node:crypto';
import type { AccountStore } from '../../stores/account-store.ts';
import { equalInConstantTime } from '../secret-text.ts';

/** The reason why a browser goes to the provider. `session`: the id of the session that it is for. */
export type TransactionPurpose =
  | { purpose: 'SIGN_IN'; next: string }
  | { purpose: 'CONNECT'; session: string }
  /** A new sign-in there, whatever the provider remembers of the person. */
  | { purpose: 'REAUTHENTICATE'; session: string; next: string };

/** A sign-in at the provider that is under way, with the values that identify its answer. */
export interface OpenIdTransaction {
  errand: TransactionPurpose;
  state: string;
  nonce: string;
  verifier: string;
  begun_at: string;
  expires_at: string;
}

export interface OpenIdTransactionsOptions {
  accounts: AccountStore;
  /** 32 random bytes that all instances share. */
  key: Buffer;
  now: () => Date;
}

interface CookiePayload {
  seed: string;
  until: number;
  errand: TransactionPurpose;
}

/** The time a person may take to sign in at the provider. */
export const TRANSACTION_SECONDS = 10 * 60;
/** A cookie holds no more; people with a longer address begin at the start page, or at the page without its query. */
const MAX_NEXT_LENGTH = 500;
const SEED_BYTES = 18;

/**
 * Sign-ins on their way to the provider and back. The browser keeps their purpose in a signed cookie, with a random seed.
 * State, nonce and verifier are keyed hashes of that seed. So the service stores nothing, and the cookie reveals none of
 * them.
 */
export class OpenIdTransactions {
  constructor(private readonly options: OpenIdTransactionsOptions) {}

  /** `cookie` is for this browser alone. */
  begin(errand: TransactionPurpose): { cookie: string; round: OpenIdTransaction } {
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    const kept: CookiePayload = {
      seed,
      until: this.options.now().getTime() + TRANSACTION_SECONDS * 1_000,
      errand: shortened(errand),
    };
    const text = Buffer.from(JSON.stringify(kept)).toString('base64url');
    return { cookie: `${text}.${this.derive('cookie', text)}`, round: this.roundOf(kept) };
  }

  /** The round that a browser is on; null for none, one that is not ours, or one that took too long. */
  read(cookie: string | null): OpenIdTransaction | null {
    const [text = '', mac = ''] = (cookie ?? '').split('.');
    if (!equalInConstantTime(mac, this.derive('cookie', text))) return null;
    const kept = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as CookiePayload;
    return kept.until > this.options.now().getTime() ? this.roundOf(kept) : null;
  }

  /** Answers whether it was not over yet: of several answers to one round, on whichever instance, one counts. */
  finish({ state, expires_at }: OpenIdTransaction): Promise<boolean> {
    return this.options.accounts.insert('attempts', { id: hash('sha256', `openid ${state}`, 'hex'), expires_at });
  }

  private roundOf({ seed, until, errand }: CookiePayload): OpenIdTransaction {
    return {
      errand,
      state: this.derive('state', seed),
      nonce: this.derive('nonce', seed),
      verifier: this.derive('verifier', seed),
      begun_at: new Date(until - TRANSACTION_SECONDS * 1_000).toISOString(),
      expires_at: new Date(until).toISOString(),
    };
  }

  /** 43 characters that are good in addresses, cookies and as a verifier of RFC 7636. */
  private derive(what: string, text: string): string {
    return createHmac('sha256', this.options.key).update(`${what} ${text}`).digest('base64url');
  }
}

function shortened(errand: TransactionPurpose): TransactionPurpose {
  if (errand.purpose === 'CONNECT' || errand.next.length <= MAX_NEXT_LENGTH) return errand;
  const path = errand.next.split('?', 1)[0]!;
  return { ...errand, next: errand.purpose === 'REAUTHENTICATE' && path.length <= MAX_NEXT_LENGTH ? path : '/' };
}
