import { LRUCache } from 'lru-cache';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import type { ReadModels } from '../stores/read-store.ts';

/** What readers see where an account is no more. */
const FORMER_MEMBER = 'former member';
/** Characters of an account's id that tell it from another of the same name. */
const SHORT_ID_CHARACTERS = 5;

/** A name that an account has or had: a record of the table `names`. */
export interface NameRecord extends AccountRecord {
  account_id: string;
  name: string;
  /** Two names with one key look alike to a reader. */
  name_key: string;
  /** Since when it is the account's; null for its first one, which holds from the beginning. */
  since: string | null;
}

/** Names of one account, oldest first. Empty where it is no more. */
type History = readonly Pick<NameRecord, 'name' | 'name_key' | 'since'>[];

interface Caches {
  histories: LRUCache<string, History>;
  /** Accounts that ever bore a name, by its key. */
  bearers: LRUCache<string, readonly string[]>;
}

const CACHE_OPTIONS = { max: 5_000, ttl: 5_000 };
const caches = new WeakMap<AccountStore, Caches>();

/** Returns the key of a name: letters' case, their width and spaces tell nobody apart. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The id of an account's n-th name, from 0: in their order. */
export function nameId(accountId: string, n: number): string {
  return `${accountId}:${String(n).padStart(4, '0')}`;
}

/** Returns the names that an account has had, oldest first. */
export async function nameRecords(accounts: AccountStore, accountId: string): Promise<NameRecord[]> {
  const records = await accounts.find<NameRecord>('names', 'account_id', accountId);
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Names of accounts at any time, as one organization's readers see them. */
export class AccountNames {
  constructor(
    private readonly histories: ReadonlyMap<string, History>,
    /** Accounts with a name that another account of the organization has or had. */
    private readonly ambiguous: ReadonlySet<string>,
  ) {}

  /** Returns the name that an account had at a time, by default now; "former member" for an erased one. */
  of(id: string, at: string | null = null): string {
    const history = this.histories.get(id) ?? [];
    const held = history.findLast(({ since }) => at === null || since === null || since <= at) ?? history[0];
    if (held === undefined) return FORMER_MEMBER;
    return this.ambiguous.has(`${id} ${held.name_key}`)
      ? `${held.name} (…${id.slice(-SHORT_ID_CHARACTERS)})`
      : held.name;
  }
}

/** Answers which accounts are or ever were members of an organization. Asked only where two accounts share a name. */
export type EverMembers = () => Promise<ReadonlySet<string>>;

/** Reads names of accounts: no event holds one, they are put in when history is read. */
export async function readAccountNames(
  accounts: AccountStore,
  ids: Iterable<string>,
  everMembers: EverMembers,
): Promise<AccountNames> {
  const histories = new Map<string, History>();
  for (const id of new Set(ids)) histories.set(id, await historyOf(accounts, id));
  const ambiguous = new Set<string>();
  let members: ReadonlySet<string> | null = null;
  for (const [id, history] of histories) {
    for (const { name_key } of history) {
      const others = (await bearersOf(accounts, name_key)).filter((other) => other !== id);
      if (others.length === 0) continue;
      members ??= await everMembers();
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

/** The same for readers of the read models. */
export function readMemberNames(
  reader: NamesReader,
  organizationId: string,
  ids: Iterable<string>,
): Promise<AccountNames> {
  return readAccountNames(reader.accounts, ids, () => membersEverIn(reader, organizationId));
}

/** Returns everybody who is or was a member of an organization. */
export async function membersEverIn(
  { models }: Pick<NamesReader, 'models'>,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const [organization] = await models.get('organizations', [organizationId]);
  return membersEver((organization?.doc ?? {}) as Partial<Memberships>);
}

interface Memberships {
  members: Readonly<Record<string, unknown>>;
  /** People who were removed or left. */
  former: Readonly<Record<string, unknown>>;
}

/** The same, of what is known of an organization. */
export function membersEver({ members = {}, former = {} }: Partial<Memberships>): ReadonlySet<string> {
  return new Set([...Object.keys(members), ...Object.keys(former)]);
}

/** Forgets what is remembered of names: this instance has just changed one. Others follow within 5 s. */
export function namesChanged(accounts: AccountStore): void {
  caches.delete(accounts);
}

function cachesOf(accounts: AccountStore): Caches {
  const known = caches.get(accounts);
  if (known !== undefined) return known;
  const made = {
    histories: new LRUCache<string, History>(CACHE_OPTIONS),
    bearers: new LRUCache<string, readonly string[]>(CACHE_OPTIONS),
  };
  caches.set(accounts, made);
  return made;
}

async function historyOf(accounts: AccountStore, id: string): Promise<History> {
  const { histories } = cachesOf(accounts);
  let history = histories.get(id);
  if (history === undefined) {
    const records = await nameRecords(accounts, id);
    history = records.length > 0 ? records : await firstName(accounts, id);
    histories.set(id, history);
  }
  return history;
}

/** The name of an account that has just been made, until it is recorded: it holds from the beginning. */
async function firstName(accounts: AccountStore, id: string): Promise<History> {
  const account = await accounts.get<AccountRecord & { name?: string | null }>('accounts', id);
  return account?.name ? [{ name: account.name, name_key: nameKey(account.name), since: null }] : [];
}

async function bearersOf(accounts: AccountStore, key: string): Promise<readonly string[]> {
  const { bearers } = cachesOf(accounts);
  let ids = bearers.get(key);
  if (ids === undefined) {
    const records = await accounts.find<NameRecord>('names', 'name_key', key);
    ids = [...new Set(records.map(({ account_id }) => account_id))];
    bearers.set(key, ids);
  }
  return ids;
}
