import { randomUUID } from 'node:crypto';
import { monotonicMs } from '../../clock/monotonic.ts';
import { READABLE_EVENTS, type ReadableEvents } from '../../register/events.ts';
import type { ReadStore } from '../../stores/read-store.ts';
import { Heartbeats } from './heartbeats.ts';
import { updateSharedEntry } from './update-shared-entry.ts';

/** A running instance's entry in the read store. */
interface Instance {
  /** Grows with each renewal. */
  beat?: number;
  /** In place of it, in entries of instances before version 13 of the projections. It changes with each renewal too. */
  expires_at?: number;
  /** The newest schema version that it can read of each event type. */
  reads: ReadableEvents;
}

type Instances = Readonly<Record<string, Instance>>;

/** The shared entry of the read store that holds all instances. */
const INSTANCES_ENTRY = 'instances';
const READ_INTERVAL_MS = 1_000;
const RENEW_INTERVAL_MS = 5_000;
/** A killed instance counts as live for this long after its entry was seen to change. A store may be down for a while. */
export const INSTANCE_TERM_MS = 30_000;

interface LiveInstancesOptions {
  reads: ReadStore;
  /** True if no other server can run on these stores. All registered instances are then dead. */
  exclusive?: boolean;
  readable?: ReadableEvents;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

/**
 * Registers the event versions that this instance can read, and knows which of them another live instance can't read.
 * Those must not be written yet. `veritrail` commands don't register, because they update no read models.
 */
export class LiveInstances {
  private readonly id = randomUUID();
  private readonly readable: ReadableEvents;
  private readonly now: () => number;
  private readonly heartbeats: Heartbeats;
  private beat = 0;
  private unreadable: ReadonlySet<string> = new Set();
  private renewedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | null = null;
  private currentRun: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveInstancesOptions) {
    this.readable = options.readable ?? READABLE_EVENTS;
    this.now = options.now ?? monotonicMs;
    this.heartbeats = new Heartbeats(INSTANCE_TERM_MS, this.now);
  }

  /** Returns true if every live instance can read new events of this type. Reads no store: each write calls it. */
  canRead = (type: string): boolean => !this.unreadable.has(type);

  /** Registers this instance, so that the others stop writing events that it can't read. */
  async start(): Promise<void> {
    await this.register(this.options.exclusive ? () => ({}) : (otherInstances) => otherInstances);
    this.watch(() => this.renew());
  }

  /** Reads the other instances' entries now and every second, without registering. */
  async follow(): Promise<void> {
    await this.readEntries();
    this.watch(() => this.readEntries());
  }

  /** Removes the entry, so that a newer version needn't wait until it expires. */
  async stop(): Promise<void> {
    const isRegistered = this.renewedAt > Number.NEGATIVE_INFINITY;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.currentRun;
    if (!isRegistered) return;
    await this.replace(({ [this.id]: _removed, ...otherInstances }) => otherInstances).catch(() => undefined);
  }

  private watch(work: () => Promise<void>): void {
    const next = () => {
      // While the store is down, the last entries that were read stay valid.
      const startAnew = () => this.heartbeats.startAnew();
      this.currentRun = this.currentRun.then(() => (this.timer === null ? undefined : work())).catch(startAnew);
    };
    this.timer = setInterval(next, READ_INTERVAL_MS);
    this.timer.unref();
  }

  private async renew(): Promise<void> {
    if (this.now() - this.renewedAt < RENEW_INTERVAL_MS) return this.readEntries();
    await this.register((otherInstances) => otherInstances);
  }

  private async register(otherInstances: (instances: Instances) => Instances): Promise<void> {
    const now = this.now();
    this.beat += 1;
    const entry = { beat: this.beat, reads: this.readable };
    await this.replace((instances) => ({ ...otherInstances(instances), [this.id]: entry }));
    this.renewedAt = now;
  }

  private async readEntries(): Promise<void> {
    this.updateUnreadable((await this.options.reads.sharedEntry<Instances>(INSTANCES_ENTRY))?.value ?? {});
  }

  /** Replaces the whole entry, without dead instances. */
  private async replace(change: (instances: Instances) => Instances): Promise<void> {
    const changeLive = (instances: Instances) => change(this.liveInstances(instances));
    this.updateUnreadable(await updateSharedEntry(this.options.reads, INSTANCES_ENTRY, {}, changeLive));
  }

  private liveInstances(instances: Instances): Instances {
    const isLive = ([id, { beat, expires_at = 0 }]: [string, Instance]) =>
      !this.heartbeats.isDead(id, beat ?? expires_at);
    return Object.fromEntries(Object.entries(instances).filter(isLive));
  }

  private updateUnreadable(instances: Instances): void {
    const otherInstances = Object.values(this.liveInstances(instances));
    const isUnreadable = ([type, version]: [string, number]) =>
      otherInstances.some(({ reads }) => (reads[type] ?? 0) < version);
    this.unreadable = new Set(
      Object.entries(this.readable)
        .filter(isUnreadable)
        .map(([type]) => type),
    );
  }
}
