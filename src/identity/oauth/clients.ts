import { hasPassed, type TimeSource } from '../../clock/time-source.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { hashToken } from '../tokens/token.ts';
import { type Adapter, type AdapterPayload, errors } from './oidc-provider.ts';
import { storedModelId } from './stored-model.ts';

/** A client that registered itself. It has no secret. */
export interface StoredClient extends AccountRecord {
  kind: 'Client';
  created_at: string;
  /** Null until a person connects it. */
  used_at: string | null;
  /** 90 days after the registration, the last use, or the end of the last grant, whichever is latest. */
  expires_at: string;
  payload: string;
}

const MAX_CLIENTS = 1_000;
const UNUSED_DAYS = 90;
const DAY_MS = 86_400_000;

/** Stores registered clients, at most `maxClients`. Unused ones expire. */
export class Clients implements Adapter {
  constructor(
    private readonly accounts: AccountStore,
    private readonly now: TimeSource,
    private readonly maxClients = MAX_CLIENTS,
  ) {}

  /** @throws TemporarilyUnavailable if the limit is reached and all clients are in use */
  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    await this.evictIdleClients();
    const at = this.now();
    const client: StoredClient = {
      id: rowId(id),
      kind: 'Client',
      created_at: at.toISOString(),
      used_at: null,
      expires_at: expiryAfter(at.getTime()),
      payload: JSON.stringify(payload),
    };
    await this.accounts.put('oauth', client);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const client = await this.accounts.get<StoredClient>('oauth', rowId(id));
    if (client === null || hasPassed(client.expires_at, this.now)) return undefined;
    return JSON.parse(client.payload) as AdapterPayload;
  }

  /** Records that a client got a grant, so that the client doesn't expire before the grant does. */
  async recordGrant(id: string, grantExpiresAt: string): Promise<void> {
    const client = await this.accounts.get<StoredClient>('oauth', rowId(id));
    if (client === null) return;
    const expires_at = expiryAfter(Math.max(this.now().getTime(), Date.parse(grantExpiresAt)));
    const used_at = this.now().toISOString();
    await this.accounts.update('oauth', rowId(id), {
      used_at,
      expires_at: expires_at > client.expires_at ? expires_at : client.expires_at,
    });
  }

  async destroy(id: string): Promise<void> {
    await this.accounts.remove('oauth', rowId(id));
  }

  // Required by `Adapter`, and never used for clients.
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}

  /**
   * Makes room for one client if the limit is reached. Removes clients that were never connected, oldest first, then
   * those whose last grant ended longest ago.
   */
  private async evictIdleClients(): Promise<void> {
    const clients = await this.accounts.find<StoredClient>('oauth', 'kind', 'Client');
    if (clients.length < this.maxClients) return;
    const expiryWithoutGrant = expiryAfter(this.now().getTime());
    const evictable = clients
      .filter(({ used_at, expires_at }) => used_at === null || expires_at <= expiryWithoutGrant)
      .sort((a, b) => Number(a.used_at !== null) - Number(b.used_at !== null) || byExpiry(a, b));
    const excessCount = clients.length - this.maxClients + 1;
    if (evictable.length < excessCount) {
      throw new errors.TemporarilyUnavailable(
        'The limit of registered clients is reached. Ask the operator of this service.',
      );
    }
    for (const { id } of evictable.slice(0, excessCount)) await this.accounts.remove('oauth', id);
  }
}

const byExpiry = (a: StoredClient, b: StoredClient) => a.expires_at.localeCompare(b.expires_at);
const rowId = (id: string) => storedModelId('Client', hashToken(id));
const expiryAfter = (ms: number) => new Date(ms + UNUSED_DAYS * DAY_MS).toISOString();
