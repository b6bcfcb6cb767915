import type { StorePosition } from '../../stores/event-store.ts';
import type { ReadStore } from '../../stores/read-store.ts';

/** A generation's runner and its progress, for all instances. The runner renews it at least once a second. */
export interface Lease {
  holder: string;
  /** Epoch milliseconds. The lease only avoids double work: the number of each commit protects the data. */
  expires_at: number;
  /** Every event written before this moment (epoch milliseconds) has been applied. */
  caught_up_at: number;
  /** All organizations' events up to this position have been applied. */
  store_position: StorePosition | null;
}

export const LEASE_MS = 4_000;

/** Returns the name of the read store's shared entry that holds a generation's lease. */
export const leaseName = (generation: string) => `runner:${generation}`;

/** One instance's hold on a generation. */
export class LeaseHold {
  private version = 0;
  private replacing: Promise<unknown> = Promise.resolve();
  current: Lease | null = null;

  constructor(
    private readonly store: ReadStore,
    private readonly generation: string,
    private readonly holder: string,
    /** No other server can run on these stores, so an unexpired lease belongs to a dead one. */
    private readonly exclusive: boolean,
  ) {}

  /** Reads the lease as the holder wrote it last. */
  async read(): Promise<Lease | null> {
    const storedLease = await this.store.sharedEntry<Lease>(this.name);
    this.version = storedLease?.version ?? 0;
    this.current = storedLease?.value ?? null;
    return this.current;
  }

  /** Takes a free or expired lease. Returns true if this instance holds it now. */
  async take(): Promise<boolean> {
    const lease = await this.read();
    const free = lease === null || lease.holder === this.holder || lease.expires_at < Date.now() || this.exclusive;
    if (!free) return false;
    return this.replace({
      caught_up_at: lease?.caught_up_at ?? 0,
      store_position: lease?.store_position ?? null,
      expires_at: Date.now() + LEASE_MS,
    });
  }

  /** Renews the lease and records the progress. Returns false if another instance took it. */
  async renew(caught_up_at: number, storePosition: StorePosition | null): Promise<boolean> {
    // After a look this instance has the other's version number, and could overwrite its lease.
    if (this.current?.holder !== this.holder) return false;
    return this.replace({ caught_up_at, store_position: storePosition, expires_at: Date.now() + LEASE_MS });
  }

  /** Gives up the lease, so that another instance can take it at once. */
  async release(): Promise<void> {
    if (this.current?.holder === this.holder) await this.replace({ ...this.current, expires_at: 0 });
  }

  /** Runs replacements one after the other, because each needs the version number of the one before. */
  private replace(lease: Omit<Lease, 'holder'>): Promise<boolean> {
    const replaced = this.replacing.then(() => this.write({ ...lease, holder: this.holder }));
    this.replacing = replaced.catch(() => undefined);
    return replaced;
  }

  private async write(value: Lease): Promise<boolean> {
    const { version } = this;
    if (!(await this.store.compareAndSet(this.name, version, value))) return false;
    this.version = Math.max(this.version, version + 1);
    this.current = value;
    return true;
  }

  private get name(): string {
    return leaseName(this.generation);
  }
}
