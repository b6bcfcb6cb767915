import { monotonicMs } from '../../clock/monotonic.ts';
import { PeriodicWork } from '../../clock/periodic-work.ts';
import { isOutage } from '../../commands/engine/refusal.ts';

/** A difference between the log and the account store, such as a crash leaves between the writes to the two. */
export interface Difference {
  /** Equal in two runs that saw the same: the kind of difference, and the ids of what differs. */
  key: string;
  /** Reads both again, and removes the difference if it is still the same. Otherwise changes nothing. */
  repair(): Promise<void>;
}

export interface ReconcilerOptions {
  /** Returns all differences that there are now. */
  find(): Promise<readonly Difference[]>;
  /** Returns true while log and clock can be trusted, and this instance is the one that repairs. */
  isTrusted(): boolean;
  log: { warn(details: object, message: string): void };
  /** Milliseconds that never jump. */
  elapsed?: () => number;
}

/** Results of the last run, for health. */
export interface ReconcilerState {
  /** Differences that were found and aren't repaired. The next runs repair most of them. */
  differences: number;
  /** Those whose repair failed. The log has the reasons. */
  failed: number;
}

const RUN_INTERVAL_MS = 150_000;
/** A younger difference may belong to a call that is still writing. */
const MIN_DIFFERENCE_AGE_MS = 5 * 60_000;
const MAX_REPAIRS_PER_RUN = 100;

/** A difference that earlier runs saw. */
interface Sighting {
  /** Time of the first run that saw it, of those without a gap. */
  since: number;
  failures: number;
}

/**
 * Compares the account store with the log every few minutes, on the instance that leads the projections. A difference
 * that two runs at least 5 minutes apart saw unchanged is repaired. At most MAX_REPAIRS_PER_RUN are repaired in one run,
 * so that neither a mistake nor a large difference is written to the log at once.
 */
export class Reconciler extends PeriodicWork {
  private sightings = new Map<string, Sighting>();
  private readonly elapsed: () => number;

  constructor(private readonly options: ReconcilerOptions) {
    super(RUN_INTERVAL_MS);
    this.elapsed = options.elapsed ?? monotonicMs;
  }

  get state(): ReconcilerState {
    const failed = [...this.sightings.values()].filter(({ failures }) => failures > 0).length;
    return { differences: this.sightings.size, failed };
  }

  protected onFailure(error: unknown): void {
    if (!isOutage(error)) this.options.log.warn({ err: error }, 'the account store could not be compared with the log');
  }

  protected async work(): Promise<void> {
    if (!this.mayContinue()) return this.sightings.clear();
    const seenAt = this.elapsed();
    const differences = await this.options.find();
    const before = this.sightings;
    this.sightings = new Map(
      differences.map(({ key }) => [key, before.get(key) ?? { since: seenAt, failures: 0 }] as const),
    );
    const failuresOf = ({ key }: Difference) => this.sightings.get(key)!.failures;
    const due = differences.filter(({ key }) => seenAt - this.sightings.get(key)!.since >= MIN_DIFFERENCE_AGE_MS);
    // Those that failed before come last, so that they don't keep the others from being repaired.
    due.sort((a, b) => failuresOf(a) - failuresOf(b));
    for (const difference of due.slice(0, MAX_REPAIRS_PER_RUN)) {
      if (!this.mayContinue()) return;
      await this.repair(difference, this.sightings.get(difference.key)!);
    }
  }

  private mayContinue(): boolean {
    return !this.isStopped && this.options.isTrusted();
  }

  private async repair({ key, repair }: Difference, sighting: Sighting): Promise<void> {
    const { log } = this.options;
    try {
      await repair();
      this.sightings.delete(key);
      log.warn({ difference: key }, 'repaired a difference between the account store and the log');
    } catch (error) {
      sighting.failures += 1;
      // The next repair would wait for the same store.
      if (isOutage(error)) throw error;
      if (sighting.failures === 1)
        log.warn({ err: error, difference: key }, 'a difference between the account store and the log stays');
    }
  }
}
