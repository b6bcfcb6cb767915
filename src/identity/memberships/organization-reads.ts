import { LRUCache } from 'lru-cache';
import { withTimeout } from '../../clock/with-timeout.ts';
import { createByteCache } from '../../commands/engine/byte-cache.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { OrganizationState } from '../../commands/organization/organization.ts';
import { StoreUnavailable } from '../../stores/errors.ts';

/** A value, and the time when reading it began. */
export interface Timestamped<T> {
  value: T;
  startedAt: number;
}

export type MaybeOrganization = OrganizationState | null;

/** Maximum age of a read that the look-ups of several tokens share. */
const MAX_SHARED_AGE_MS = 500;
/** Maximum age of an earlier result that is used while the log doesn't answer. */
const MAX_FALLBACK_AGE_MS = 10_000;
/** Organizations whose newest read is shared. It is so for half a second only. */
const MAX_SHARED_READS = 1_000;
/** After this time without an answer from the log, an earlier result is used. */
const FALLBACK_AFTER_MS = 1_000;
/** Limit of the earlier results, in bytes. An organization with ten members and tokens takes about 10 KB. */
const CACHED_ORGANIZATION_BYTES = 32 * 1024 ** 2;

/** Reads organizations from the log to check roles. Keeps the last result of each organization. */
export class OrganizationReads {
  /** The newest read of each organization, running or finished. Failed reads are removed. */
  private readonly reads = new LRUCache<string, Timestamped<Promise<MaybeOrganization>>>({ max: MAX_SHARED_READS });
  private readonly lastResults = createByteCache<Timestamped<MaybeOrganization>>(CACHED_ORGANIZATION_BYTES);

  /** Raised by clear(). The results of reads that began before it are discarded. */
  private epoch = 0;

  constructor(
    private readonly handler: Pick<CommandHandler, 'load'>,
    private readonly time: () => number,
  ) {}

  /** Discards all results, also those of reads in progress. */
  clear(): void {
    this.epoch += 1;
    this.reads.clear();
    this.lastResults.clear();
  }

  /**
   * Returns the newest read of an organization if it began less than 500 ms before `startedAt`. Otherwise starts a read.
   */
  readShared(id: string, startedAt: number): Timestamped<Promise<MaybeOrganization>> {
    const read = this.reads.get(id);
    return read !== undefined && startedAt >= read.startedAt && startedAt - read.startedAt < MAX_SHARED_AGE_MS
      ? read
      : this.startRead(id, startedAt);
  }

  startRead(id: string, startedAt: number): Timestamped<Promise<MaybeOrganization>> {
    const value = this.load(id);
    const read = { value, startedAt };
    this.reads.set(id, read);
    const { epoch } = this;
    value.then(
      (state) => epoch === this.epoch && this.remember(id, { value: state, startedAt }),
      () => this.reads.get(id) === read && this.reads.delete(id),
    );
    return read;
  }

  /**
   * Returns the result of a read. If the log is down, or hasn't answered 1 s after the read began, returns the last result
   * instead. That result must be at most 10 s old, and `isAcceptable` must return true for it.
   * @throws StoreUnavailable if the log is down and there is no such result
   */
  async answer(
    id: string,
    read: Timestamped<Promise<MaybeOrganization>>,
    isAcceptable: (state: MaybeOrganization) => boolean,
  ): Promise<Timestamped<MaybeOrganization>> {
    const result = read.value.then((value) => ({ value, startedAt: read.startedAt }));
    if (this.recentResult(id, isAcceptable) === null) return result;
    const inTime = await orTimeout(result, read.startedAt + FALLBACK_AFTER_MS - this.time());
    // Look again: during the wait the earlier result may have become too old, or a newer one may have arrived.
    return inTime ?? this.recentResult(id, isAcceptable) ?? result;
  }

  private remember(id: string, result: Timestamped<MaybeOrganization>): void {
    if ((this.lastResults.get(id)?.startedAt ?? 0) <= result.startedAt) this.lastResults.set(id, result);
  }

  private recentResult(
    id: string,
    isAcceptable: (state: MaybeOrganization) => boolean,
  ): Timestamped<MaybeOrganization> | null {
    const last = this.lastResults.get(id);
    if (last === undefined || !isAcceptable(last.value)) return null;
    const age = this.time() - last.startedAt;
    // A negative age means that the clock was set back. The real age is then unknown.
    return age >= 0 && age <= MAX_FALLBACK_AGE_MS ? last : null;
  }

  private async load(id: string): Promise<MaybeOrganization> {
    return (await this.handler.load(organizationAggregate(id), true)).state;
  }
}

/** Returns the promise's value, or null if it takes longer than `ms` or the store is down. */
async function orTimeout<T>(result: Promise<T>, ms: number): Promise<T | null> {
  try {
    return await withTimeout(ms, result, () => null);
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}
