import { LRUCache } from 'lru-cache';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import type { ReadModels } from '../../stores/read-store.ts';

/** Shown instead of a deleted account's name. */
const FORMER_MEMBER = 'former member';
/** Characters of an account's id that distinguish it from another with the same name. */
const SHORT_ID_CHARACTERS = 5;

/** A current or former name of an account: a record of the table `names`. */
export interface NameRecord extends AccountRecord {
  account_id: string;
  name: string;
  /** Equal for names that look the same to a reader. */
  name_key: string;
  /** The time from which the account has this name; null for its first name. */
  since: string | null;
}

/** One account's names, oldest first. Empty for a deleted account. */
type NameHistory = readonly Pick<NameRecord, 'name' | 'name_key' | 'since'>[];

interface Caches {
  histories: LRUCache<string, NameHistory>;
  /** Ids of accounts that have or had a name, by its key. */
  accountsByName: LRUCache<string, readonly string[]>;
}

const CACHE_OPTIONS = { max: 5_000, ttl: 5_000 };
const caches = new WeakMap<AccountStore, Caches>();

/** Returns a name's key, which ignores case, character width and repeated spaces. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Returns the id of an account's n-th name, from 0. The ids sort in that order. */
export function nameId(accountId: string, n: number): string {
  return `${accountId}:${String(n).padStart(4, '0')}`;
}

/** Returns the names that an account has had, oldest first. */
export async function nameRecords(accounts: AccountStore, accountId: string): Promise<NameRecord[]> {
  const records = await accounts.find<NameRecord>('names', 'account_id', accountId);
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The names of accounts at any time, as one organization's readers see them. */
export class AccountNames {
  constructor(
    private readonly histories: ReadonlyMap<string, NameHistory>,
    /** `<account id> <name key>` for each name that another account of the organization has or had too. */
    private readonly ambiguous: ReadonlySet<string>,
  ) {}

  /** Returns the name that an account had at a time, by default now; "former member" for an erased one. */
  of(id: string, at: string | null = null): string {
    const history = this.histories.get(id) ?? [];
    const name = history.findLast(({ since }) => at === null || since === null || since <= at) ?? history[0];
    if (name === undefined) return FORMER_MEMBER;
    return this.ambiguous.has(`${id} ${name.name_key}`)
      ? `${name.name} (…${id.slice(-SHORT_ID_CHARACTERS)})`
      : name.name;
  }
}

/** Returns the current and former members of an organization. Called only if two accounts share a name. */
export type ReadAllMembers = () => Promise<ReadonlySet<string>>;

/** Reads accounts' names. Events don't contain names, so every read of history adds them. */
export async function readAccountNames(
  accounts: AccountStore,
  ids: Iterable<string>,
  readAllMembers: ReadAllMembers,
): Promise<AccountNames> {
  const histories = new Map<string, NameHistory>();
  for (const id of new Set(ids)) histories.set(id, await historyOf(accounts, id));
  const ambiguous = new Set<string>();
  let members: ReadonlySet<string> | null = null;
  for (const [id, history] of histories) {
    for (const { name_key } of history) {
      const others = (await accountsWithName(accounts, name_key)).filter((other) => other !== id);
      if (others.length === 0) continue;
      members ??= await readAllMembers();
      if (others.some((other) => members!.has(other))) ambiguous.add(`${id} ${name_key}`);
    }
  }
  return new AccountNames(histories, ambiguous);
}

/** The stores that names are read from. */
export interface NamesReader {
  accounts: AccountStore;
  readonly models: Pick<ReadModels, 'get'>;
}

/** Reads the names of accounts as an organization's readers see them. */
export function readMemberNames(
  reader: NamesReader,
  organizationId: string,
  ids: Iterable<string>,
): Promise<AccountNames> {
  return readAccountNames(reader.accounts, ids, () => readAllMembersOf(reader, organizationId));
}

/** Returns an organization's current and former members. */
export async function readAllMembersOf(
  { models }: Pick<NamesReader, 'models'>,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const [organization] = await models.get('organizations', [organizationId]);
  return allMembersOf((organization?.doc ?? {}) as Partial<Memberships>);
}

interface Memberships {
  members: Readonly<Record<string, unknown>>;
  /** Members who were removed or left. */
  former: Readonly<Record<string, unknown>>;
}

/** Returns the current and former members in an organization's document. */
export function allMembersOf({ members = {}, former = {} }: Partial<Memberships>): ReadonlySet<string> {
  return new Set([...Object.keys(members), ...Object.keys(former)]);
}

/** Clears the cache of names after this instance changed one. Other instances' caches expire within 5 s. */
export function clearNameCache(accounts: AccountStore): void {
  caches.delete(accounts);
}

function cachesOf(accounts: AccountStore): Caches {
  const cached = caches.get(accounts);
  if (cached !== undefined) return cached;
  const created = {
    histories: new LRUCache<string, NameHistory>(CACHE_OPTIONS),
    accountsByName: new LRUCache<string, readonly string[]>(CACHE_OPTIONS),
  };
  caches.set(accounts, created);
  return created;
}

async function historyOf(accounts: AccountStore, id: string): Promise<NameHistory> {
  const { histories } = cachesOf(accounts);
  let history = histories.get(id);
  if (history === undefined) {
    const records = await nameRecords(accounts, id);
    history = records.length > 0 ? records : await firstName(accounts, id);
    histories.set(id, history);
  }
  return history;
}

/** Returns the name of a new account whose name record doesn't exist yet. */
async function firstName(accounts: AccountStore, id: string): Promise<NameHistory> {
  const account = await accounts.get<AccountRecord & { name?: string | null }>('accounts', id);
  return account?.name ? [{ name: account.name, name_key: nameKey(account.name), since: null }] : [];
}

async function accountsWithName(accounts: AccountStore, key: string): Promise<readonly string[]> {
  const { accountsByName } = cachesOf(accounts);
  let ids = accountsByName.get(key);
  if (ids === undefined) {
    const records = await accounts.find<NameRecord>('names', 'name_key', key);
    ids = [...new Set(records.map(({ account_id }) => account_id))];
    accountsByName.set(key, ids);
  }
  return ids;
}
