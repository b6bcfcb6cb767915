import type { ReadStore } from '../stores/read-store.ts';

/** An organization whose events can't be sealed, because the read models don't match the log. It is plain data. */
export interface SealStop {
  organization_id: string;
  /**
   * - `LOG`: the log has other events there.
   * - `SEAL`: the newest seal covers other events there. Either the read models are wrong, or the seal is.
   */
  why: 'LOG' | 'SEAL';
  /** The positions in question. */
  from: number;
  until: number;
}

/** Returns the finding, and the next step for the operator. */
export function sealStopText({ why, from, until }: SealStop): string {
  const source = why === 'LOG' ? 'the log' : 'what the newest seal covers';
  return (
    `Sealing has stopped: the read models differ from ${source} between positions ${from} and ${until}. ` +
    'Run "veritrail rebuild". If this message stays, the log or a seal was altered: see "Sealing has stopped" in ' +
    'docs/operations.md.'
  );
}

/** Name of the shared entry with all stops, which the sealing instance writes and every instance shows. */
const SEAL_STOPS = 'seal-stops';

type SharedEntries = Pick<ReadStore, 'sharedEntry' | 'compareAndSet'>;

export async function readSealStops(reads: Pick<SharedEntries, 'sharedEntry'>): Promise<readonly SealStop[]> {
  return (await reads.sharedEntry<readonly SealStop[]>(SEAL_STOPS))?.value ?? [];
}

/** Publishes the stops that the sealing instance knows. */
export class SealStopBoard {
  /** The stops as last written or read; null before. */
  private published: string | null = null;

  constructor(private readonly reads: SharedEntries) {}

  /** Writes the stops if they differ from those that were published. */
  async publish(stops: readonly SealStop[]): Promise<void> {
    const text = JSON.stringify(stops);
    if (text === this.published) return;
    const entry = await this.reads.sharedEntry(SEAL_STOPS);
    const isSame = JSON.stringify(entry?.value ?? []) === text;
    if (isSame || (await this.reads.compareAndSet(SEAL_STOPS, entry?.version ?? 0, stops))) this.published = text;
  }

  /** Notes that another instance publishes now. */
  yieldToLeader(): void {
    this.published = null;
  }
}
