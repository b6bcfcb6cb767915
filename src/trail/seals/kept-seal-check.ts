import type { CountedSeal, ExportFault, SealFault } from '../check/verdict.ts';
import { isKeptSealSigned, type KeptSeal } from './kept-seal.ts';
import type { PublicKey } from './key.ts';
import type { SizeListeners } from './tree-window.ts';

/** The result of checking a history against kept seals. */
interface KeptSealsVerdict {
  /** The largest kept seal that covers a beginning of the history. */
  proved: CountedSeal | null;
  /** The smallest kept seal that doesn't match the history. */
  fault: SealFault | null;
  /** The reason why a kept seal can't be checked, or null. */
  exportFault: ExportFault['why'] | null;
}

/** Checks a history against kept seals. */
export class KeptSealCheck {
  private readonly seals: readonly KeptSeal[];
  /** By size of a kept seal: the tree's root at that size, and the number of events outside the seal stream. */
  private readonly roots = new Map<number, { root: string; nonSealEvents: number }>();

  constructor(
    organizationId: string,
    private readonly keptSeals: readonly KeptSeal[],
  ) {
    this.seals = keptSeals.filter(({ organization_id }) => organization_id === organizationId);
  }

  /** The key ids in the kept seals. */
  get keyIds(): ReadonlySet<string> {
    return new Set(this.seals.map(({ key_id }) => key_id));
  }

  /** The listeners that record the tree's root at the size of each kept seal. */
  get sizeListeners(): SizeListeners {
    const record = (size: number) => (root: string, nonSealEvents: number) =>
      void this.roots.set(size, { root, nonSealEvents });
    return new Map(this.seals.map(({ size }) => [size, record(size)]));
  }

  /**
   * Returns the result once the tree holds all `events`. Only then all trusted keys are known, and seals of other keys
   * must be ignored.
   * @param faultless the number of events before the first fault
   */
  verdict(events: number, faultless: number, keys: readonly PublicKey[]): KeptSealsVerdict {
    const signedSeals = this.seals.filter((seal) => isKeptSealSigned(seal, keys));
    const coveredSeals = signedSeals.filter(({ size }) => size <= faultless).sort((a, b) => a.size - b.size);
    const exportFault = this.findExportFault(events, signedSeals);
    let proved: CountedSeal | null = null;
    for (const { size, root, sealed_at, key_id } of coveredSeals) {
      const atSize = this.roots.get(size)!;
      if (atSize.root !== root) {
        const from = Math.min((proved?.size ?? 0) + 1, size);
        return {
          proved,
          fault: { why: 'KEPT', position: null, event_id: null, key_id, from, until: size },
          exportFault,
        };
      }
      proved = { size, root, sealed_at, key_id, position: null, nonSealEvents: atSize.nonSealEvents };
    }
    return { proved, fault: null, exportFault };
  }

  private findExportFault(events: number, signed: readonly KeptSeal[]): ExportFault['why'] | null {
    // Only a signed seal says anything. A seal that nobody signed may state any size.
    if (signed.some(({ size }) => size > events)) return 'KEPT_BEYOND';
    return signed.length < this.keptSeals.length ? 'KEPT_KEY' : null;
  }
}
