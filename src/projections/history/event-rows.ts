import { controlsOfPairs, readCrosswalk } from '../../commands/crosswalk.ts';
import { upcast } from '../../commands/engine/stream-state.ts';
import { EVIDENCE_LINKED, readLinkTransition } from '../../commands/link.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import { idsOfPairStream, isCrosswalkStream, isLinkStream, isPairStream } from '../models.ts';
import type { ReadModel, RecordDocument } from '../read-models/read-model.ts';
import {
  linkChangeRows,
  type PositionedEvent,
  parkedLinkChangeRows,
  recordChangeRows,
  undoRows,
} from './change-rows.ts';
import { crosswalkChangeRows } from './crosswalk-change-rows.ts';

/** Reads another record as it is at the event; null if there is none. */
type ReadRecord = (id: string) => Promise<RecordDocument | null>;

/** The record of an event's own stream. Pairs of records have none. */
export interface StreamRecord {
  model: ReadModel | null;
  before: RecordDocument | null;
  /** Null if the event is parked. */
  after: RecordDocument | null;
}

export const NO_RECORD: StreamRecord = { model: null, before: null, after: null };

/**
 * Returns all change rows of an event that is applied. The projection writes them, and a verification makes them again.
 * Null if this version can't apply the event, or if a record that it names doesn't exist.
 */
export async function appliedRows(
  positioned: PositionedEvent,
  readRecord: ReadRecord,
  record: StreamRecord,
): Promise<DocumentPut[] | null> {
  const rows = await listedRows(positioned, readRecord, record);
  rows?.push(...undoRows(positioned, rows));
  return rows;
}

/** Returns the rows that lists contain. */
async function listedRows(
  positioned: PositionedEvent,
  readRecord: ReadRecord,
  { model, before, after }: StreamRecord,
): Promise<DocumentPut[] | null> {
  const { event } = positioned;
  if (isLinkStream(event.stream)) {
    const transition = readLinkTransition(event);
    const [a, b] = idsOfPairStream(event.stream);
    const [from, to] = [await readRecord(a), await readRecord(b)];
    if (from === null || to === null || transition === null) return null;
    const { row, reverseRow } = linkChangeRows(positioned, from, to, transition);
    return [row, reverseRow];
  }
  if (isCrosswalkStream(event.stream)) {
    const data = readCrosswalk(event);
    const ids = data === null ? [] : [...data.framework_ids, ...controlsOfPairs(data.pairs)];
    const records = await readAll(ids, readRecord);
    return data === null || records === null ? null : crosswalkChangeRows(positioned, data, records);
  }
  if (model === null || after === null) return null;
  const rows = recordChangeRows(positioned, model, before, after);
  if (model.linkedIds === undefined) return rows;
  const linked = await readAll(model.linkedIds(event.type, upcast(event)), readRecord);
  if (linked === null) return null;
  for (const record of linked.values()) rows.push(linkChangeRows(positioned, record, after, EVIDENCE_LINKED).row);
  return rows;
}

/** Returns all change rows of an event that is parked. */
export async function parkedRows(
  positioned: PositionedEvent,
  readRecord: ReadRecord,
  { model, before }: Pick<StreamRecord, 'model' | 'before'>,
): Promise<DocumentPut[]> {
  const { stream } = positioned.event;
  if (!isPairStream(stream)) return recordChangeRows(positioned, model, before, null);
  const ids = idsOfPairStream(stream);
  return parkedLinkChangeRows(positioned, ids, [await readRecord(ids[0]), await readRecord(ids[1])]);
}

/** Reads records one after the other; null if one doesn't exist. */
async function readAll(ids: readonly string[], readRecord: ReadRecord): Promise<Map<string, RecordDocument> | null> {
  const records = new Map<string, RecordDocument>();
  for (const id of ids) {
    const record = await readRecord(id);
    if (record === null) return null;
    records.set(id, record);
  }
  return records;
}
