import type { IncomingMessage } from 'node:http';
import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { hashToken, isWellFormed, type TokenKind } from '../tokens/token.ts';
import { type Adapter, type AdapterPayload, errors, Provider } from './oidc-provider.ts';
import { type StoredModel, storedModelId } from './stored-model.ts';

export interface AdapterOptions {
  accounts: AccountStore;
  now: TimeSource;
  /** Returns true if the grant's TokenRecord can still be used: it and a membership that it reaches have not ended. */
  isGrantActive(tokenId: string): Promise<boolean>;
  /** Revokes the grant's TokenRecord. Does nothing if it is revoked or missing. */
  endGrant(tokenId: string, reuse: GrantReuse | null): Promise<void>;
}

/** The second use of a code or refresh token. Somebody else may have it, so it ends the grant. */
export interface GrantReuse {
  reason: 'CODE_REUSED' | 'REFRESH_TOKEN_REUSED';
  request: IncomingMessage;
}

/** Replaces the id in stored JSON, which can't contain this character itself. */
const ID_PLACEHOLDER = '\u0000';
/** Used codes and tokens are kept this long, so a second use is noticed. */
const CONSUMED_RETENTION_MS = 30 * 86_400_000;
/**
 * A refresh token can be used again for this long, with the same successor. Two windows of a client share one sign-in and
 * refresh it at the same moment, and a client repeats a request whose answer was lost.
 */
const REFRESH_REPEAT_SECONDS = 60;
/** Kinds with a token format, so malformed ones need no look-up. */
const TOKEN_KINDS: Readonly<Record<string, TokenKind>> = { AccessToken: 'ACCESS', RefreshToken: 'REFRESH' };

/**
 * Stores nothing, as for the library's sessions: those live for one request. Our own session cookie decides who is signed in,
 * so the two can't contradict each other.
 */
export class BlankAdapter implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload, _expiresIn: number): Promise<void> {}
  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined;
  }
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(_id: string): Promise<void> {}
  async destroy(_id: string): Promise<void> {}
  async revokeByGrantId(_grantId: string): Promise<void> {}
}

/**
 * Stores one kind of the library's models in the account store. Codes and tokens are stored as hashes only, and can be
 * consumed once, also by concurrent calls.
 */
export class StoreAdapter extends BlankAdapter {
  constructor(
    private readonly kind: string,
    protected readonly options: AdapterOptions,
  ) {
    super();
  }

  /** Stores a model. A refresh token stays as it is, because every use of its predecessor stores it. */
  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { jti: _jti, consumed: _consumed, ...rest } = payload;
    const row: StoredModel = {
      id: this.rowId(id),
      kind: this.kind,
      grant_id: payload.grantId ?? null,
      expires_at: new Date(this.time() + expiresIn * 1000).toISOString(),
      consumed: null,
      payload: JSON.stringify(rest).replaceAll(id, ID_PLACEHOLDER),
    };
    if (this.kind === 'RefreshToken') await this.options.accounts.insert('oauth', row);
    else await this.options.accounts.put('oauth', row);
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const form = TOKEN_KINDS[this.kind];
    if (form !== undefined && !isWellFormed(id, form)) return undefined;
    const row = await this.row(id);
    if (row === null || hasPassed(row.expires_at, this.options.now)) return undefined;
    const payload = JSON.parse(row.payload.replaceAll(ID_PLACEHOLDER, id)) as AdapterPayload;
    return {
      ...payload,
      jti: id,
      ...(row.consumed === null || this.isRepeatable(row) ? {} : { consumed: row.consumed }),
    };
  }

  /** Marks a code or token as used. A second use ends the grant. @throws InvalidGrant for such a use */
  override async consume(id: string): Promise<void> {
    const row = await this.row(id);
    const soon = new Date(this.time() + CONSUMED_RETENTION_MS).toISOString();
    const fields = {
      consumed: Math.floor(this.time() / 1000),
      expires_at: row !== null && row.expires_at < soon ? row.expires_at : soon,
    };
    if (await this.options.accounts.update('oauth', this.rowId(id), fields, { consumed: null })) return;
    const used = await this.row(id);
    if (used !== null && this.isRepeatable(used)) return;
    const grantId = row?.grant_id ?? null;
    if (grantId !== null) await this.options.endGrant(grantId, reuseOfRequest());
    throw new errors.InvalidGrant('it was used already');
  }

  override async destroy(id: string): Promise<void> {
    await this.options.accounts.remove('oauth', this.rowId(id));
  }

  override async revokeByGrantId(grantId: string): Promise<void> {
    const rows = await this.options.accounts.find<StoredModel>('oauth', 'grant_id', grantId);
    await Promise.all(
      rows.filter(({ kind }) => kind === this.kind).map(({ id }) => this.options.accounts.remove('oauth', id)),
    );
  }

  private isRepeatable({ consumed }: StoredModel): boolean {
    if (this.kind !== 'RefreshToken' || consumed === null) return false;
    return Math.floor(this.time() / 1000) - consumed <= REFRESH_REPEAT_SECONDS;
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
    await this.options.endGrant(id, reuseOfRequest());
    await super.destroy(id);
  }
}

/** Returns why the current request ends a grant. The token endpoint does so only after a second use. */
function reuseOfRequest(): GrantReuse | null {
  const { oidc, req } = Provider.ctx ?? {};
  if (oidc?.route !== 'token' || req === undefined) return null;
  const reason = oidc.params?.grant_type === 'refresh_token' ? 'REFRESH_TOKEN_REUSED' : 'CODE_REUSED';
  return { reason, request: req };
}
