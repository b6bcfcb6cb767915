import type { CollectionSpec, DocumentPut } from '../../stores/read-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import type { FieldChange } from '../history/change-document.ts';
import { OPEN_END } from '../relations/related-counts.ts';
import { type ReadModel, type RecordDocument, withoutFields } from './read-model.ts';

/**
 * The entries of records' maps, such as members and tokens of an organization: a row for each value that an entry had,
 * with the positions between which it had it. So an event writes the entries that it changes, instead of whole maps.
 */
export const MAP_ENTRIES: CollectionSpec = {
  name: 'map_entries',
  members: ['record_id', 'field', 'key', 'value', 'from_position', 'until_position'],
  keys: { record_id: 'text', field: 'text', from_position: 'number', until_position: 'number' },
  indexes: [{ keys: ['record_id', 'field', 'until_position'], covers: ['from_position'], lookup: true }],
  searchable: false,
};

/** A value that an entry of a record's map had, from one position until another. */
export interface MapEntryRow {
  record_id: string;
  field: string;
  key: string;
  value: unknown;
  from_position: number;
  until_position: number;
}

/**
 * Returns the id of an entry's newest row. An earlier row has its `from_position` at the end of its id.
 * @param path the map's field, a full stop, and the entry's key, as in changes
 */
export function entryRowId(recordId: string, path: string): string {
  return `${recordId}^${path}`;
}

/** Returns the key of the entry that an event names in the model's large map; null if it names none. */
export function keyInLargeMap({ largeMap }: ReadModel, data: Record<string, unknown>): string | null {
  const key = largeMap && data[largeMap.keyIn];
  return typeof key === 'string' ? key : null;
}

/** Returns a record whose large map has only this entry, as if it had no others. Events change one entry at most. */
export function withOneEntry<T extends object>(
  { largeMap }: ReadModel,
  record: T,
  key: string | null,
  value: unknown,
): T {
  if (largeMap === undefined) return record;
  return { ...record, [largeMap.field]: key === null || value === undefined ? {} : { [key]: value } };
}

/** Returns a record without its large map, as it is stored. */
export function withoutLargeMap({ largeMap }: ReadModel, document: RecordDocument): RecordDocument {
  return largeMap === undefined ? document : withoutFields(document, [largeMap.field]);
}

/** The entries of a record's large map while its events are replayed: before each, the record has only the one it names. */
export class ReplayedEntries {
  private readonly entries = new Map<string, unknown>();

  constructor(private readonly model: ReadModel | null) {}

  /** Returns a record or state with the entry that the next event names. */
  select<T extends object>(record: T | null, { data }: Pick<TrailEvent, 'data'>): T | null {
    if (record === null || this.model === null) return record;
    const key = keyInLargeMap(this.model, data);
    return withOneEntry(this.model, record, key, key === null ? undefined : this.entries.get(key));
  }

  /** Keeps the value of that entry after the event. */
  keep(state: object | null, { data }: Pick<TrailEvent, 'data'>): void {
    const key = this.model && keyInLargeMap(this.model, data);
    if (key === null) return;
    const map = (state as Record<string, Record<string, unknown>>)[this.model!.largeMap!.field]!;
    this.entries.set(key, map[key]);
  }
}

/** Returns an entry's value by its newest row; undefined if the map doesn't have the entry. */
export function currentValue(newestRow: object | null): unknown {
  const { value, until_position } = (newestRow ?? {}) as Partial<MapEntryRow>;
  return until_position === OPEN_END ? value : undefined;
}

/** Returns the writes for a changed entry of a map: its new row, and the end of the row before, which gets its own id. */
export function entryPuts(
  record: RecordDocument,
  { field: path, to }: FieldChange,
  newestRow: object | null,
  position: number,
): DocumentPut[] {
  const dot = path.indexOf('.');
  const [field, key] = [path.slice(0, dot), path.slice(dot + 1)];
  const id = entryRowId(record.id, path);
  const before = newestRow as MapEntryRow | null;
  const ended = before && { ...before, until_position: Math.min(before.until_position, position) };
  if (to === null) return ended === null ? [] : [rowPut(record, id, ended)];
  const row = { record_id: record.id, field, key, value: to, from_position: position, until_position: OPEN_END };
  const newPut = rowPut(record, id, row);
  return ended === null ? [newPut] : [rowPut(record, `${id}@${ended.from_position}`, ended), newPut];
}

function rowPut({ organization_id }: RecordDocument, id: string, row: MapEntryRow): DocumentPut {
  const { record_id, field, from_position, until_position } = row;
  const keys = { record_id, field, from_position, until_position };
  return { collection: MAP_ENTRIES.name, document: { id, organization_id, keys, doc: row } };
}
