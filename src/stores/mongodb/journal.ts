import { randomUUID } from 'node:crypto';
import { BSON, type Collection, type Db } from 'mongodb';
import { Fenced, StoreUnavailable, TooLarge } from '../errors.ts';
import type { StorePosition } from '../event-store.ts';
import type { Checkpoint } from '../read-store.ts';
import { writeUnlessTaken } from './client.ts';
import type { RowPut, RowWriter } from './row-writer.ts';

interface StoredCheckpoint {
  organization_id: string;
  n: number;
  store_position: StorePosition;
  position: number;
  log_time: string;
  bytes: number;
  parked: number;
  out_of_order: number;
  installation: string;
  place: StorePosition | null;
  place_events: number | null;
}

/** The rest of a batch that is being written. It is stored until the batch's checkpoint is written. */
interface Pending {
  /** Id of this attempt. The parts of a large batch have it too. */
  run: string;
  checkpoint: StoredCheckpoint;
  parts: number;
  /** All puts, if there are no parts. */
  puts: RowPut[];
}

/** One per organization, never deleted. Its number is the fence: only one runner can take it from n − 1 to n. */
interface Head {
  _id: string;
  n: number;
  checkpoint: StoredCheckpoint | null;
  pending: Pending | null;
}

interface Part {
  _id: string;
  organization_id: string;
  n: number;
  run: string;
  puts: RowPut[];
}

/** The steps of a commit. Tests interrupt commits after each. */
export type CommitStep = 'parts' | 'journal' | 'documents' | 'checkpoint';
export type OnCommitStep = (step: CommitStep) => void | Promise<void>;

const MiB = 1 << 20;
/**
 * MongoDB's limit is 16 MiB per stored document. Parts stay well below it, except for a part with one large document.
 */
const MAX_PART_BYTES = 2 * MiB;
const MAX_DOCUMENT_BYTES = 15 * MiB;

/**
 * Commits whole batches without transactions. It writes a batch to the journal (the organization's head), then the
 * documents, then the checkpoint. An instance that finds a pending batch in a head finishes it. Finishing twice is
 * safe: a document is never replaced by one of an older batch, and the checkpoint changes only while the head has this
 * batch.
 */
export class Journal {
  readonly #heads: Collection<Head>;
  readonly #parts: Collection<Part>;

  constructor(
    db: Db,
    generation: string,
    private readonly rowWriter: RowWriter,
    private readonly onStep: OnCommitStep,
  ) {
    this.#heads = db.collection(`_heads__${generation}`);
    this.#parts = db.collection(`_parts__${generation}`);
  }

  async commit(checkpoint: Checkpoint, puts: readonly RowPut[]): Promise<void> {
    const run = randomUUID();
    const chunks = inChunks(puts);
    const parts = chunks.length > 1 ? chunks.length : 0;
    if (parts > 0) await this.#writeParts(checkpoint, run, chunks);
    const stored = toStored(checkpoint);
    await this.#writeHead({ run, checkpoint: stored, parts, puts: parts > 0 ? [] : [...puts] });
    await this.#finish(stored, puts, parts > 0);
  }

  /** Finishes batches whose commit was interrupted, and removes parts that aren't needed any more. */
  async recover(): Promise<void> {
    for (const { _id } of await this.#heads.find({ pending: { $ne: null } }, { projection: { _id: 1 } }).toArray()) {
      await this.#replay(_id);
    }
    const remainingParts = await this.#parts.find({}, { projection: { organization_id: 1 } }).toArray();
    for (const organizationId of new Set(remainingParts.map((part) => part.organization_id))) {
      const checkpoint = await this.checkpoint(organizationId);
      if (checkpoint) await this.#removeParts(organizationId, checkpoint.n);
    }
  }

  async checkpoint(organizationId: string): Promise<Checkpoint | null> {
    const head = await this.#heads.findOne({ _id: organizationId }, { projection: { checkpoint: 1 } });
    return head?.checkpoint ? fromStored(head.checkpoint) : null;
  }

  async checkpoints(): Promise<Checkpoint[]> {
    const heads = await this.#heads.find({}, { projection: { checkpoint: 1 } }).toArray();
    return heads.flatMap(({ checkpoint }) => (checkpoint ? fromStored(checkpoint) : []));
  }

  async #writeParts({ organizationId, n }: Checkpoint, run: string, chunks: readonly RowPut[][]): Promise<void> {
    for (const [index, puts] of chunks.entries()) {
      await this.#parts.insertOne({ _id: `${run}/${index}`, organization_id: organizationId, n, run, puts });
    }
    await this.onStep('parts');
  }

  async #writeHead(pending: Pending): Promise<void> {
    const { organization_id: organizationId, n } = pending.checkpoint;
    if (!(await this.#advance(organizationId, n, pending))) {
      const head = await this.#heads.findOne({ _id: organizationId }, { projection: { n: 1 } });
      if (head?.n !== n - 1) {
        await this.#parts.deleteMany({ run: pending.run });
        if (head && head.n >= n) throw new Fenced(`${organizationId} is already at batch ${head.n}`);
        throw new RangeError(`${organizationId} is at batch ${head?.n ?? 0}, so its next is not ${n}`);
      }
      // The commit of the batch before was interrupted. Finish it first.
      await this.#replay(organizationId);
      if (!(await this.#advance(organizationId, n, pending)))
        throw new Fenced(`${organizationId} is past batch ${n - 1}: another runner committed`);
    }
    await this.onStep('journal');
  }

  /** Takes the organization's head from a finished n − 1 to n. Returns false if it isn't at n − 1. */
  async #advance(organizationId: string, n: number, pending: Pending): Promise<boolean> {
    if (n > 1) {
      const result = await this.#heads.updateOne(
        { _id: organizationId, n: n - 1, pending: null },
        { $set: { n, pending } },
      );
      return result.matchedCount === 1;
    }
    const head: Head = { _id: organizationId, n, checkpoint: null, pending };
    return writeUnlessTaken(() => this.#heads.insertOne(head).then(() => true));
  }

  async #replay(organizationId: string): Promise<void> {
    const head = await this.#heads.findOne({ _id: organizationId });
    if (!head?.pending) return;
    const { run, checkpoint, parts, puts } = head.pending;
    if (parts === 0) return this.#finish(checkpoint, puts, false);
    const documents = await this.#parts.find({ run }).toArray();
    if (documents.length === parts) {
      const all = documents.flatMap((part) => part.puts);
      return this.#finish(checkpoint, all, true);
    }
    // Parts are removed after the checkpoint is written, so another instance has just finished this batch.
    const now = await this.checkpoint(organizationId);
    if (!now || now.n < checkpoint.n) throw new StoreUnavailable(`parts of batch ${checkpoint.n} cannot be read`);
  }

  async #finish(checkpoint: StoredCheckpoint, puts: readonly RowPut[], inParts: boolean): Promise<void> {
    const { organization_id: organizationId, n } = checkpoint;
    await this.rowWriter.write(n, puts);
    await this.onStep('documents');
    await this.#heads.updateOne({ _id: organizationId, n }, { $set: { checkpoint, pending: null } });
    await this.onStep('checkpoint');
    if (inParts) await this.#removeParts(organizationId, n);
  }

  /** Removes the parts of finished batches. No batch up to that number can be journalled again. */
  async #removeParts(organizationId: string, n: number): Promise<void> {
    await this.#parts.deleteMany({ organization_id: organizationId, n: { $lte: n } });
  }
}

function toStored(checkpoint: Checkpoint): StoredCheckpoint {
  return {
    organization_id: checkpoint.organizationId,
    n: checkpoint.n,
    store_position: checkpoint.storePosition,
    position: checkpoint.position,
    log_time: checkpoint.logTime,
    bytes: checkpoint.bytes,
    parked: checkpoint.parked,
    out_of_order: checkpoint.outOfOrder,
    installation: checkpoint.installation,
    place: checkpoint.place?.storePosition ?? null,
    place_events: checkpoint.place?.events ?? null,
  };
}

function fromStored(stored: StoredCheckpoint): Checkpoint {
  return {
    organizationId: stored.organization_id,
    n: stored.n,
    storePosition: stored.store_position,
    position: stored.position,
    logTime: stored.log_time,
    bytes: stored.bytes,
    parked: stored.parked,
    outOfOrder: stored.out_of_order,
    installation: stored.installation,
    place: stored.place === null ? null : { storePosition: stored.place, events: stored.place_events! },
  };
}

/** Splits puts, in their order, into chunks that fit into one stored document each. */
function inChunks(puts: readonly RowPut[]): RowPut[][] {
  const chunks: RowPut[][] = [[]];
  let filled = 0;
  for (const put of puts) {
    const size = BSON.calculateObjectSize(put, { ignoreUndefined: true });
    if (size > MAX_DOCUMENT_BYTES) throw new TooLarge(`document ${put.row._id} is larger than the store takes`);
    if (filled > 0 && filled + size > MAX_PART_BYTES) {
      chunks.push([]);
      filled = 0;
    }
    chunks.at(-1)!.push(put);
    filled += size;
  }
  return chunks;
}
