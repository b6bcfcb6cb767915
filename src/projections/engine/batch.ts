import { approximateBytes } from '../../commands/engine/byte-cache.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import type { Checkpoint, Commit, DocumentPut, ReadModels } from '../../stores/read-store.ts';
import {
  addOutOfOrder,
  IN_ORDER,
  type OrderFinding,
  type OutOfOrder,
  RecordedOrder,
} from '../../trail/recorded-order.ts';
import { isSealStreamEvent } from '../../trail/seals/seal-events.ts';
import { type FigureCache, FigureChanges } from '../figures/figure-changes.ts';
import { modelOfId } from '../models.ts';
import { historyOf, type ReadModel, type RecordDocument, type StoredForms } from '../read-models/read-model.ts';
import { Neighbours } from '../relations/neighbours.ts';
import { statedLeaf } from '../transparency/event-leaf.ts';
import { OrganizationTree } from '../transparency/organization-tree.ts';
import { OUT_OF_ORDER } from '../transparency/out-of-order-events.ts';
import { PutMap } from './put-map.ts';

/** Records and their neighbours after the last commit, so that busy records aren't read again for each event. */
export interface ProjectionCache {
  records: KeyedCache<RecordDocument>;
  neighbours: KeyedCache<Neighbours>;
  /** By organization id. */
  trees: KeyedCache<OrganizationTree>;
  /** The records as they are stored, with their keys and search words. */
  forms: StoredForms;
  figures: FigureCache;
}

interface KeyedCache<T> {
  get(id: string): T | undefined;
  set(id: string, value: T): unknown;
  clear(): void;
}

/** A batch ends with the event that brings it to this many documents, of about 1 KiB each. */
const MAX_BATCH_DOCUMENTS = 8_000;

/**
 * Collects what a batch of one organization's events changes. Holds the records and neighbours after the events applied
 * so far, and the documents to write.
 */
export class Batch {
  /** By collection and id. A version that begins and ends within the batch is therefore written once, in its last form. */
  private readonly puts = new PutMap();
  private readonly records = new Map<string, RecordDocument | null>();
  private readonly neighbours = new Map<string, Neighbours>();
  /** By id of a record that changed. */
  private readonly changedModels = new Map<string, ReadModel>();
  position: number;
  private readonly order: RecordedOrder;
  private bytes: number;
  private parked: number;
  private outOfOrder: number;
  private storePosition: Checkpoint['storePosition'];
  private tree: OrganizationTree | null = null;
  private readonly figures: FigureChanges;

  constructor(
    private readonly models: Pick<ReadModels, 'get'>,
    private readonly cache: ProjectionCache,
    private readonly start: Checkpoint,
  ) {
    this.position = start.position;
    this.order = new RecordedOrder(start.logTime);
    this.bytes = start.bytes;
    this.parked = start.parked;
    this.outOfOrder = start.outOfOrder;
    this.storePosition = start.storePosition;
    this.figures = new FigureChanges(start.organizationId, cache.forms);
  }

  /** Reads the organization's Merkle tree. Call it once, before the first event. */
  async readTree(): Promise<void> {
    const { organizationId, position } = this.start;
    const cachedTree = this.cache.trees.get(organizationId);
    this.tree =
      cachedTree?.size === position ? cachedTree : await OrganizationTree.read(this.models, organizationId, position);
    this.cache.trees.set(organizationId, this.tree);
  }

  /** Adds an event to the checkpoint, the Merkle tree and the figures. Call it before the event's changes are applied. */
  async beginEvent(event: StoredEvent): Promise<void> {
    this.position += 1;
    this.bytes += approximateBytes(event.data);
    this.storePosition = event.storePosition;
    for (const put of this.tree!.append(statedLeaf(event))) this.put(put);
    const finding = this.order.take(event);
    // The members of an event that can't be read may be lost. It is parked.
    if (finding !== null && event.data !== null) await this.noteOutOfOrder(finding, event.metadata.recorded_at);
    this.figures.beginEvent(this.position, this.logTime);
    if (!isSealStreamEvent(event)) this.figures.countChange();
  }

  /** The newest time of an event so far, or of a seal. */
  get logTime(): string {
    return this.order.logTime;
  }

  private async noteOutOfOrder(finding: OrderFinding, recordedAt: string): Promise<void> {
    const { organizationId: id } = this.start;
    const earlier = await this.document(OUT_OF_ORDER.name, id);
    const noted = (earlier as OutOfOrder | null) ?? IN_ORDER;
    const doc = { ...addOutOfOrder(noted, finding, this.position, recordedAt, this.logTime) };
    this.put({ collection: OUT_OF_ORDER.name, document: { id, organization_id: id, keys: {}, doc } });
    this.outOfOrder += 1;
  }

  countParked(): void {
    this.parked += 1;
  }

  /** Reads records that will be needed, each family's in one call. */
  async preloadRecords(ids: Iterable<string>): Promise<void> {
    const uncachedIds = new Map<string, string[]>();
    for (const id of ids) {
      const model = modelOfId(id);
      if (model === null || this.records.has(id)) continue;
      const cachedRecord = this.cache.records.get(id);
      this.records.set(id, cachedRecord ?? null);
      if (cachedRecord !== undefined) continue;
      const familyIds = uncachedIds.get(model.family.plural);
      if (familyIds) familyIds.push(id);
      else uncachedIds.set(model.family.plural, [id]);
    }
    for (const [collection, familyIds] of uncachedIds) {
      for (const { id, doc } of await this.models.get(collection, familyIds)) {
        this.records.set(id, doc as unknown as RecordDocument);
      }
    }
  }

  /** Reads the neighbours of records that will be needed, in one call. */
  async preloadNeighbours(ids: readonly string[]): Promise<void> {
    const uncachedIds = ids.filter((id) => !this.neighbours.has(id) && this.cache.neighbours.get(id) === undefined);
    if (uncachedIds.length === 0) return;
    for (const [id, neighbours] of await Neighbours.read(this.models, uncachedIds)) this.neighbours.set(id, neighbours);
  }

  /** Returns a document that an event before this one wrote; null if none did. */
  async document(collection: string, id: string): Promise<DocumentPut['document']['doc'] | null> {
    const put = this.puts.get(collection, id);
    if (put !== undefined) return put.document.doc;
    const [stored] = await this.models.get(collection, [id]);
    return stored?.doc ?? null;
  }

  /** Notes that a record doesn't exist yet, so that it isn't looked up. */
  expectNew(id: string): void {
    if (!this.records.has(id)) this.records.set(id, this.cache.records.get(id) ?? null);
  }

  async record(id: string): Promise<RecordDocument | null> {
    if (!this.records.has(id)) await this.preloadRecords([id]);
    return this.records.get(id) ?? null;
  }

  async neighboursOf(id: string): Promise<Neighbours> {
    await this.preloadNeighbours([id]);
    return (this.neighbours.get(id) ?? this.cache.neighbours.get(id))!;
  }

  /**
   * Returns the writes for a record's new version and for the end of the one before.
   * @throws Error if a key can't be computed
   */
  versionPuts(model: ReadModel, after: RecordDocument): DocumentPut[] {
    const collection = historyOf(model.family.plural);
    const { forms } = this.cache;
    const before = this.records.get(after.id) ?? null;
    const endedVersion = before && forms.versionDocument(model, before, after.from_position);
    if (before !== null) forms.inheritWords(model, before, after);
    const newVersion = forms.versionDocument(model, after);
    return endedVersion === null
      ? [{ collection, document: newVersion }]
      : [
          { collection, document: endedVersion },
          { collection, document: newVersion },
        ];
  }

  /** Replaces a record by its new version. */
  replaceRecord(model: ReadModel, after: RecordDocument): void {
    this.figures.replaceRecord(model, this.records.get(after.id) ?? null, after);
    this.records.set(after.id, after);
    this.changedModels.set(after.id, model);
  }

  /** Notes that a record is new, so that its neighbours aren't looked up. */
  expectNoNeighbours(id: string): void {
    if (!this.neighbours.has(id)) this.neighbours.set(id, new Neighbours());
  }

  /** Adds a neighbour from a position on; null removes it. */
  async setNeighbour(id: string, other: string, position: number | null): Promise<void> {
    const neighbours = await this.neighboursOf(id);
    this.neighbours.set(id, neighbours);
    if (position === null) neighbours.remove(other);
    else neighbours.add(other, position);
  }

  /** True when there is enough to write for one commit. */
  get isFull(): boolean {
    return this.puts.size + this.changedModels.size >= MAX_BATCH_DOCUMENTS;
  }

  put(put: DocumentPut): void {
    this.puts.set(put);
  }

  /** Returns everything to write, and puts what the next batch may need into the cache. */
  async toCommit(): Promise<Commit> {
    for (const put of await this.figures.puts(this.models, this.cache.figures)) this.put(put);
    for (const [id, model] of this.changedModels) {
      this.put({
        collection: model.family.plural,
        document: this.cache.forms.currentDocument(model, this.records.get(id)!),
      });
    }
    for (const [id, neighbours] of this.neighbours) {
      const record = this.records.get(id);
      if (record) for (const put of neighbours.puts(record)) this.put(put);
    }
    for (const [id, document] of this.records) if (document !== null) this.cache.records.set(id, document);
    for (const [id, neighbours] of this.neighbours) this.cache.neighbours.set(id, neighbours);
    const { position, logTime, bytes, parked, outOfOrder, storePosition } = this;
    return {
      checkpoint: { ...this.start, n: this.start.n + 1, storePosition, position, logTime, bytes, parked, outOfOrder },
      puts: this.puts.values(),
    };
  }
}
