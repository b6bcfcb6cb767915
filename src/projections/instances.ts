import { randomUUID } from 'node:crypto';
import { READABLE_EVENTS, type ReadableEvents } from '../commands/event-types.ts';
import type { ReadStore } from '../stores/read-store.ts';

/** A running instance, as it registers itself in the read store. */
interface Instance {
  /** Epoch milliseconds. An instance that was killed counts until then. */
  expires_at: number;
  /** The newest schema version that it can read of each event type. */
  reads: ReadableEvents;
}

type Instances = Readonly<Record<string, Instance>>;

/** Where all instances are in the read store's register. */
const NAME = 'instances';
const LOOK_MS = 1_000;
const RENEW_MS = 5_000;
/** Long beside RENEW_MS, so that clocks may differ and a store may be away for a while. */
export const INSTANCE_MS = 30_000;
/** Instances that register at the same moment go one after the other. */
const ATTEMPTS = 50;

interface LiveInstancesOptions {
  reads: ReadStore;
  /** No other server can be alive on these stores: whoever is registered is dead. */
  exclusive?: boolean;
  readable?: ReadableEvents;
  now?: () => number;
}

/**
 * Registers what this instance can read, and knows which of its events another live instance cannot: those must not be
 * written yet. `veritrail` commands look only, for they keep no read models.
 */
export class LiveInstances {
  private readonly id = randomUUID();
  private readonly readable: ReadableEvents;
  private readonly now: () => number;
  private unreadable: ReadonlySet<string> = new Set();
  private renewedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | null = null;
  private busy: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveInstancesOptions) {
    this.readable = options.readable ?? READABLE_EVENTS;
    this.now = options.now ?? Date.now;
  }

  /** Answers true where every live instance can read new events of this type. Asked at every write, so it reads no store. */
  canRead = (type: string): boolean => !this.unreadable.has(type);

  /** Registers this instance, so that from now on nothing is written that it cannot read. */
  async start(): Promise<void> {
    await this.register(this.options.exclusive ? () => ({}) : (others) => others);
    this.watch(() => this.renew());
  }

  /** Looks at the others now and from time to time, without being one of them. */
  async follow(): Promise<void> {
    await this.look();
    this.watch(() => this.look());
  }

  /** Leaves the register: a new version need not wait until this instance counts no more. */
  async stop(): Promise<void> {
    const registered = this.renewedAt > Number.NEGATIVE_INFINITY;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.busy;
    if (!registered) return;
    await this.replace(({ [this.id]: _own, ...others }) => others).catch(() => undefined);
  }

  private watch(work: () => Promise<void>): void {
    const next = () => {
      // A store that is away is asked again; meanwhile what was known holds.
      this.busy = this.busy.then(() => (this.timer === null ? undefined : work())).catch(() => undefined);
    };
    this.timer = setInterval(next, LOOK_MS);
    this.timer.unref();
  }

  private async renew(): Promise<void> {
    if (this.now() - this.renewedAt < RENEW_MS) return this.look();
    await this.register((others) => others);
  }

  private async register(others: (found: Instances) => Instances): Promise<void> {
    const now = this.now();
    const own = { expires_at: now + INSTANCE_MS, reads: this.readable };
    await this.replace((found) => ({ ...others(found), [this.id]: own }));
    this.renewedAt = now;
  }

  private async look(): Promise<void> {
    this.see((await this.options.reads.register<Instances>(NAME))?.value ?? {});
  }

  /** Replaces the whole register, without those that count no more. */
  private async replace(change: (found: Instances) => Instances): Promise<void> {
    const { reads } = this.options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await reads.register<Instances>(NAME);
      const next = change(this.live(found?.value ?? {}));
      if (!(await reads.compareAndSet(NAME, found?.version ?? 0, next))) continue;
      return this.see(next);
    }
    throw new Error('the register of instances changes all the time');
  }

  private live(found: Instances): Instances {
    return Object.fromEntries(Object.entries(found).filter(([, { expires_at }]) => expires_at > this.now()));
  }

  private see(found: Instances): void {
    const others = Object.values(this.live(found));
    const isUnreadable = ([type, version]: [string, number]) =>
      others.some(({ reads }) => (reads[type] ?? 0) < version);
    this.unreadable = new Set(
      Object.entries(this.readable)
        .filter(isUnreadable)
        .map(([type]) => type),
    );
  }
}
