import { hasPassed, type TimeSource } from '../../clock/time-source.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { hashToken, isWellFormed, type TokenKind } from '../tokens/token.ts';
import { type Adapter, type AdapterPayload, errors } from './oidc-provider.ts';
import { type StoredModel, storedModelId } from './stored-model.ts';

export interface AdapterOptions {
  accounts: AccountStore;
  now: TimeSource;
  /** Returns true if the grant's TokenRecord can still be used: it and a membership that it reaches have not ended. */
  isGrantActive(tokenId: string): Promise<boolean>;
  /** Revokes the grant's TokenRecord. Does nothing if it is revoked or missing. */
  endGrant(tokenId: string): Promise<void>;
}

/** Replaces the id in stored JSON, which can't contain this character itself. */
const ID_PLACEHOLDER = '\u0000';
/** Used codes and tokens are kept this long, so a second use is noticed. */
const CONSUMED_RETENTION_MS = 30 * 86_400_000;
/** Kinds with a token format, so malformed ones need no look-up. */
const TOKEN_KINDS: Readonly<Record<string, TokenKind>> = { AccessToken: 'ACCESS', RefreshToken: 'REFRESH' };

/**
 * Stores one kind of the library's models in the account store. Codes and tokens are stored as hashes only, and can be
 * consumed once, also by concurrent calls.
 */
export class StoreAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    protected readonly options: AdapterOptions,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { jti: _jti, consumed: _consumed, ...rest } = payload;
    const row: StoredModel = {
      id: this.rowId(id),
      kind: this.kind,
      grant_id: payload.grantId ?? null,
      expires_at: new Date(this.time() + expiresIn * 1000).toISOString(),
      consumed: null,
      payload: JSON.stringify(rest).replaceAll(id, ID_PLACEHOLDER),
    };
    await this.options.accounts.put('oauth', row);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const form = TOKEN_KINDS[this.kind];
    if (form !== undefined && !isWellFormed(id, form)) return undefined;
    const row = await this.row(id);
    if (row === null || hasPassed(row.expires_at, this.options.now)) return undefined;
    const payload = JSON.parse(row.payload.replaceAll(ID_PLACEHOLDER, id)) as AdapterPayload;
    return { ...payload, jti: id, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
  }

  /** Marks a code or token as used. A second use ends the grant. @throws InvalidGrant for every use but the first */
  async consume(id: string): Promise<void> {
    const row = await this.row(id);
    const soon = new Date(this.time() + CONSUMED_RETENTION_MS).toISOString();
    const fields = {
      consumed: Math.floor(this.time() / 1000),
      expires_at: row !== null && row.expires_at < soon ? row.expires_at : soon,
    };
    if (await this.options.accounts.update('oauth', this.rowId(id), fields, { consumed: null })) return;
    const grantId = row?.grant_id ?? null;
    if (grantId !== null) await this.options.endGrant(grantId);
    throw new errors.InvalidGrant('it was used already');
  }

  async destroy(id: string): Promise<void> {
    await this.options.accounts.remove('oauth', this.rowId(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const rows = await this.options.accounts.find<StoredModel>('oauth', 'grant_id', grantId);
    await Promise.all(
      rows.filter(({ kind }) => kind === this.kind).map(({ id }) => this.options.accounts.remove('oauth', id)),
    );
  }

  /** Not used: the device flow is off. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** Not used: the library finds only sessions by uid, and none are stored. */
  async findByUid(): Promise<undefined> {
    return undefined;
  }

  protected row(id: string): Promise<StoredModel | null> {
    return this.options.accounts.get<StoredModel>('oauth', this.rowId(id));
  }

  protected rowId(id: string): string {
    return storedModelId(this.kind, hashToken(id));
  }

  protected time(): number {
    return this.options.now().getTime();
  }
}

/** Stores grants under the id of their TokenRecord. The two end together. */
export class GrantAdapter extends StoreAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    return (await this.options.isGrantActive(id)) ? super.find(id) : undefined;
  }

  override async destroy(id: string): Promise<void> {
    await this.options.endGrant(id);
    await super.destroy(id);
  }
}

/**
 * Stores no sessions: those of the library live for one request. Our own session cookie decides who is signed in, so the
 * two can't contradict each other.
 */
export class NoSessions implements Adapter {
  async upsert(): Promise<void> {}
  async find(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(): Promise<void> {}
  async destroy(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}
}
