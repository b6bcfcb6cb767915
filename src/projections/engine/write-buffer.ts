import { getHeapStatistics } from 'node:v8';
import { approximateBytes } from '../../commands/engine/byte-cache.ts';
import type { Checkpoint, Commit, DocumentPut, MatchingDocument, Place, ReadModels } from '../../stores/read-store.ts';
import { READ_MODELS } from '../models.ts';
import { MAP_ENTRIES } from '../read-models/map-entries.ts';
import { historyOf } from '../read-models/read-model.ts';
import { LINKS, NEIGHBOURS } from '../relations/neighbours.ts';
import { OPEN_END } from '../relations/related-counts.ts';
import { PutMap } from './put-map.ts';

/** Heap bytes assumed per buffered document, which is several times its real size. */
const HEAP_BYTES_PER_DOCUMENT = 16 * 1024;

/** Larger documents are written at once, so that the event at fault is known if the store refuses one. */
const MAX_BUFFERED_BYTES = 4 * 1024 ** 2;

const CURRENT_COLLECTIONS = new Set([
  ...READ_MODELS.map((model) => model.family.plural),
  NEIGHBOURS.name,
  MAP_ENTRIES.name,
]);
const COLLECTIONS_WITH_OPEN_END = new Set([...READ_MODELS.map((model) => historyOf(model.family.plural)), LINKS.name]);

/**
 * Buffers documents while a generation is built, if a later event may write them again: current records, and open
 * versions and links. So most are written once instead of once per event. Commits needn't be complete, because nobody
 * reads such a generation and an interrupted build is dropped.
 */
export class WriteBuffer implements Pick<ReadModels, 'get' | 'commit' | 'checkpoints' | 'recover'> {
  private readonly pendingPuts = new PutMap();
  private readonly maxBufferedDocuments = Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_PER_DOCUMENT);

  constructor(private readonly models: ReadModels) {}

  recover(): Promise<void> {
    return this.models.recover();
  }

  checkpoints(): Promise<Checkpoint[]> {
    return this.models.checkpoints();
  }

  async get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    const documents: MatchingDocument[] = [];
    const absent: string[] = [];
    for (const id of ids) {
      const put = this.pendingPuts.get(collection, id);
      if (put === undefined) absent.push(id);
      else documents.push({ id, key: null, doc: put.document.doc as MatchingDocument['doc'] });
    }
    return absent.length === 0 ? documents : [...documents, ...(await this.models.get(collection, absent))];
  }

  async commit({ checkpoint, puts }: Commit): Promise<void> {
    const buffered: DocumentPut[] = [];
    const final: DocumentPut[] = [];
    for (const put of puts) (isBuffered(put) ? buffered : final).push(put);
    const isFull = this.pendingPuts.size > this.maxBufferedDocuments;
    // Before anything is buffered: if the store refuses a document for good, the batch is made again. Without a place:
    // the generation isn't complete until it has the buffered documents.
    const written = isFull ? this.pendingAnd(final) : final;
    await this.models.commit({ checkpoint: { ...checkpoint, place: null }, puts: written });
    if (isFull) this.pendingPuts.clear();
    for (const { collection, document } of final) this.pendingPuts.delete(collection, document.id);
    for (const put of buffered) this.pendingPuts.set(put);
  }

  private pendingAnd(final: readonly DocumentPut[]): DocumentPut[] {
    const all = new PutMap();
    for (const put of [...this.pendingPuts.values(), ...final]) all.set(put);
    return all.values();
  }

  /** Writes all buffered documents, in one more commit per organization, and updates `checkpoints`. The last has the place. */
  async flush(checkpoints: Map<string, Checkpoint>, place: Place | null): Promise<void> {
    const byOrganization = new Map<string, DocumentPut[]>([...checkpoints.keys()].map((id) => [id, []]));
    for (const put of this.takeAll()) {
      const { organization_id } = put.document;
      const puts = byOrganization.get(organization_id);
      if (puts) puts.push(put);
      else byOrganization.set(organization_id, [put]);
    }
    let remaining = byOrganization.size;
    for (const [organizationId, puts] of byOrganization) {
      remaining -= 1;
      const last = checkpoints.get(organizationId)!;
      const checkpoint = { ...last, n: last.n + 1, place: remaining === 0 ? place : null };
      await this.models.commit({ checkpoint, puts });
      checkpoints.set(organizationId, checkpoint);
    }
  }

  private takeAll(): DocumentPut[] {
    const puts = this.pendingPuts.values();
    this.pendingPuts.clear();
    return puts;
  }
}

/** Returns true for a document that a later event may write again, unless it is so large that the store may refuse it. */
function isBuffered({ collection, document }: DocumentPut): boolean {
  return mayChange(collection, document) && approximateBytes(document.doc) < MAX_BUFFERED_BYTES;
}

function mayChange(collection: string, document: DocumentPut['document']): boolean {
  if (CURRENT_COLLECTIONS.has(collection)) return true;
  return COLLECTIONS_WITH_OPEN_END.has(collection) && document.keys.until_position === OPEN_END;
}
