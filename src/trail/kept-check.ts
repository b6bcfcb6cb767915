import { isKeptSealSigned, type KeptSeal } from './kept-seal.ts';
import type { PublicKey } from './key.ts';
import type { CountedSeal, SealFault, WholeFault } from './verdict.ts';
import type { Watched } from './window.ts';

/** Holds a history against seals of it that were kept elsewhere. */
export class KeptCheck {
  /** The largest that is a beginning of this history. */
  proved: CountedSeal | null = null;
  fault: SealFault | null = null;

  constructor(
    private readonly organizationId: string,
    private readonly kept: readonly KeptSeal[],
  ) {}

  /** At which sizes of the tree its root is asked for. */
  get watched(): Watched {
    const sizes = new Set(this.kept.map(({ size }) => size));
    return new Map([...sizes].map((size) => [size, (root, others) => this.compare(size, root, others)]));
  }

  /** What keeps the kept seals from saying anything, once all `events` are seen; null where nothing does. */
  lack(events: number, keys: readonly PublicKey[]): WholeFault['why'] | null {
    if (this.kept.some(({ organization_id }) => organization_id !== this.organizationId)) return 'KEPT_KEY';
    // Before the signature: where the end is missing, the key that signed may be missing with it.
    if (this.kept.some(({ size }) => size > events)) return 'KEPT_BEYOND';
    return this.kept.every((kept) => isKeptSealSigned(kept, keys)) ? null : 'KEPT_KEY';
  }

  private compare(size: number, root: Buffer, others: number): void {
    for (const { size: of, root: wanted, sealed_at, key_id } of this.kept) {
      if (of !== size) continue;
      if (root.toString('hex') !== wanted) {
        const from = (this.proved?.size ?? 0) + 1;
        this.fault ??= { why: 'KEPT', position: null, event_id: null, key_id, from, until: size };
      } else if (this.fault === null) {
        this.proved = { size, root: wanted, sealed_at, key_id, position: null, others };
      }
    }
  }
}
