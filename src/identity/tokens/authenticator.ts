import { LRUCache } from 'lru-cache';
import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import { withTimeout } from '../../clock/with-timeout.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { effectiveAutonomy } from '../../commands/organization/approval-policy.ts';
import type { Caller, Role } from '../../commands/organization/caller.ts';
import type { OrganizationState } from '../../commands/organization/organization.ts';
import { memberRole, membershipEnd } from '../../commands/organization/organization-state.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import type { Autonomy } from '../../register/proposal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { StoreUnavailable, StreamDamaged } from '../../stores/errors.ts';
import type { OnTokenEvent, ReadAddress } from '../access-log/access-events.ts';
import { type MaybeOrganization, OrganizationReads, type Timestamped } from '../memberships/organization-reads.ts';
import type { AccessTokenGrant } from '../oauth/access-token-lookup.ts';
import { WRITE_SCOPE } from '../oauth/addresses.ts';
import { barredOrganizations, factorOptionalUntil, isMissingRequiredFactor } from '../second-factor/required-factor.ts';
import { hashToken, isAccessToken, isWellFormed } from './token.ts';
import type { TokenRecord } from './token-record.ts';

/** The longest time until a revocation or a change of role takes effect on all instances. */
const MAX_CACHE_AGE_MS = 1_000;
/** A used token is looked up again in the background after this, so calls seldom wait. */
const REFRESH_AFTER_MS = 500;
/** The longest wait for a slow account store. One that is down reports it within 1.1 s. */
const LOOKUP_TIMEOUT_MS = 5_000;
const MAX_CACHED_TOKENS = 10_000;
const LAST_USED_PRECISION_MS = 60_000;

/** A token's record, with the grant if an access token was presented. */
interface TokenMatch {
  record: TokenRecord;
  grant: AccessTokenGrant | null;
}

/** A valid token, as cached until it is stale. */
interface CachedToken {
  record: TokenRecord;
  caller: Caller;
  expiresAt: number;
  /** The time until which no membership behind the caller's roles ends. */
  rolesUntil: number;
  /** The time from which the next use is stored. */
  storeUseAt: number;
}

export interface AuthenticatorOptions {
  accounts: AccountStore;
  handler: CommandHandler;
  now: TimeSource;
  /** The service's base address, for refusals that name a page. By default they name its path. */
  baseUrl?: string | undefined;
  /** Finds OAuth access tokens by their hash (see accessTokenLookup). By default there are none. */
  findAccessToken?: (hash: string) => Promise<AccessTokenGrant | null>;
  /** Called at every use and refusal. */
  onTokenEvent?: OnTokenEvent;
}

/** Finds the caller behind a token, with its current role in each organization. */
export class Authenticator {
  /** Keyed by the token's text, because hashing it would cost more than everything else. Null for an unknown token. */
  private readonly cache = new LRUCache<string, Timestamped<CachedToken | null>>({ max: MAX_CACHED_TOKENS });
  private readonly lookups = new Map<string, Promise<CachedToken | null>>();
  private readonly organizations: OrganizationReads;
  private readonly lastUses = new LRUCache<string, number>({ max: MAX_CACHED_TOKENS });
  /** Raised by `forget`. Results of look-ups that began before it are discarded. */
  private epoch = 0;

  constructor(private readonly options: AuthenticatorOptions) {
    this.organizations = new OrganizationReads(options.handler, () => this.time());
  }

  /**
   * Returns the caller, or null for an unknown, expired or revoked token. The answer is synchronous for a token that was
   * looked up a moment ago, so such calls don't wait.
   * @param readAddress returns the client's address; called only for entries of the access log that show it
   * @param isRecheck the same call was authenticated before, so this is no further use
   * @throws StoreUnavailable (rejects) when the token can't be checked now
   */
  authenticate(token: string, readAddress?: ReadAddress, isRecheck = false): Caller | null | Promise<Caller | null> {
    const now = this.time();
    const cachedEntry = this.cache.get(token);
    if (cachedEntry === undefined && !isWellFormed(token, isAccessToken(token) ? 'ACCESS' : 'API'))
      return this.refuse(null, readAddress);
    const age = cachedEntry === undefined ? Number.NaN : now - cachedEntry.startedAt;
    const hasRolesEnded = now > (cachedEntry?.value?.rolesUntil ?? Number.POSITIVE_INFINITY);
    if (!(age >= 0 && age < MAX_CACHE_AGE_MS) || hasRolesEnded)
      return this.lookUp(token).then((entry) => this.admit(entry, this.time(), readAddress, isRecheck));
    if (age >= REFRESH_AFTER_MS) void this.lookUp(token).catch(() => undefined);
    return this.admit(cachedEntry!.value, now, readAddress, isRecheck);
  }

  private admit(
    entry: CachedToken | null,
    now: number,
    readAddress: ReadAddress | undefined,
    isRecheck: boolean,
  ): Caller | null {
    if (entry === null || hasPassed(entry.expiresAt, this.options.now) || !reachesOrganization(entry.caller))
      return this.refuse(entry, readAddress);
    this.options.now.refuseDoubtful?.(entry.rolesUntil);
    if (isRecheck) return entry.caller;
    if (now >= entry.storeUseAt) this.storeLastUse(entry, now);
    const client = entry.record.client?.name ?? null;
    this.options.onTokenEvent?.({ type: 'TOKEN_USED', caller: entry.caller, client, at: now, readAddress });
    return entry.caller;
  }

  /** Records the refusal. An expired access token of a valid grant isn't recorded: the assistant refreshes it by itself. */
  private refuse(entry: CachedToken | null, readAddress?: ReadAddress): null {
    const now = this.time();
    const isExpiredAccessToken = entry !== null && entry.expiresAt <= now && now < Date.parse(entry.record.expires_at);
    if (!isExpiredAccessToken) {
      this.options.onTokenEvent?.({ type: 'TOKEN_REFUSED', caller: entry?.caller ?? null, readAddress });
    }
    return null;
  }

  /** Removes a changed token from the cache, so the change takes effect at once on this instance. */
  forget(tokenId: string): void {
    this.epoch += 1;
    this.lookups.clear();
    this.organizations.clear();
    for (const [token, { value }] of this.cache) if (value?.record.id === tokenId) this.cache.delete(token);
  }

  /** Looks a token up. Concurrent calls share one look-up. */
  private lookUp(token: string): Promise<CachedToken | null> {
    const running = this.lookups.get(token);
    if (running !== undefined) return running;
    const lookup: Promise<CachedToken | null> = this.read(token).finally(() => {
      if (this.lookups.get(token) === lookup) this.lookups.delete(token);
    });
    this.lookups.set(token, lookup);
    return lookup;
  }

  /** @param acceptOlder uses roles of the last seconds if the log doesn't answer */
  private async read(token: string, acceptOlder = true): Promise<CachedToken | null> {
    const at = this.time();
    const epoch = this.epoch;
    const hash = hashToken(token);
    const match = await withStoreTimeout(
      isAccessToken(token) ? this.findAccessGrant(hash) : this.findToken(hash),
      LOOKUP_TIMEOUT_MS,
    );
    const isValid = match !== null && match.record.revoked_at === null;
    const entry = isValid ? await this.toCachedToken(token, match, at, acceptOlder) : { value: null, startedAt: at };
    if (epoch !== this.epoch) return this.lookUp(token);
    this.cache.set(token, entry);
    return entry.value;
  }

  private async findToken(hash: string): Promise<TokenMatch | null> {
    const [record] = await this.options.accounts.find<TokenRecord>('tokens', 'hash', hash);
    return record === undefined ? null : { record, grant: null };
  }

  /** Finds the grant of an OAuth access token. The grant is stored like other tokens. */
  private async findAccessGrant(hash: string): Promise<TokenMatch | null> {
    const grant = (await this.options.findAccessToken?.(hash)) ?? null;
    if (grant === null) return null;
    const record = await this.options.accounts.get<TokenRecord>('tokens', grant.token_id);
    return record === null || record.kind !== 'ASSISTANT' ? null : { record, grant };
  }

  /**
   * Returns the caller with roles that the log confirms.
   * @param pendingReads reads that already run for this call
   * @throws StoreUnavailable if the log doesn't answer
   */
  private async confirm(token: string, pendingReads: readonly Promise<unknown>[]): Promise<Caller | null> {
    await Promise.all(pendingReads);
    return (await this.read(token, false))?.caller ?? null;
  }

  /** Builds the cache entry. It is as old as the oldest read that it uses. */
  private async toCachedToken(
    token: string,
    { record, grant }: TokenMatch,
    at: number,
    acceptOlder: boolean,
  ): Promise<Timestamped<CachedToken>> {
    const rights: Rights = { roles: new Map(), members: new Map(), autonomy: new Map() };
    let rolesUntil = Number.POSITIVE_INFINITY;
    let oldest = at;
    const pendingReads: Promise<unknown>[] = [];
    const knowsToken = (state: MaybeOrganization) => state?.tokens.get(record.id) !== undefined;
    const damaged = new Set<string>();
    const lacking = new Set<string>();
    const readOrganization = async (id: string) => {
      let read = this.organizations.readShared(id, at);
      // An earlier read of the organization may not contain a token that was just created.
      const isAcceptable = (state: MaybeOrganization) => acceptOlder && knowsToken(state);
      let result = await this.organizations.answer(id, read, isAcceptable);
      if (result.startedAt < at && !knowsToken(result.value)) {
        read = this.organizations.startRead(id, at);
        result = await this.organizations.answer(id, read, isAcceptable);
      }
      return { read, result };
    };
    for (const id of record.organizations) {
      const organization = await readOrganization(id).catch((error: unknown) => {
        // Others that the token reaches still work.
        if (!(error instanceof StreamDamaged) || record.organizations.length === 1) throw error;
        damaged.add(id);
      });
      if (organization === undefined) continue;
      const { read, result } = organization;
      const state = result.value;
      if (result.startedAt < read.startedAt) pendingReads.push(read.value);
      const membership = usableMembership(record, state, this.options.now());
      if (membership !== null && (await this.isMissingFactor(record, state!))) lacking.add(id);
      else if (membership !== null) {
        addRights(rights, id, record.role, membership);
        rolesUntil = Math.min(rolesUntil, membership.until);
      }
      oldest = Math.min(oldest, result.startedAt);
    }
    const { id, account_id } = record;
    const confirm = pendingReads.length === 0 ? {} : { confirm: () => this.confirm(token, pendingReads) };
    const limits = {
      ...limitsOf(record, grant),
      ...barredOrganizations(damaged, lacking, this.options.baseUrl),
    };
    const caller: Caller = { account_id, token_id: id, client: null, ...rights, ...limits, ...confirm };
    const expiresAt = Math.min(Date.parse(record.expires_at), grant?.expiresAt ?? Number.POSITIVE_INFINITY);
    const last_used_at = record.last_used_at === null ? 0 : Date.parse(record.last_used_at);
    const storeUseAt = Math.max(this.lastUses.get(id) ?? 0, last_used_at) + LAST_USED_PRECISION_MS;
    return { value: { record, caller, expiresAt, rolesUntil, storeUseAt }, startedAt: oldest };
  }

  private isMissingFactor({ account_id }: TokenRecord, state: OrganizationState): Promise<boolean> {
    const { accounts, now } = this.options;
    return withStoreTimeout(
      isMissingRequiredFactor(accounts, account_id, state, now().toISOString()),
      LOOKUP_TIMEOUT_MS,
    );
  }

  /** Stores the last use in the background. Failures are ignored. */
  private storeLastUse(entry: CachedToken, now: number): void {
    const { id } = entry.record;
    entry.storeUseAt = now + LAST_USED_PRECISION_MS;
    this.lastUses.set(id, now);
    const fields = { last_used_at: new Date(now).toISOString() };
    setImmediate(() => this.options.accounts.update('tokens', id, fields).catch(() => undefined));
  }

  private time(): number {
    return this.options.now().getTime();
  }
}

/** Returns true if a caller may go on: an organization that wants a second factor tells it so itself. */
function reachesOrganization({ roles, missingFactor }: Caller): boolean {
  return roles.size > 0 || missingFactor !== undefined;
}

function limitsOf(record: TokenRecord, grant: AccessTokenGrant | null): Pick<Caller, 'read_only' | 'scopes'> {
  if (grant === null) return { read_only: record.read_only };
  return { read_only: record.read_only || !grant.scopes.includes(WRITE_SCOPE), scopes: grant.scopes };
}

/** The rights of a credential in each organization that it reaches. */
interface Rights {
  roles: Map<string, Role>;
  members: Map<string, Role>;
  /** Without those in which it may do everything. */
  autonomy: Map<string, Autonomy>;
}

function addRights({ roles, members, autonomy }: Rights, id: string, role: Role, membership: Membership): void {
  roles.set(id, lowerRole(role, membership.role));
  members.set(id, membership.role);
  if (membership.autonomy !== 'ALL') autonomy.set(id, membership.autonomy);
}

/** The membership of a token's account, and what the token may do without a person. */
interface Membership {
  role: Role;
  /** The time in milliseconds up to which it is as now. */
  until: number;
  autonomy: Autonomy;
}

/**
 * Returns the membership of a token's account, and the time in milliseconds up to which it is as now. Null if it has ended,
 * or either was removed.
 */
function usableMembership(
  { id, account_id, expires_at, next_hash = null }: TokenRecord,
  state: OrganizationState | null,
  now: Date,
): Membership | null {
  const token = state?.tokens.get(id);
  const role = state && memberRole(state, account_id, now.toISOString());
  if (role === null || token === undefined || token.revoked) return null;
  // The log says already that the text was replaced. The account store doesn't yet, or never will, after a crash.
  if (next_hash !== null && token.expires_at !== expires_at) return null;
  const end = membershipEnd(state!, account_id);
  const until = Math.min(end === null ? Number.POSITIVE_INFINITY : Date.parse(end), factorOptionalUntil(state!, now));
  return { role, until, autonomy: effectiveAutonomy(state!, token) };
}

/** Waits for a store's answer for at most `ms`. @throws StoreUnavailable after that; otherwise as `work` does */
function withStoreTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return withTimeout(ms, work, () => {
    throw new StoreUnavailable(`no answer in ${ms} ms`);
  });
}
