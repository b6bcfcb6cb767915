import { LRUCache } from 'lru-cache';
import { Refusal } from '../../commands/engine/refusal.ts';
import {
  distinctName,
  type MemberIdentity,
  type MemberNames,
  type NameReader,
  type ReadAllMembers,
} from '../../queries/records/member-names.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { ImportedNames } from '../imported-names.ts';
import { findAccount } from './account.ts';

/** Shown instead of a deleted account's name. */
const FORMER_MEMBER = 'former member';
/** More names than any person has. Stops programs that change a name in a loop. */
const MAX_NAMES = 200;
/** Other instances see a changed name after this time at the latest. */
const CACHE_OPTIONS = { max: 5_000, ttl: 5_000 };

/** A current or former name of an account: a record of the table `names`. */
interface NameRecord extends AccountRecord {
  account_id: string;
  name: string;
  /** Equal for names that look the same to a reader. */
  name_key: string;
  /** The time from which the account has this name; null for its first name. */
  since: string | null;
}

/** One account's names, oldest first. Empty for a deleted account. */
type NameHistory = readonly Pick<NameRecord, 'name' | 'name_key' | 'since'>[];

/** The names that accounts have and had. They are in the account store only, with the time from which each is valid. */
export class AccountNames implements NameReader {
  private readonly histories = new LRUCache<string, NameHistory>(CACHE_OPTIONS);
  /** Ids of accounts that have or had a name, by its key. */
  private readonly accountsByName = new LRUCache<string, readonly string[]>(CACHE_OPTIONS);

  constructor(private readonly accounts: AccountStore) {}

  readImportedNames(organizationId: string, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    return new ImportedNames(this.accounts).read(organizationId, ids);
  }

  /** Reads the names of accounts for an organization's readers. */
  async readNames(accountIds: Iterable<string>, readAllMembers: ReadAllMembers): Promise<MemberNames> {
    const histories = new Map<string, NameHistory>();
    for (const id of new Set(accountIds)) histories.set(id, await this.historyOf(id));
    const ambiguous = new Set<string>();
    let members: ReadonlySet<string> | null = null;
    for (const [id, history] of histories) {
      for (const { name_key } of history) {
        const others = (await this.accountsWithName(name_key)).filter((other) => other !== id);
        if (others.length === 0) continue;
        members ??= await readAllMembers();
        if (others.some((other) => members!.has(other))) ambiguous.add(`${id} ${name_key}`);
      }
    }
    return new DistinctNames(histories, ambiguous);
  }

  async readIdentities(accountIds: Iterable<string>, seesAddress: (id: string) => boolean): Promise<MemberIdentity[]> {
    const identities = [...accountIds].map(async (account_id): Promise<MemberIdentity | null> => {
      const names = (await this.historyOf(account_id)).map((record) => record.name);
      const name = names.at(-1);
      if (name === undefined) return null;
      const email = seesAddress(account_id) ? await this.addressOf(account_id) : null;
      return { account_id, name, earlierNames: names.slice(0, -1), email };
    });
    return (await Promise.all(identities)).filter((identity) => identity !== null);
  }

  /**
   * Records an account's new name with its date, after the earlier ones. The first name is valid from the beginning.
   * @param since the time of the change, in RFC 3339
   * @throws Refusal too_large
   */
  async record(accountId: string, name: string, since: string): Promise<void> {
    for (;;) {
      const records = await nameRecords(this.accounts, accountId);
      if (records.at(-1)?.name === name) return;
      if (records.length >= MAX_NAMES) {
        throw new Refusal(
          'too_large',
          `The account has had ${MAX_NAMES} names, which is the limit. Keep the current name.`,
          { field: 'name' },
        );
      }
      // Earlier versions didn't record the first name, so it is taken from the account.
      if (records.length === 0) {
        await recordFirstName(this.accounts, accountId, (await nameOf(this.accounts, accountId)) ?? name);
      } else {
        await this.accounts.insert('names', nameRecord(accountId, records.length, name, since));
      }
      this.clearCaches();
    }
  }

  /** Records the name of a new account. Changes nothing if a name is recorded. */
  async recordFirst(accountId: string, name: string): Promise<void> {
    await recordFirstName(this.accounts, accountId, name);
    this.clearCaches();
  }

  /** Erases every name of an account. Readers then see "former member". */
  async erase(accountId: string): Promise<void> {
    for (const { id } of await nameRecords(this.accounts, accountId)) await this.accounts.remove('names', id);
    this.clearCaches();
  }

  /** Lets the next reads see what another thread of this process has changed. */
  clearCaches(): void {
    this.histories.clear();
    this.accountsByName.clear();
  }

  private async historyOf(accountId: string): Promise<NameHistory> {
    let history = this.histories.get(accountId);
    if (history === undefined) {
      const records = await nameRecords(this.accounts, accountId);
      history = records.length > 0 ? records : await this.unrecordedName(accountId);
      this.histories.set(accountId, history);
    }
    return history;
  }

  private async addressOf(accountId: string): Promise<string | null> {
    return (await findAccount(this.accounts, accountId))?.email ?? null;
  }

  /** Returns the name of a new account whose name record doesn't exist yet. */
  private async unrecordedName(accountId: string): Promise<NameHistory> {
    const name = await nameOf(this.accounts, accountId);
    return name === null ? [] : [{ name, name_key: nameKey(name), since: null }];
  }

  private async accountsWithName(key: string): Promise<readonly string[]> {
    let ids = this.accountsByName.get(key);
    if (ids === undefined) {
      const records = await this.accounts.find<NameRecord>('names', 'name_key', key);
      ids = [...new Set(records.map(({ account_id }) => account_id))];
      this.accountsByName.set(key, ids);
    }
    return ids;
  }
}

/** Names in which two accounts of one organization differ. */
class DistinctNames implements MemberNames {
  constructor(
    private readonly histories: ReadonlyMap<string, NameHistory>,
    /** `<account id> <name key>` for each name that another account of the organization has or had too. */
    private readonly ambiguous: ReadonlySet<string>,
  ) {}

  of(id: string, at: string | null = null): string {
    const history = this.histories.get(id) ?? [];
    const name = history.findLast(({ since }) => at === null || since === null || since <= at) ?? history[0];
    if (name === undefined) return FORMER_MEMBER;
    return this.ambiguous.has(`${id} ${name.name_key}`) ? distinctName(name.name, id) : name.name;
  }
}

/** Records the name of a new account before anybody reads names. Changes nothing if a name is recorded. */
export async function recordFirstName(accounts: AccountStore, accountId: string, name: string): Promise<void> {
  await accounts.insert('names', nameRecord(accountId, 0, name, null));
}

/** Returns the names that an account has had, oldest first. */
async function nameRecords(accounts: AccountStore, accountId: string): Promise<NameRecord[]> {
  const records = await accounts.find<NameRecord>('names', 'account_id', accountId);
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function nameOf(accounts: AccountStore, accountId: string): Promise<string | null> {
  const account = await accounts.get<AccountRecord & { name?: string | null }>('accounts', accountId);
  return account?.name || null;
}

/** Returns the record of an account's n-th name, from 0. The ids sort in that order. */
function nameRecord(account_id: string, n: number, name: string, since: string | null): NameRecord {
  return { id: `${account_id}:${String(n).padStart(4, '0')}`, account_id, name, name_key: nameKey(name), since };
}

/** Returns a name's key, which ignores case, character width and repeated spaces. Stored keys have this form. */
function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
