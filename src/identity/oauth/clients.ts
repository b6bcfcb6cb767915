import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { hashToken } from '../tokens/token.ts';
import { applyClientPolicy } from './client-policy.ts';
import { type AdapterPayload, errors } from './oidc-provider.ts';
import { BlankAdapter } from './store-adapter.ts';
import { storedModelId } from './stored-model.ts';

/** A client that registered itself with a version that stored clients. */
interface StoredClient extends AccountRecord {
  kind: 'Client';
  /** 90 days after the registration, the last use, or the end of the last grant, whichever is latest. */
  expires_at: string;
  payload: string;
}

/** `cli_`, the registration in base64url, a dot, and its signature. Ids of stored clients have no dot. */
const CLIENT_ID = /^cli_([\w-]+)\.([\w-]+)$/;
/** Addresses with a longer id would not pass every proxy. Usual ids have about 160 characters. */
const MAX_ID_LENGTH = 2_000;
const NONCE_BYTES = 9;
const SIGNATURE_BYTES = 16;
const UNUSED_DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * Registered clients. The id of a client is its registration, signed, so registering stores nothing. No stranger can use up
 * the room of others or displace their clients, and no client expires.
 */
export class Clients extends BlankAdapter {
  /** @param key signs the ids */
  constructor(
    private readonly accounts: AccountStore,
    private readonly key: Buffer,
    private readonly now: TimeSource,
  ) {
    super();
  }

  /** Returns a new id for a registration. @throws InvalidClientMetadata if it is not allowed, or too long */
  newId(registration: object): string {
    const { client_id: _id, client_id_issued_at: _at, ...metadata }: Record<string, unknown> = { ...registration };
    applyClientPolicy(metadata);
    removeDefaults(metadata);
    // Two installations of a program are two clients.
    const content = JSON.stringify([randomBytes(NONCE_BYTES).toString('base64url'), metadata]);
    const text = Buffer.from(content).toString('base64url');
    const id = `cli_${text}.${this.signatureOf(text).toString('base64url')}`;
    if (id.length <= MAX_ID_LENGTH) return id;
    throw new errors.InvalidClientMetadata('the registration is too long: send fewer or shorter values');
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const [, text, signature] = (id.length <= MAX_ID_LENGTH && CLIENT_ID.exec(id)) || [];
    if (text === undefined || signature === undefined) return this.findStored(id);
    // The texts are compared: base64url has several spellings of the same bytes, and an id has one.
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.signatureOf(text).toString('base64url'))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [, metadata] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, AdapterPayload];
    return { ...metadata, client_id: id };
  }

  private signatureOf(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest().subarray(0, SIGNATURE_BYTES);
  }

  private async findStored(id: string): Promise<AdapterPayload | undefined> {
    const client = await this.accounts.get<StoredClient>('oauth', rowId(id));
    if (client === null || hasPassed(client.expires_at, this.now)) return undefined;
    return JSON.parse(client.payload) as AdapterPayload;
  }

  /** Records that a client got a grant, so that a stored client doesn't expire before the grant does. */
  async recordGrant(id: string, grantExpiresAt: string): Promise<void> {
    const client = await this.accounts.get<StoredClient>('oauth', rowId(id));
    if (client === null) return;
    const lastUse = Math.max(this.now().getTime(), Date.parse(grantExpiresAt));
    const expires_at = new Date(lastUse + UNUSED_DAYS * DAY_MS).toISOString();
    if (expires_at > client.expires_at) await this.accounts.update('oauth', rowId(id), { expires_at });
  }
}

/** Removes what the policy adds to the redirects alone, because it does so again when the id is read. */
function removeDefaults(metadata: Record<string, unknown>): void {
  const { redirect_uris } = metadata;
  const defaults: Record<string, unknown> = { redirect_uris };
  applyClientPolicy(defaults);
  for (const [name, value] of Object.entries(defaults))
    if (isDeepStrictEqual(metadata[name], value)) delete metadata[name];
  metadata.redirect_uris = redirect_uris;
}

const rowId = (id: string) => storedModelId('Client', hashToken(id));
