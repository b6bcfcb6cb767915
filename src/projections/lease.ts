import type { StorePosition } from '../stores/event-store.ts';
import type { ReadStore } from '../stores/read-store.ts';

/** What the runner of a generation tells all instances, renewed at least once a second. */
export interface Lease {
  holder: string;
  /** Epoch milliseconds. The lease only saves double work: what protects the data is the number of each commit. */
  expires_at: number;
  /** Every event written before this moment (epoch milliseconds) has been applied. */
  caught_up_at: number;
  /** All events up to here have been applied, of all organizations. */
  store_position: StorePosition | null;
}

export const LEASE_MS = 5_000;

/** Where a generation's lease is in the read store's register. */
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
    /** No other server can be alive on these stores: an unexpired lease is a dead one's. */
    private readonly exclusive: boolean,
  ) {}

  /** Reads what the holder says now. */
  async look(): Promise<Lease | null> {
    const registered = await this.store.register<Lease>(this.name);
    this.version = registered?.version ?? 0;
    this.current = registered?.value ?? null;
    return this.current;
  }

  /** Takes a free or expired lease. Answers whether it is held now. */
  async take(): Promise<boolean> {
    const lease = await this.look();
    const free = lease === null || lease.holder === this.holder || lease.expires_at < Date.now() || this.exclusive;
    if (!free) return false;
    return this.replace({
      caught_up_at: lease?.caught_up_at ?? 0,
      store_position: lease?.store_position ?? null,
      expires_at: Date.now() + LEASE_MS,
    });
  }

  /** Renews the lease with a new stamp. False when another took it. */
  async renew(caught_up_at: number, storePosition: StorePosition | null): Promise<boolean> {
    // Whoever has looked knows the other's version, and could replace it.
    if (this.current?.holder !== this.holder) return false;
    return this.replace({ caught_up_at, store_position: storePosition, expires_at: Date.now() + LEASE_MS });
  }

  /** Lets another instance begin at once. */
  async release(): Promise<void> {
    if (this.current?.holder === this.holder) await this.replace({ ...this.current, expires_at: 0 });
  }

  /** One after the other: each must know the version that the one before it made. */
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
