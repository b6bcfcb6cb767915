import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccessLogRow } from '../queries/access-log-row.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import type { AccessLogEntry } from './access-log-entry.ts';
import { printable } from './account.ts';
import { change } from './change.ts';
import { browserOf } from './visitor.ts';

/** How long a row of the access log is kept. */
export const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
/** How long it can be told late which row a bucket has: it is asked for while counts go into it. */
const BUCKET_KEPT_MS = 2 * DAY_MS;
/** Rows whose place is remembered. */
const REMEMBERED = 10_000;
const LONGEST_CLIENT = 100;

/** A row to write; where it is counted, `bucket` names what all instances count into together. */
export interface Unwritten {
  row: AccessLogRow;
  bucket: string | null;
}

/** Says in which row a bucket is counted. It belongs to no organization, so that no reader meets it. */
interface Bucket extends AccountRecord {
  row_id: string;
}

/** A row's id: its time, so that rows are in their order by it, and what makes it its own. */
function rowId(at: string): string {
  return `${at}~${randomBytes(8).toString('hex')}`;
}

const expiryOf = (at: string): string => new Date(Date.parse(at) + KEPT_DAYS * DAY_MS).toISOString();

/** Two counts of the same bucket as one. */
export function merged<T extends AccessLogRow>(row: T, more: AccessLogRow): T {
  const later = more.last_at >= row.last_at;
  return {
    ...row,
    at: more.at < row.at ? more.at : row.at,
    last_at: later ? more.last_at : row.last_at,
    count: row.count + more.count,
    client: later ? more.client : row.client,
    address: later ? more.address : row.address,
  };
}

/** Writes rows of the access log, so that several instances can count into the same one. */
export class AccessRows {
  private readonly places = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(private readonly accounts: AccountStore) {}

  /**
   * Repeating it after a failure writes no row twice; a count whose answer was lost may be counted twice.
   * @throws StoreUnavailable
   */
  async write({ row, bucket }: Unwritten): Promise<void> {
    if (bucket === null) return void (await this.accounts.insert('access', row));
    const id = await this.place(bucket, row);
    await change<AccessLogRow>(this.accounts, 'access', id, (found) => {
      if (found === null) return row;
      const { at, last_at, count, client, address } = merged(found, row);
      return { at, last_at, count, client, address };
    });
  }

  /** The row that a bucket is counted in: the first writer's. */
  private async place(bucket: string, row: AccessLogRow): Promise<string> {
    const known = this.places.get(bucket);
    if (known !== undefined) return known;
    const expires_at = new Date(Date.parse(row.last_at) + BUCKET_KEPT_MS).toISOString();
    const first = await this.accounts.insert('access', { id: bucket, row_id: row.id, expires_at });
    const id = first ? row.id : ((await this.accounts.get<Bucket>('access', bucket))?.row_id ?? row.id);
    this.places.set(bucket, id);
    return id;
  }
}

/** The same, of nobody in particular. */
export function anonymous({ event_type }: AccessLogEntry): AccessLogEntry {
  return { event_type, actor_id: null };
}

/** What one organization is shown of an entry. */
export function rowOf(
  entry: AccessLogEntry,
  organization_id: string,
  at: string,
  last_at: string,
  count: number,
): AccessLogRow {
  const { event_type, actor_id, account_id = null, visitor, client, details = {} } = entry;
  const shown = client ?? (visitor && visitor.agent !== '' ? browserOf(visitor.agent) : null);
  return {
    id: rowId(at),
    organization_id,
    event_type,
    at,
    last_at,
    count,
    actor_id,
    account_id: account_id ?? (actor_id?.startsWith('acc_') ? actor_id : null),
    client: shown === null ? null : printable(shown).slice(0, LONGEST_CLIENT),
    address: visitor?.address ?? null,
    details,
    expires_at: expiryOf(last_at),
  };
}
