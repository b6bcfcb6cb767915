import type { CollectionSpec, DocumentPut, ReadModels } from '../stores/read-store.ts';
import { GrowingTree, leafHash, type NodeHash, type NodeId, nodeHash, nodesOf, type Range } from '../trail/merkle.ts';
import { CHANGES, changeId } from './change-document.ts';

type Get = Pick<ReadModels, 'get'>;

/**
 * The complete nodes of each organization's Merkle tree from this level up. Those below are hashed from the events'
 * hashes, which `changes` has anyway: so a node is kept for each 16 events, and a proof reads two times 32 rows at most.
 */
const LOWEST_STORED_LEVEL = 5;

export const TREE: CollectionSpec = { name: 'tree', keys: {}, indexes: [], searchable: false };

/** An organization's tree as it grows by the events that are folded. */
export class OrganizationTree {
  private puts: DocumentPut[] = [];

  private constructor(
    private readonly organizationId: string,
    private readonly tree: GrowingTree,
  ) {}

  /** The tree over the first `size` events, of which the read models have nodes and hashes. */
  static async read(models: Get, organizationId: string, size: number): Promise<OrganizationTree> {
    const node = await readNodes(models, organizationId, [{ from: 0, to: size }]);
    const kept: OrganizationTree = new OrganizationTree(
      organizationId,
      GrowingTree.resume(size, node, (id, hash) => kept.completed(id, hash)),
    );
    return kept;
  }

  get size(): number {
    return this.tree.size;
  }

  /** Takes the next event's `hash` and answers what is to be written. */
  append(hash: string): readonly DocumentPut[] {
    if (this.puts.length > 0) this.puts = [];
    this.tree.append(Buffer.from(hash, 'hex'));
    return this.puts;
  }

  private completed(id: NodeId, hash: Buffer): void {
    if (id.level < LOWEST_STORED_LEVEL) return;
    const { organizationId: organization_id } = this;
    const document = {
      id: nodeKey(organization_id, id),
      organization_id,
      keys: {},
      doc: { hash: hash.toString('hex') },
    };
    this.puts.push({ collection: TREE.name, document });
  }
}

/**
 * Reads what the hashes of these ranges are made of. All of them must have been folded.
 * @returns the hashes of the complete nodes in them; any other throws RangeError
 */
export async function readNodes(models: Get, organizationId: string, ranges: readonly Range[]): Promise<NodeHash> {
  const wanted = ranges.flatMap(nodesOf);
  const high = wanted.filter(({ level }) => level >= LOWEST_STORED_LEVEL).map((id) => nodeKey(organizationId, id));
  const leaves = wanted.filter(({ level }) => level < LOWEST_STORED_LEVEL).flatMap(leavesOf);
  const [nodes, rows] = await Promise.all([
    getAll(models, TREE.name, high),
    getAll(
      models,
      CHANGES.name,
      leaves.map((leaf) => changeId(organizationId, leaf + 1)),
    ),
  ]);
  const hashIn = (found: Map<string, string>, id: string) => {
    const hash = found.get(id);
    if (hash === undefined) throw new RangeError(`${id} is not in the read models`);
    return Buffer.from(hash, 'hex');
  };
  const node: NodeHash = (id) => {
    if (id.level >= LOWEST_STORED_LEVEL) return hashIn(nodes, nodeKey(organizationId, id));
    if (id.level === 0) return leafHash(hashIn(rows, changeId(organizationId, id.index + 1)));
    const level = id.level - 1;
    return nodeHash(node({ level, index: id.index * 2 }), node({ level, index: id.index * 2 + 1 }));
  };
  return node;
}

/** So many documents are asked for at once. */
const MAX_IDS_PER_READ = 500;

async function getAll(models: Get, collection: string, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const all = [...new Set(ids)];
  for (let start = 0; start < all.length; start += MAX_IDS_PER_READ) {
    const documents = await models.get(collection, all.slice(start, start + MAX_IDS_PER_READ));
    for (const { id, doc } of documents) found.set(id, String(doc.hash));
  }
  return found;
}

function leavesOf({ level, index }: NodeId): number[] {
  return Array.from({ length: 2 ** level }, (_, leaf) => index * 2 ** level + leaf);
}

function nodeKey(organizationId: string, { level, index }: NodeId): string {
  return `${organizationId}^${level}.${index}`;
}
