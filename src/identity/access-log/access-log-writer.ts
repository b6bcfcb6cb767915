import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { withoutControlCharacters } from '../accounts/account.ts';
import { describeBrowser } from '../client-info.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { AccessLogEntry } from './access-log-entry.ts';
import type { AccessLogRow } from './access-log-row.ts';

/** Rows are removed after this many days. */
export const ACCESS_LOG_DAYS = 400;
const DAY_MS = 86_400_000;
/** A bucket covers a day at most, so no instance needs its record for longer than this. */
const BUCKET_LIFETIME_MS = 2 * DAY_MS;
/** The number of buckets whose row id is cached. */
const MAX_CACHED_BUCKETS = 10_000;
const MAX_CLIENT_LENGTH = 100;

/**
 * A row to write. `bucket` identifies the period, type, organization and actor that share one row: all instances add
 * their counts to it. Null for a row without a count.
 */
export interface PendingRow {
  row: AccessLogRow;
  bucket: string | null;
}

/** Maps a bucket to its row. It has no organization_id, so readers of the access log never see it. */
interface Bucket extends AccountRecord {
  row_id: string;
}

/** Returns a new row id. It begins with the time, so ids sort by time. */
function rowId(at: string): string {
  return `${at}~${randomBytes(8).toString('hex')}`;
}

const expiryOf = (at: string): string => new Date(Date.parse(at) + ACCESS_LOG_DAYS * DAY_MS).toISOString();

/** Adds up two rows of the same bucket. The client and address of the later one are kept. */
export function mergeCounts<T extends AccessLogRow>(row: T, other: AccessLogRow): T {
  const isLater = other.last_at >= row.last_at;
  return {
    ...row,
    at: other.at < row.at ? other.at : row.at,
    last_at: isLater ? other.last_at : row.last_at,
    count: row.count + other.count,
    client: isLater ? other.client : row.client,
    address: isLater ? other.address : row.address,
  };
}

/** Writes rows of the access log. Several instances can add to the same counter. */
export class AccessLogWriter {
  private readonly rowIds = new LRUCache<string, string>({ max: MAX_CACHED_BUCKETS });

  constructor(private readonly accounts: AccountStore) {}

  /**
   * Writes a row. A repeat after a failure never adds a second row, but it may add a count twice if the answer was lost.
   * @throws StoreUnavailable
   */
  async write({ row, bucket }: PendingRow): Promise<void> {
    if (bucket === null) return void (await this.accounts.insert('access', row));
    const id = await this.rowIdOf(bucket, row);
    await updateAtomically<AccessLogRow>(this.accounts, 'access', id, (storedRow) => {
      if (storedRow === null) return row;
      const { at, last_at, count, client, address } = mergeCounts(storedRow, row);
      return { at, last_at, count, client, address };
    });
  }

  /** Returns the id of a bucket's row. The first instance that writes to the bucket sets it. */
  private async rowIdOf(bucket: string, row: AccessLogRow): Promise<string> {
    const cachedId = this.rowIds.get(bucket);
    if (cachedId !== undefined) return cachedId;
    const expires_at = new Date(Date.parse(row.last_at) + BUCKET_LIFETIME_MS).toISOString();
    const first = await this.accounts.insert('access', { id: bucket, row_id: row.id, expires_at });
    const id = first ? row.id : ((await this.accounts.get<Bucket>('access', bucket))?.row_id ?? row.id);
    this.rowIds.set(bucket, id);
    return id;
  }
}

/**
 * Returns an entry of the same type that names nobody: without actor, account, organizations, client, address and
 * details.
 */
export function anonymousEntry({ event_type }: AccessLogEntry): AccessLogEntry {
  return { event_type, actor_id: null };
}

/** Returns the row that one organization sees for an entry. */
export function toAccessLogRow(
  entry: AccessLogEntry,
  organization_id: string,
  at: string,
  last_at: string,
  count: number,
): AccessLogRow {
  const { event_type, actor_id, account_id = null, clientInfo, client, details = {} } = entry;
  const clientName = client ?? (clientInfo && clientInfo.agent !== '' ? describeBrowser(clientInfo.agent) : null);
  return {
    id: rowId(at),
    organization_id,
    event_type,
    at,
    last_at,
    count,
    actor_id,
    account_id: account_id ?? (actor_id?.startsWith('acc_') ? actor_id : null),
    client: clientName === null ? null : withoutControlCharacters(clientName).slice(0, MAX_CLIENT_LENGTH),
    address: clientInfo?.address ?? null,
    details,
    expires_at: expiryOf(last_at),
  };
}

/** Actors that get a row of their own in a period. All further ones share one row. */
const MAX_FIRST_ACTORS = 20;

/** Limits how many actors get a row of their own in a period, so that many attempts make few rows. */
export class FirstActors {
  private readonly periods = new Map<string, Map<string, Set<string>>>();

  /** Returns true if `who` is among the first MAX_FIRST_ACTORS of this kind in this period. */
  has(period: string, kind: string, who: string | null): boolean {
    if (who === null) return false;
    let kinds = this.periods.get(period);
    if (kinds === undefined) {
      this.periods.clear();
      kinds = new Map();
      this.periods.set(period, kinds);
    }
    const names = kinds.get(kind) ?? new Set();
    kinds.set(kind, names);
    if (names.size < MAX_FIRST_ACTORS) names.add(who);
    return names.has(who);
  }
}
