import { applyStoredEvent } from '../../commands/engine/stream-state.ts';
import type { LinkState } from '../../commands/link.ts';
import {
  type DirectedRelation,
  type RelationOfRecord,
  relationBetween,
  relationOfRecord,
} from '../../register/link.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { mapChanges } from '../history/change-rows.ts';
import { modelOfId } from '../models.ts';
import {
  currentValue,
  entryPuts,
  entryRowId,
  keyInLargeMap,
  MAP_ENTRIES,
  withOneEntry,
} from '../read-models/map-entries.ts';
import { dependsOnType, type ReadModel, type RecordDocument, revisionAfter } from '../read-models/read-model.ts';
import { type Connection, LINKS, linkRow, linkRowId } from '../relations/neighbours.ts';
import { EVIDENCE_UNTIL, STALE, updateCounts } from '../relations/related-counts.ts';
import { newestEvidenceLabels } from '../relations/replaced-evidence.ts';
import type { Batch } from './batch.ts';

/**
 * Collects the changes that one event makes to records and their neighbours. The batch sees all of them at `commit`, or
 * none if the event can't be applied.
 */
export class EventTransaction {
  private readonly records = new Map<string, RecordDocument>();
  /** By record: neighbours that were added, with the position, or removed (null). */
  private readonly neighbours = new Map<string, Map<string, number | null>>();
  private readonly puts: DocumentPut[] = [];

  constructor(
    private readonly batch: Batch,
    readonly event: TrailEvent,
  ) {}

  get position(): number {
    return this.batch.position;
  }

  /**
   * Hands all changes to the batch.
   * @throws Error before it hands over anything, if a record's keys can't be computed
   */
  async commit(): Promise<void> {
    const changedRecords = [...this.records].map(([id, document]) => ({ model: modelOfId(id)!, document }));
    const versions = changedRecords.map(({ model, document }) => this.batch.versionPuts(model, document));
    for (const put of versions.flat()) this.batch.put(put);
    for (const { model, document } of changedRecords) this.batch.replaceRecord(model, document);
    for (const [id, changes] of this.neighbours) {
      for (const [other, fromPosition] of changes) await this.batch.setNeighbour(id, other, fromPosition);
    }
    for (const put of this.puts) this.batch.put(put);
  }

  put(put: DocumentPut): void {
    this.puts.push(put);
  }

  /** Reads records that the event connects, with their neighbours, in few calls. */
  async preload(ids: readonly string[]): Promise<void> {
    await this.batch.preloadRecords(ids);
    await this.batch.preloadNeighbours(ids);
  }

  /** Notes that a record begins with this event, so that it isn't looked up. */
  expectNew(id: string): void {
    this.batch.expectNew(id);
  }

  async record(id: string): Promise<RecordDocument | null> {
    return this.records.get(id) ?? this.batch.record(id);
  }

  /** Returns the record before and after the event. @throws Error if this or an earlier event of it can't be applied */
  async evolve(
    model: ReadModel,
    id: string,
    event: TrailEvent,
  ): Promise<{ before: RecordDocument | null; after: RecordDocument }> {
    const before = await this.recordWithEntry(model, id, event);
    if (before?.parked) throw new Error('an earlier event of this record is parked');
    const revision = revisionAfter(model, event);
    if ((before?.revision ?? 0) !== revision - 1) throw new Error('the event before it has not been applied');
    const state = applyStoredEvent(model.family, before && stateOf(model, before), event);
    const pinned = model.pinnedPositions
      ? { ...state, ...this.pinnedFields(model.pinnedPositions, event, before) }
      : state;
    return { before, after: this.nextVersion(model, id, pinned, before, revision) };
  }

  /** Returns the record with the entry of its large map that the event names. */
  private async recordWithEntry(model: ReadModel, id: string, event: TrailEvent): Promise<RecordDocument | null> {
    const record = await this.record(id);
    if (record === null || model.largeMap === undefined) return record;
    const key = keyInLargeMap(model, event.data);
    const row = key && (await this.entryRow(id, `${model.largeMap.field}.${key}`));
    return withOneEntry(model, record, key, currentValue(row || null));
  }

  /** Writes the rows of the maps' entries that the event changed. */
  async putEntries(model: ReadModel, before: RecordDocument | null, after: RecordDocument): Promise<void> {
    for (const change of mapChanges(model, before, after)) {
      const newestRow = await this.entryRow(after.id, change.field);
      this.puts.push(...entryPuts(after, change, newestRow, this.position));
    }
  }

  private entryRow(recordId: string, path: string): Promise<object | null> {
    return this.batch.document(MAP_ENTRIES.name, entryRowId(recordId, path));
  }

  /**
   * Returns the fields that hold the position of the newest event of a type, or of an earlier one that an undo set them back
   * to. Deciders don't know positions.
   */
  private pinnedFields(
    fieldsByEventType: NonNullable<ReadModel['pinnedPositions']>,
    { type, data }: TrailEvent,
    before: RecordDocument | null,
  ): object {
    const restored = (data.fields ?? {}) as Record<string, unknown>;
    const fields = Object.entries(fieldsByEventType).map(([eventType, field]) => {
      const previous = before?.[field as keyof RecordDocument] ?? null;
      return [field, type === eventType ? String(this.position) : field in restored ? restored[field] : previous];
    });
    return Object.fromEntries(fields);
  }

  /** Returns a record's next version, made by one of its own events. */
  nextVersion(
    model: ReadModel,
    id: string,
    state: object,
    before: RecordDocument | null,
    revision: number,
  ): RecordDocument {
    const { organization_id, recorded_at } = this.event.metadata;
    const { related_counts: relatedCounts, stale } = before ?? {};
    // Members after a spread are slow: each that is new takes 0.7 µs.
    return Object.assign({}, state, {
      owner_id: (state as Partial<RecordDocument>).owner_id ?? null,
      archived_at: (state as Partial<RecordDocument>).archived_at ?? null,
      ...model.derive?.(state, relatedCounts ?? {}),
      id,
      organization_id,
      created_at: before?.created_at ?? recorded_at,
      updated_at: recorded_at,
      revision,
      position: this.position,
      from_position: this.position,
      ...(relatedCounts ? { related_counts: relatedCounts } : {}),
      ...(stale ? { stale } : {}),
    });
  }

  /**
   * Replaces a record with its new version, and updates the counts of its neighbours if its exposed labels changed. Their
   * labels may then change too, and so on. This ends, because labels never follow from each other in a circle.
   */
  async replaceRecord(after: RecordDocument): Promise<void> {
    const before = await this.record(after.id);
    this.records.set(after.id, after);
    if (before === null) return this.batch.expectNoNeighbours(after.id);
    const removed = exposedLabelsOf(before);
    const added = exposedLabelsOf(after);
    if (sameLabels(removed, added)) return;
    const neighbours = await this.neighboursOf(after.id);
    await this.batch.preloadRecords(neighbours);
    // Their uncertainty may change too, and then the counts of their own neighbours.
    await this.batch.preloadNeighbours(neighbours.filter((id) => modelOfId(id)?.uncertain !== undefined));
    for (const id of neighbours) await this.updateRelatedCounts(id, removed, added);
  }

  /** Makes two records neighbours from this event on. Each counts the other's exposed labels. */
  async connect(a: string, b: string, relation: DirectedRelation | null = null): Promise<void> {
    const [recordA, recordB] = [await this.record(a), await this.record(b)];
    if (recordA === null || recordB === null) {
      throw new Error(`${recordA === null ? a : b} is to be connected, but doesn't exist`);
    }
    if (a === b || (await this.connectedFrom(a, b)) !== null) return;
    await this.countEachOther(a, b);
    this.beginConnection(recordA, recordB, relation);
  }

  /**
   * Gives two records a link's state, whatever they had before. Both their link's own stream and a crosswalk set it, so an
   * event doesn't know the state that it ends.
   */
  async setLink(a: string, b: string, { linked, relation }: LinkState): Promise<void> {
    const fromPosition = await this.connectedFrom(a, b);
    if (fromPosition === null) return linked ? this.connect(a, b, relation) : undefined;
    const before = await this.relationSince(a, b, fromPosition);
    if (!linked) return this.disconnect(a, b, before);
    if (relation === null || relationWord(a, before) === relationWord(a, relation)) return;
    const [recordA, recordB] = [(await this.record(a))!, (await this.record(b))!];
    this.endConnection(recordA, recordB, { relation: before, from_position: fromPosition });
    this.beginConnection(recordA, recordB, relation);
  }

  /** Returns the relation of two connected records; null unless both are controls. */
  private async relationSince(a: string, b: string, fromPosition: number): Promise<DirectedRelation | null> {
    if (modelOfId(a) !== modelOfId(b)) return null;
    const row = await this.batch.document(LINKS.name, linkRowId(a, b, fromPosition));
    const { relation } = (row ?? {}) as { relation?: RelationOfRecord };
    return relation === undefined ? null : relationBetween(a, b, relation);
  }

  private beginConnection(a: RecordDocument, b: RecordDocument, relation: DirectedRelation | null): void {
    this.setNeighbour(a.id, b.id, this.position);
    this.setNeighbour(b.id, a.id, this.position);
    const connection = { relation, from_position: this.position };
    this.puts.push(linkRow(a, linkEndOf(b.id), connection), linkRow(b, linkEndOf(a.id), connection));
  }

  private endConnection(a: RecordDocument, b: RecordDocument, connection: Connection): void {
    const ended = { ...connection, until_position: this.position };
    this.puts.push(linkRow(a, linkEndOf(b.id), ended), linkRow(b, linkEndOf(a.id), ended));
  }

  /**
   * Adds two records' labels to each other's counts. Counting the other may change a record's own labels: a control that
   * counts an archived framework is archived too, so that framework no longer counts it as included. Therefore this repeats
   * until each has counted the newest labels of the other.
   *
   * It ends, because labels never follow from each other in a circle (see `exposedLabels`). The labels of one of the two
   * don't depend on the other, so they are the same in each round. The other has counted them after the first round, and
   * its labels stay as they are from then on.
   */
  private async countEachOther(a: string, b: string): Promise<void> {
    let countedAtA: readonly string[] = [];
    let countedAtB: readonly string[] = [];
    for (;;) {
      const labelsOfB = exposedLabelsOf((await this.record(b))!);
      const isCountedAtA = sameLabels(countedAtA, labelsOfB);
      if (!isCountedAtA) await this.updateRelatedCounts(a, countedAtA, labelsOfB);
      countedAtA = labelsOfB;
      const labelsOfA = exposedLabelsOf((await this.record(a))!);
      if (isCountedAtA && sameLabels(countedAtB, labelsOfA)) return;
      await this.updateRelatedCounts(b, countedAtB, labelsOfA);
      countedAtB = labelsOfA;
    }
  }

  /** Ends the connection of two records with this event. */
  async disconnect(a: string, b: string, relation: DirectedRelation | null = null): Promise<void> {
    const fromPosition = await this.connectedFrom(a, b);
    if (fromPosition === null) return;
    const [one, two] = [(await this.record(a))!, (await this.record(b))!];
    this.setNeighbour(a, b, null);
    this.setNeighbour(b, a, null);
    await this.updateRelatedCounts(a, exposedLabelsOf(two), []);
    await this.updateRelatedCounts(b, exposedLabelsOf(one), []);
    this.endConnection(one, two, { relation, from_position: fromPosition });
  }

  /** Makes a record's next version when only its neighbours changed. `revision` and `updated_at` stay as they are. */
  private async updateRelatedCounts(id: string, removed: readonly string[], added: readonly string[]): Promise<void> {
    const document = await this.record(id);
    const model = modelOfId(id);
    if (document === null || model === null) return;
    const [countedRemoved, countedAdded] = [
      removed.filter((label) => isCounted(model, label)),
      added.filter((label) => isCounted(model, label)),
    ];
    if (sameLabels(countedRemoved, countedAdded)) return;
    const relatedCounts = updateCounts(document.related_counts ?? {}, countedRemoved, countedAdded);
    const { related_counts: _counts, stale: _stale, ...rest } = document;
    const stale = document.parked || Object.keys(relatedCounts).some((label) => label.startsWith(STALE));
    await this.replaceRecord({
      ...rest,
      ...model.derive?.(stateOf(model, document), relatedCounts),
      from_position: this.position,
      ...(Object.keys(relatedCounts).length > 0 ? { related_counts: relatedCounts } : {}),
      ...(stale ? { stale: true as const } : {}),
    });
  }

  /** Counts a label that no neighbour exposes, such as a parked link's. */
  async addLabel(id: string, label: string): Promise<void> {
    await this.updateRelatedCounts(id, [], [label]);
  }

  private async neighboursOf(id: string): Promise<string[]> {
    const before = await this.batch.neighboursOf(id);
    const changes = this.neighbours.get(id);
    if (changes === undefined) return [...before.ids()];
    const addedIds = [...changes].flatMap(([other, fromPosition]) => (fromPosition === null ? [] : [other]));
    return [...[...before.ids()].filter((other) => !changes.has(other)), ...addedIds];
  }

  private async connectedFrom(id: string, other: string): Promise<number | null> {
    const change = this.neighbours.get(id)?.get(other);
    if (change !== undefined) return change;
    return (await this.batch.neighboursOf(id)).positionOf(other) ?? null;
  }

  private setNeighbour(id: string, other: string, fromPosition: number | null): void {
    const changes = this.neighbours.get(id) ?? new Map<string, number | null>();
    this.neighbours.set(id, changes.set(other, fromPosition));
  }
}

function relationWord(id: string, relation: DirectedRelation | null): RelationOfRecord | null {
  return relation && relationOfRecord(id, relation);
}

function linkEndOf(id: string): { id: string; type: string } {
  return { id, type: modelOfId(id)!.family.type };
}

function stateOf(model: ReadModel, document: RecordDocument): object {
  return model.stateOf?.(document) ?? document;
}

/** Returns the labels that a record's neighbours may count. */
function exposedLabelsOf(document: RecordDocument): readonly string[] {
  const model = modelOfId(document.id)!;
  const { type } = model.family;
  const stale = uncertainLabels(model, document);
  if (document.archived_at !== null) return [...stale, ...(model.exposedLabelsWhenArchived?.(document) ?? [])];
  return [type, ...stale, ...newestEvidenceLabels(document), ...(model.exposedLabels?.(document) ?? [])];
}

/**
 * Returns the label that marks a record as uncertain: `STALE:RISK` if everything about it is, `STALE:RISK:` if only its
 * other labels are. Empty if nothing is.
 */
function uncertainLabels(
  model: ReadModel,
  { parked, stale, related_counts: relatedCounts }: RecordDocument,
): readonly string[] {
  if (!stale) return [];
  const { type } = model.family;
  const uncertainty = parked ? 'LIVE' : model.uncertain?.(relatedCounts ?? {});
  if (!uncertainty) return [];
  return [uncertainty === 'LIVE' ? `${STALE}${type}` : `${STALE}${type}:`];
}

/**
 * Every family counts types, the validity of evidence, stale links, and stale neighbours it depends on. It counts other
 * labels only if its `countedLabels` lists them.
 */
function isCounted(model: ReadModel, label: string): boolean {
  const colon = label.indexOf(':');
  if (colon < 0 || label.startsWith(EVIDENCE_UNTIL)) return true;
  if (label.startsWith(STALE)) {
    const [type, finer] = label.slice(STALE.length).split(':') as [string, string?];
    return type === 'LINK' || dependsOnType(model, type, finer !== undefined);
  }
  return (
    model.countedLabels?.some((countedLabel) =>
      countedLabel.endsWith(':') ? label.startsWith(countedLabel) : label === countedLabel,
    ) ?? false
  );
}

function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((label, index) => label === b[index]);
}
