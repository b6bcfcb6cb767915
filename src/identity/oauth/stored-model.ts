import type { AccountRecord } from '../../stores/account-store.ts';

/** A stored model of the OAuth server: a code, a token, an interaction or a grant. */
export interface StoredModel extends AccountRecord {
  /** `<kind>:<SHA-256 of the code or token>` */
  id: string;
  kind: string;
  /** The id of its grant's TokenRecord. */
  grant_id: string | null;
  expires_at: string;
  /** The time of its use, in seconds since 1970. Used models are stored for a while, so a second use is noticed. */
  consumed: number | null;
  /** JSON without its own id: see store-adapter.ts. */
  payload: string;
}

/** Returns a row's id. `hash` is SHA-256 in hex, so readers of the store can't use it as a token. */
export const storedModelId = (kind: string, hash: string): string => `${kind}:${hash}`;
