import type { AccountRecord } from '../../stores/account-store.ts';

/** Something that the OAuth server keeps: a code, a token, an interaction, a grant. */
export interface StoredModel extends AccountRecord {
  /** `<kind>:<SHA-256 of what its holder shows>` */
  id: string;
  kind: string;
  /** The TokenRecord of the grant that it came from. */
  grant_id: string | null;
  expires_at: string;
  /** When it was used up, in seconds: such is kept for a while, so that its second use is noticed. */
  consumed: number | null;
  /** JSON. Its own id does not stand in it: see adapter.ts. */
  payload: string;
}

/** The row's id for what a holder shows. `hash` is SHA-256 in hex, so that a store's reader learns nothing to show. */
export const storedModelId = (kind: string, hash: string): string => `${kind}:${hash}`;
