import { readTree } from '../../projections/transparency/organization-tree.ts';
import type { LogSealedDocument } from '../../projections/transparency/seal-documents.ts';
import type { DocumentReads } from '../../stores/read-store.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import type { GrowingTree } from '../../trail/seals/merkle.ts';
import { provesConsistency } from '../../trail/seals/proof.ts';
import { proveConsistency } from './proofs.ts';

/** Differs from every seal's root. */
const NO_ROOT = '';

interface CoveredRange {
  from: number;
  to: number;
}

/**
 * Roots of a tree that grows with the hashes of checked events, which are the log's. Only what comes before and after them
 * is taken from the read models, and a seal over them confirms it.
 */
export class GrownRoots {
  private tree: GrowingTree | null = null;

  /** @param hashes by position; those of events that don't match the log are missing */
  constructor(
    private readonly models: DocumentReads,
    private readonly organizationId: string,
    private readonly range: CoveredRange,
    private readonly hashes: ReadonlyMap<number, string>,
  ) {}

  /** Returns the root that a seal must have. Null if a hash is missing. Call it with one seal after the other. */
  async rootOf({ data }: LogSealedDocument): Promise<string | null> {
    const { from, to } = this.range;
    this.tree ??= await readTree(this.models, this.organizationId, from - 1);
    const { tree } = this;
    if (tree === null) return NO_ROOT;
    for (let position = tree.size + 1; position <= Math.min(data.size, to); position += 1) {
      const hash = this.hashes.get(position);
      if (hash === undefined) return null;
      tree.append(hash);
    }
    if (data.size <= to) return tree.root();
    return (await this.isExtendedBy(tree, data)) ? data.root : NO_ROOT;
  }

  /** Returns true if a seal covers the events of a smaller tree, and later ones. */
  private async isExtendedBy(tree: GrowingTree, seal: LogSealedDocument['data']): Promise<boolean> {
    try {
      const proof = await proveConsistency(this.models, this.organizationId, tree.size, seal.size);
      return provesConsistency(nodeCrypto, proof, { size: tree.size, root: tree.root() }, seal);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
}
