import type { EventMetadata, TrailEvent } from '../../trail/event.ts';
import type { EventTexts } from '../../trail/hash.ts';
import type { StoredEvent, StorePosition } from '../event-store.ts';
import type { SqliteConnection, SqlRow } from './connection.ts';

/**
 * The log's only table. Its `position` is the store position: SQLite's row id. Events are never deleted and an undone
 * insert uses no number, so these are 1, 2, 3, … without a gap.
 */
export const EVENTS_TABLE = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  )`;

export const EVENT_COLUMNS = 'position, stream, revision, id, type, data, metadata';

/**
 * Events per read: enough to make the cost of the call small, and few enough not to delay others or to survive the
 * garbage collector's first pass.
 */
const EVENTS_PER_READ = 500;

/** Returns the next page of the log after a store position, up to and including `last`. */
export function readEvents(db: SqliteConnection, after: number, last: number): StoredEvent[] {
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${EVENTS_PER_READ}`;
  return db.all(sql, [after, last]).map(toEvent);
}

/** Returns the store position of the newest event, 0 in an empty log. */
export function newestPosition(db: SqliteConnection): number {
  return (db.get('SELECT max(position) FROM events')?.[0] as number | null | undefined) ?? 0;
}

/** Returns the event of a row. */
export function toEvent(row: SqlRow): StoredEvent {
  const [position, stream, revision, id, type, data, metadata] = row as [number, string, number, ...string[]];
  return {
    id: id!,
    stream,
    revision,
    type: type!,
    data: JSON.parse(data!) as Record<string, unknown>,
    metadata: JSON.parse(metadata!) as EventMetadata,
    storePosition: storePositionOfRow(position),
    texts: { data: data!, metadata: metadata! },
  };
}

export function storePositionOfRow(position: number): StorePosition {
  return String(position) as StorePosition;
}

/** Returns the row of an event, without its store position. Its texts are canonical, so that an export can copy them. */
export function toEventRow({ stream, revision, id, type }: TrailEvent, { data, metadata }: EventTexts): SqlRow {
  return [stream, revision, id, type, data, metadata];
}
