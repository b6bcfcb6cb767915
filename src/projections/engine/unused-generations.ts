import type { ReadStore } from '../../stores/read-store.ts';
import { activeGeneration, buildsOf, removeBuild } from './active-generation.ts';
import { Heartbeats } from './heartbeats.ts';
import { leaseName } from './lease.ts';

/** A build whose builder doesn't renew its lease for this long is given up. */
const BUILD_TERM_MS = 30_000;
/**
 * A generation that is neither active nor a build is dropped when nobody ran it for this long. That is longer than
 * queries take that began on it.
 */
const UNUSED_TERM_MS = 60_000;

/** Drops the generations that nobody serves or builds. */
export class UnusedGenerations {
  private readonly builders: Heartbeats;
  private readonly runners: Heartbeats;

  /** @param now milliseconds on a monotonic clock */
  constructor(
    private readonly reads: ReadStore,
    now?: () => number,
  ) {
    this.builders = new Heartbeats(BUILD_TERM_MS, now);
    this.runners = new Heartbeats(UNUSED_TERM_MS, now);
  }

  /** Looks at all generations once. Call it several times a term. @param serving the generation that this instance serves */
  async look(serving: string | null): Promise<void> {
    try {
      await this.lookAtAll(serving);
    } catch (error) {
      this.builders.startAnew();
      this.runners.startAnew();
      throw error;
    }
  }

  private async lookAtAll(serving: string | null): Promise<void> {
    const { reads } = this;
    const stored = await reads.generations();
    // Read after the list, so that a generation whose build began meanwhile is not in it.
    const active = await activeGeneration(reads);
    const builds = active === null ? [] : buildsOf(active);
    for (const generation of new Set([...builds, ...stored])) {
      if (generation === serving || generation === active?.generation) continue;
      const version = (await reads.sharedEntry(leaseName(generation)))?.version ?? 0;
      if (builds.includes(generation)) {
        if (this.builders.isDead(generation, version)) await removeBuild(reads, generation);
      } else if (this.runners.isDead(generation, version)) await reads.drop(generation);
    }
  }
}
