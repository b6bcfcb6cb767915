import { createHmac, hash, randomBytes } from 'node:crypto';
import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { equalInConstantTime } from '../sign-in/secret-text.ts';

/** The path, below the base address, to which the provider sends browsers back. */
export const CALLBACK_PATH = '/sign-in/openid/callback';

/** The purpose of a visit to the provider. `session` is the id of the session that it belongs to. */
export type TransactionIntent =
  | { purpose: 'SIGN_IN'; next: string }
  | { purpose: 'CONNECT'; session: string }
  /** Requires a new sign-in, even if the provider still has a session. */
  | { purpose: 'REAUTHENTICATE'; session: string; next: string };

/** A pending sign-in at the provider, with the values that identify its answer. */
export interface OpenIdTransaction {
  intent: TransactionIntent;
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
  now: TimeSource;
}

interface CookiePayload {
  seed: string;
  until: number;
  errand: TransactionIntent;
}

/** The time a person may take to sign in at the provider. */
export const TRANSACTION_SECONDS = 10 * 60;
/** Longer addresses don't fit the cookie. They are cut to the page without its query, or to the start page. */
const MAX_NEXT_LENGTH = 500;
const SEED_BYTES = 18;

/**
 * Sign-ins on their way to the provider and back. The browser keeps their purpose in a signed cookie, with a random seed.
 * State, nonce and verifier are keyed hashes of that seed. So the service stores nothing, and the cookie reveals none of
 * them.
 */
export class OpenIdTransactions {
  constructor(private readonly options: OpenIdTransactionsOptions) {}

  /** Starts a transaction. `cookie` must go to this browser only. */
  begin(intent: TransactionIntent): { cookie: string; transaction: OpenIdTransaction } {
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    const payload: CookiePayload = {
      seed,
      until: this.options.now().getTime() + TRANSACTION_SECONDS * 1_000,
      errand: shortenNext(intent),
    };
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return { cookie: `${text}.${this.derive('cookie', text)}`, transaction: this.toTransaction(payload) };
  }

  /** Returns a browser's transaction, or null if the cookie is missing, forged or expired. */
  read(cookie: string | null): OpenIdTransaction | null {
    const [text = '', mac = ''] = (cookie ?? '').split('.');
    if (!equalInConstantTime(mac, this.derive('cookie', text))) return null;
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as CookiePayload;
    return hasPassed(payload.until, this.options.now) ? null : this.toTransaction(payload);
  }

  /** Ends a transaction. Returns true only for the first call, on whichever instance. */
  finish({ state, expires_at }: OpenIdTransaction): Promise<boolean> {
    return this.options.accounts.insert('attempts', { id: hash('sha256', `openid ${state}`, 'hex'), expires_at });
  }

  private toTransaction({ seed, until, errand }: CookiePayload): OpenIdTransaction {
    return {
      intent: errand,
      state: this.derive('state', seed),
      nonce: this.derive('nonce', seed),
      verifier: this.derive('verifier', seed),
      begun_at: new Date(until - TRANSACTION_SECONDS * 1_000).toISOString(),
      expires_at: new Date(until).toISOString(),
    };
  }

  /** Returns 43 characters that are valid in addresses, in cookies and as a verifier of RFC 7636. */
  private derive(label: string, text: string): string {
    return createHmac('sha256', this.options.key).update(`${label} ${text}`).digest('base64url');
  }
}

function shortenNext(intent: TransactionIntent): TransactionIntent {
  if (intent.purpose === 'CONNECT' || intent.next.length <= MAX_NEXT_LENGTH) return intent;
  const path = intent.next.split('?', 1)[0]!;
  return { ...intent, next: intent.purpose === 'REAUTHENTICATE' && path.length <= MAX_NEXT_LENGTH ? path : '/' };
}
