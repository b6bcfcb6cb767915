import type { ReadStore } from '../../stores/read-store.ts';
import { Heartbeats } from './heartbeats.ts';

/** The shared entry of a generation's runner or builder, for all instances. Each renewal raises its version. */
export interface Lease {
  /** Null after a clean stop: anybody can take it at once. It only avoids double work; commits are fenced. */
  holder: string | null;
  /** Every event written before this moment (epoch milliseconds) has been applied. 0 in a build. */
  caught_up_at: number;
}

/** A lease that isn't renewed for this long is free. The holder renews it each second. */
export const LEASE_MS = 4_000;
export const LEASE_RENEWAL_MS = 1_000;

/** Returns the name of the read store's shared entry that holds a generation's lease. */
export const leaseName = (generation: string) => `runner:${generation}`;

export interface LeaseOptions {
  reads: Pick<ReadStore, 'sharedEntry' | 'compareAndSet'>;
  generation: string;
  holder: string;
  /** No other server can run on these stores, so another holder is dead. */
  exclusive: boolean;
  /** Milliseconds on a monotonic clock. */
  now?: (() => number) | undefined;
}

/** One instance's hold on a generation. */
export class LeaseHold {
  private version = 0;
  private current: Lease | null = null;
  private lastWork: Promise<unknown> = Promise.resolve();
  private readonly name: string;
  private readonly heartbeats: Heartbeats;

  constructor(private readonly options: LeaseOptions) {
    this.name = leaseName(options.generation);
    this.heartbeats = new Heartbeats(LEASE_MS, options.now);
  }

  /** Takes a free or dead holder's lease. An observer that calls this every half second takes it within 6 s. */
  take(): Promise<boolean> {
    return this.inTurn(async () => {
      if (!(await this.readIsFree())) return false;
      return this.replace({ holder: this.options.holder, caught_up_at: this.current?.caught_up_at ?? 0 });
    });
  }

  /** Reads the lease, and returns true if nobody else holds it. */
  isFree(): Promise<boolean> {
    return this.inTurn(() => this.readIsFree());
  }

  /** Reads the lease as the holder wrote it last. */
  read(): Promise<Lease | null> {
    return this.inTurn(() => this.readEntry());
  }

  /** Renews the lease and records the progress. Returns false if another instance took it. */
  renew(caught_up_at: number): Promise<boolean> {
    return this.inTurn(async () => this.isHeld && this.replace({ holder: this.options.holder, caught_up_at }));
  }

  /** Gives up the lease, so that another instance can take it at once. */
  async release(): Promise<void> {
    await this.inTurn(async () => this.isHeld && this.replace({ ...this.current!, holder: null }));
  }

  /** False once a read has shown another holder. Its version number is then known, and must not be used to overwrite it. */
  private get isHeld(): boolean {
    return this.current?.holder === this.options.holder;
  }

  private async readIsFree(): Promise<boolean> {
    const lease = await this.readEntry();
    const isDead = this.heartbeats.isDead(this.name, this.version);
    return lease === null || lease.holder === null || this.isHeld || isDead || this.options.exclusive;
  }

  private async readEntry(): Promise<Lease | null> {
    try {
      const entry = await this.options.reads.sharedEntry<Lease>(this.name);
      this.version = entry?.version ?? 0;
      this.current = entry?.value ?? null;
      return this.current;
    } catch (error) {
      this.heartbeats.startAnew();
      throw error;
    }
  }

  private async replace(lease: Lease): Promise<boolean> {
    if (!(await this.options.reads.compareAndSet(this.name, this.version, lease))) return false;
    this.version += 1;
    this.current = lease;
    return true;
  }

  /** Runs one call after the other, because each needs the version number that the one before has read or written. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.lastWork.then(work);
    this.lastWork = result.catch(() => undefined);
    return result;
  }
}
