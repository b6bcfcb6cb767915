import { monotonicMs } from '../../clock/monotonic.ts';

/** An observer's reads of one holder's version. Times are on the observer's monotonic clock. */
interface Sighting {
  version: number;
  since: number;
  newest: number;
}

/**
 * Tells which holders of entries are dead. A live holder raises its version several times a term. One is dead when
 * successful reads over a whole term saw one version. So clocks of two machines are never compared.
 */
export class Heartbeats {
  private readonly sightings = new Map<string, Sighting>();

  constructor(
    private readonly termMs: number,
    private readonly now: () => number = monotonicMs,
  ) {}

  /**
   * Notes the version that a read has just returned, and returns true if its holder is dead. A pause of half a term
   * between two reads begins the term anew: the store was down or this process stood still, and so maybe the holder.
   */
  isDead(name: string, version: number): boolean {
    const now = this.now();
    const sighting = this.sightings.get(name);
    if (sighting === undefined || sighting.version !== version || now - sighting.newest > this.termMs / 2) {
      this.sightings.set(name, { version, since: now, newest: now });
      return false;
    }
    sighting.newest = now;
    return now - sighting.since >= this.termMs;
  }

  /** Begins all terms anew, because a read failed. */
  startAnew(): void {
    this.sightings.clear();
  }
}
