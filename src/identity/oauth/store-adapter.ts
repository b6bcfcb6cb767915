import type { AccountStore } from '../../stores/account-store.ts';
import { hashToken, isWellFormed, type TokenKind } from '../token.ts';
import { type Adapter, type AdapterPayload, errors } from './oidc-provider.ts';
import { type StoredModel, storedModelId } from './stored-model.ts';

export interface AdapterOptions {
  accounts: AccountStore;
  now: () => Date;
  /** Returns true if the grant's TokenRecord exists, is not revoked and has not expired. */
  isGrantActive(tokenId: string): Promise<boolean>;
  /** Takes the grant's TokenRecord away; what is gone already is no error. */
  endGrant(tokenId: string): Promise<void>;
}

/** JSON has no such character: where it stands, the id was. */
const ID_PLACEHOLDER = '\u0000';
/** Used codes and tokens are kept this long, so a second use is noticed. */
const CONSUMED_RETENTION_MS = 30 * 86_400_000;
/** Kinds of which a false one is known by its form. */
const TOKEN_KINDS: Readonly<Record<string, TokenKind>> = { AccessToken: 'ACCESS', RefreshToken: 'REFRESH' };

/**
 * One kind of model in the account store. What is shown by its holder is kept as a hash only, and is used up at most
 * once, whoever else tries at the same time.
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
    if (row === null || Date.parse(row.expires_at) <= this.time()) return undefined;
    const payload = JSON.parse(row.payload.replaceAll(ID_PLACEHOLDER, id)) as AdapterPayload;
    return { ...payload, jti: id, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
  }

  /** @throws InvalidGrant for all but one of those who use it up; who comes second ends the grant. */
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
    throw new errors.InvalidGrant('used at once by another');
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

  /** Nothing here has a user code. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** Only sessions are looked for by uid, and none are kept. */
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

/** Grants, each with the id of its TokenRecord: where that is gone the grant is, and where the grant ends that does. */
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
 * The library's own sessions live for one request: who is signed in is what our session cookie says, and nothing that
 * the library remembers can outlive or contradict it.
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
