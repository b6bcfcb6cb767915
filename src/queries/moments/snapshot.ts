import { LRUCache } from 'lru-cache';
import { dateOf, dayNumber } from '../../commands/engine/dates.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { Checkpoint, DocumentReads } from '../../stores/read-store.ts';
import type { AccessLogSource } from '../changes/access-log-source.ts';
import type { CursorKey } from '../lists/cursor.ts';
import type { NameReader } from '../records/member-names.ts';

/** The other stores and settings that queries read from. */
export interface SnapshotOptions {
  /** The log, for proofs only. */
  events: EventStore;
  names: NameReader;
  accessLog: AccessLogSource;
  /** The key that signs cursors, the same on every instance. */
  cursorKey: CursorKey;
  now: () => Date;
  /** Events that one verification may read, if not the default. */
  maxEventsVerified?: number | undefined;
}

/** The progress of a generation's read models through the log. */
export interface ReadProgress {
  /** A leader applies events; a follower watches the leader's progress. */
  readonly role: 'LEADER' | 'FOLLOWER';
  waitUntilCaughtUp(moment: number, ms: number): Promise<boolean>;
  checkpoint(organizationId: string): Checkpoint | null;
  readonly caughtUpAt: number;
}

export interface ChangedRecord {
  id: string;
  /** The number of change rows about this record. */
  changes: number;
  /** The reference id at the end of the period. Absent if the name begins with it. */
  reference?: string;
}

/** Limits the memory: records in all lists of `changedRecords`, plus one for each list. */
const MAX_CACHED_RECORDS = 200_000;

/** One generation's read models. A query reads all its data from one snapshot, even if another generation is served meanwhile. */
export class Snapshot {
  readonly events: EventStore;
  readonly names: NameReader;
  readonly accessLog: AccessLogSource;
  readonly cursorKey: CursorKey;
  readonly now: () => Date;
  readonly maxEventsVerified: number | undefined;
  /** Positions of past times that can't change any more, so that paging through the past resolves a time once. */
  readonly settledPositions = new LRUCache<string, number>({ max: 5_000 });
  /** The records that changed in past periods, for the later pages of a report. */
  readonly changedRecords = new LRUCache<string, readonly ChangedRecord[]>({
    maxSize: MAX_CACHED_RECORDS,
    sizeCalculation: ({ length }) => length + 1,
  });

  /** The day that `today` returned last. */
  private newestDay = { number: Number.NaN, date: '' };

  constructor(
    readonly models: DocumentReads,
    readonly progress: ReadProgress,
    { events, names, accessLog, cursorKey, now, maxEventsVerified }: SnapshotOptions,
  ) {
    this.events = events;
    this.names = names;
    this.accessLog = accessLog;
    this.cursorKey = cursorKey;
    this.now = now;
    this.maxEventsVerified = maxEventsVerified;
  }

  /** Returns this snapshot with other means of running its statements. Both share what they cache. */
  through(models: DocumentReads): Snapshot {
    return Object.create(this, { models: { value: models } }) as Snapshot;
  }

  /** Returns the current date. It is written as text once a day, because that takes longer than a permission check. */
  today(): string {
    const now = this.now();
    const day = dayNumber(now.getTime());
    if (day !== this.newestDay.number) this.newestDay = { number: day, date: dateOf(now.toISOString()) };
    return this.newestDay.date;
  }

  /** Returns the position of an organization's newest event in the read models; 0 if there is none. */
  newestPosition(organizationId: string): number {
    return this.progress.checkpoint(organizationId)?.position ?? 0;
  }

  /** Waits until the read models contain all events written before a time. @throws Refusal unavailable if they don't in time */
  async waitUntilCaughtUp(time: number): Promise<void> {
    if (!(await this.progress.waitUntilCaughtUp(time, READ_WAIT_MS))) throw notCaughtUp();
  }
}

/** The time a read waits for the projections to reach its moment. */
const READ_WAIT_MS = 5_000;

/** Returns the refusal for a read whose moment the projections did not reach in time. */
export function notCaughtUp(): Refusal {
  return new Refusal(
    'unavailable',
    'The read models have not reached that moment yet. Repeat the call in a few seconds.',
    { retry_after_seconds: 2 },
  );
}

/** Returns true if the organization has a parked event, so that lists may miss something. */
export function isIncomplete({ progress }: Pick<Snapshot, 'progress'>, organizationId: string): boolean {
  return (progress.checkpoint(organizationId)?.parked ?? 0) > 0;
}

/** Returns the generation that is served now. @throws StoreUnavailable while no generation is served */
export type ServedGeneration = () => { models: DocumentReads; progress: ReadProgress };

/** Gives each query the read models of the generation that is served when it begins. */
export class Reader {
  /**
   * Returns the served generation's read models. A query calls this once and keeps the result.
   * @throws StoreUnavailable while no generation is served
   */
  readonly snapshot: () => Snapshot;

  constructor(served: ServedGeneration, options: SnapshotOptions) {
    let newest: Snapshot | null = null;
    this.snapshot = () => {
      const { models, progress } = served();
      if (newest?.models !== models) newest = new Snapshot(models, progress, options);
      return newest;
    };
  }
}
