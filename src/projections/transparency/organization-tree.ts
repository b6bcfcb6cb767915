import type { CollectionSpec, DocumentPut, ReadModels } from '../../stores/read-store.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import {
  GrowingTree,
  leafHash,
  type NodeHash,
  type NodeId,
  nodeHash,
  nodesOf,
  type Range,
} from '../../trail/seals/merkle.ts';
import { CHANGES, changeId } from '../history/change-document.ts';

type DocumentReader = Pick<ReadModels, 'get'>;

/**
 * Complete nodes of each organization's Merkle tree are stored from this level up. Lower ones are computed from the
 * events' hashes in `changes`. So there is about one stored node per 16 events, and a proof reads at most 2 × 32 rows.
 */
const LOWEST_STORED_LEVEL = 5;

export const TREE: CollectionSpec = { name: 'tree', keys: {}, indexes: [], searchable: false };

/** An organization's Merkle tree. It grows with each event that is applied. */
export class OrganizationTree {
  private puts: DocumentPut[] = [];

  private constructor(
    private readonly organizationId: string,
    private readonly tree: GrowingTree,
  ) {}

  /** Reads the tree over the first `size` events. All of them must have been applied. */
  static async read(models: DocumentReader, organizationId: string, size: number): Promise<OrganizationTree> {
    const hashOf = await readNodes(models, organizationId, [{ from: 0, to: size }]);
    const tree: OrganizationTree = new OrganizationTree(
      organizationId,
      GrowingTree.resume(nodeCrypto, size, hashOf, (id, hash) => tree.onComplete(id, hash)),
    );
    return tree;
  }

  get size(): number {
    return this.tree.size;
  }

  /** Adds the next event's `hash` and returns the nodes to write. */
  append(hash: string): readonly DocumentPut[] {
    if (this.puts.length > 0) this.puts = [];
    this.tree.append(hash);
    return this.puts;
  }

  private onComplete(id: NodeId, hash: string): void {
    if (id.level < LOWEST_STORED_LEVEL) return;
    const { organizationId } = this;
    const document = {
      id: nodeKey(organizationId, id),
      organization_id: organizationId,
      keys: {},
      doc: { hash },
    };
    this.puts.push({ collection: TREE.name, document });
  }
}

/**
 * Reads the nodes that make up these ranges. All their events must have been applied.
 * @returns a function from node id to hash. It throws RangeError for other nodes.
 */
export async function readNodes(
  models: DocumentReader,
  organizationId: string,
  ranges: readonly Range[],
): Promise<NodeHash> {
  const neededNodes = ranges.flatMap(nodesOf);
  const storedNodeKeys = neededNodes
    .filter(({ level }) => level >= LOWEST_STORED_LEVEL)
    .map((id) => nodeKey(organizationId, id));
  const leaves = neededNodes.filter(({ level }) => level < LOWEST_STORED_LEVEL).flatMap(leavesOf);
  const [nodes, rows] = await Promise.all([
    getAll(models, TREE.name, storedNodeKeys),
    getAll(
      models,
      CHANGES.name,
      leaves.map((leaf) => changeId(organizationId, leaf + 1)),
    ),
  ]);
  const hashIn = (hashes: Map<string, string>, id: string) => {
    const hash = hashes.get(id);
    if (hash === undefined) throw new RangeError(`${id} is not in the read models`);
    return hash;
  };
  const hashOf: NodeHash = (id) => {
    if (id.level >= LOWEST_STORED_LEVEL) return hashIn(nodes, nodeKey(organizationId, id));
    if (id.level === 0) return leafHash(nodeCrypto, hashIn(rows, changeId(organizationId, id.index + 1)));
    const level = id.level - 1;
    return nodeHash(nodeCrypto, hashOf({ level, index: id.index * 2 }), hashOf({ level, index: id.index * 2 + 1 }));
  };
  return hashOf;
}

/** Returns the tree over the first `size` events as the read models have it. Null if they lack a node of it. */
export async function readTree(
  models: DocumentReader,
  organizationId: string,
  size: number,
): Promise<GrowingTree | null> {
  try {
    return GrowingTree.resume(nodeCrypto, size, await readNodes(models, organizationId, [{ from: 0, to: size }]));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the root over the first `size` events by the read models. Null if they lack a node of it. */
export async function readRoot(models: DocumentReader, organizationId: string, size: number): Promise<string | null> {
  return (await readTree(models, organizationId, size))?.root() ?? null;
}

const MAX_IDS_PER_READ = 500;

async function getAll(
  models: DocumentReader,
  collection: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const all = [...new Set(ids)];
  for (let start = 0; start < all.length; start += MAX_IDS_PER_READ) {
    const documents = await models.get(collection, all.slice(start, start + MAX_IDS_PER_READ));
    for (const { id, doc } of documents) hashes.set(id, String(doc.hash));
  }
  return hashes;
}

function leavesOf({ level, index }: NodeId): number[] {
  return Array.from({ length: 2 ** level }, (_, leaf) => index * 2 ** level + leaf);
}

function nodeKey(organizationId: string, { level, index }: NodeId): string {
  return `${organizationId}^${level}.${index}`;
}
