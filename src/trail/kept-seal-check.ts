import { isKeptSealSigned, type KeptSeal } from './kept-seal.ts';
import type { PublicKey } from './key.ts';
import type { WatchedSizes } from './tree-window.ts';
import type { CountedSeal, ExportFault, SealFault } from './verdict.ts';

/** What seals kept elsewhere say of a history. */
interface KeptSealsVerdict {
  /** The largest that is a beginning of it. */
  proved: CountedSeal | null;
  /** The smallest that is not. */
  fault: SealFault | null;
  /** What keeps one of them from saying anything. */
  lack: ExportFault['why'] | null;
}

/** Holds a history against seals of it that were kept elsewhere. */
export class KeptSealCheck {
  private readonly seals: readonly KeptSeal[];
  /** By size, what the history is up to there. */
  private readonly roots = new Map<number, { root: string; others: number }>();

  constructor(
    organizationId: string,
    private readonly kept: readonly KeptSeal[],
  ) {
    this.seals = kept.filter(({ organization_id }) => organization_id === organizationId);
  }

  /** Ids of the keys that they say they are of. */
  get keyIds(): ReadonlySet<string> {
    return new Set(this.seals.map(({ key_id }) => key_id));
  }

  /** At which sizes of the tree its root is asked for. */
  get watched(): WatchedSizes {
    const note = (size: number) => (root: Buffer, others: number) =>
      void this.roots.set(size, { root: root.toString('hex'), others });
    return new Map(this.seals.map(({ size }) => [size, note(size)]));
  }

  /**
   * What came out, once the tree holds all `events`. Only now it is known which keys are trusted, and a seal of any other
   * key neither proves nor blames.
   * @param fitting how many events there are before the first that does not fit
   */
  verdict(events: number, fitting: number, keys: readonly PublicKey[]): KeptSealsVerdict {
    const signed = this.seals.filter((kept) => isKeptSealSigned(kept, keys));
    const covered = signed.filter(({ size }) => size <= fitting).sort((a, b) => a.size - b.size);
    const lack = this.lack(events, signed);
    let proved: CountedSeal | null = null;
    for (const { size, root, sealed_at, key_id } of covered) {
      const seen = this.roots.get(size)!;
      if (seen.root !== root) {
        const from = Math.min((proved?.size ?? 0) + 1, size);
        return { proved, fault: { why: 'KEPT', position: null, event_id: null, key_id, from, until: size }, lack };
      }
      proved = { size, root, sealed_at, key_id, position: null, nonSealEvents: seen.others };
    }
    return { proved, fault: null, lack };
  }

  private lack(events: number, signed: readonly KeptSeal[]): ExportFault['why'] | null {
    if (this.seals.length < this.kept.length) return 'KEPT_KEY';
    // Before the signature: where the end is missing, the key that signed may be missing with it.
    if (this.seals.some(({ size }) => size > events)) return 'KEPT_BEYOND';
    return signed.length < this.seals.length ? 'KEPT_KEY' : null;
  }
}
