import type { ReadStore } from '../../stores/read-store.ts';
import { updateSharedEntry } from './update-shared-entry.ts';

/** The shared entry `active`. Switching to a generation and dropping one replace it, so that one of the two loses. */
export interface ActiveGeneration {
  /** The generation that is served; empty before the first one. */
  generation: string;
  version: number;
  /** Id of the installation whose log it was built from. */
  installation: string;
  /** Generations that are being built. Only these can become the served one. */
  building?: readonly string[];
}

type Entries = Pick<ReadStore, 'sharedEntry' | 'compareAndSet'>;

const NONE: ActiveGeneration = { generation: '', version: 0, installation: '' };

/** Returns the entry; null before the first build. */
export async function activeGeneration(reads: Pick<Entries, 'sharedEntry'>): Promise<ActiveGeneration | null> {
  return (await reads.sharedEntry<ActiveGeneration>('active'))?.value ?? null;
}

/** Notes that a generation is being built, so that it isn't dropped while its builder lives. */
export function addBuild(reads: Entries, generation: string): Promise<ActiveGeneration> {
  return replaceActive(reads, (active) => withBuilds(active, [...buildsOf(active), generation]));
}

/** Takes a generation from the builds. From then on nobody can switch to it, and it can be dropped. */
export function removeBuild(reads: Entries, generation: string): Promise<ActiveGeneration> {
  return replaceActive(reads, (active) =>
    buildsOf(active).includes(generation) ? withBuilds(active, otherBuilds(active, generation)) : active,
  );
}

/**
 * Makes a finished build the served generation, in place of `previous`. Changes nothing if another one was faster, or if
 * the build was given up.
 * @returns the entry after it
 */
export function switchTo(
  reads: Entries,
  previous: string,
  next: Pick<ActiveGeneration, 'generation' | 'version' | 'installation'>,
): Promise<ActiveGeneration> {
  return replaceActive(reads, (active) => {
    const canSwitch = active.generation === previous && buildsOf(active).includes(next.generation);
    return canSwitch ? withBuilds(next, otherBuilds(active, next.generation)) : active;
  });
}

/** Returns the generations that are being built. */
export function buildsOf({ building }: ActiveGeneration): readonly string[] {
  return building ?? [];
}

function otherBuilds(active: ActiveGeneration, generation: string): string[] {
  return buildsOf(active).filter((build) => build !== generation);
}

function withBuilds(
  { generation, version, installation }: ActiveGeneration,
  building: readonly string[],
): ActiveGeneration {
  return { generation, version, installation, ...(building.length > 0 ? { building } : {}) };
}

/** Replaces the entry by compare-and-set. Leaves it alone if `change` returns it unchanged. */
function replaceActive(
  reads: Entries,
  change: (active: ActiveGeneration) => ActiveGeneration,
): Promise<ActiveGeneration> {
  return updateSharedEntry(reads, 'active', NONE, change);
}
