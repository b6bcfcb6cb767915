import type { EventMetadata } from '../../trail/event.ts';
import type { StoredEvent, StorePosition } from '../event-store.ts';
import type { Connection, SqlRow } from './connection.ts';

/**
 * The log's one table. `position` is SQLite's row id: events are never deleted and a rolled back insert takes no
 * number, so positions are 1, 2, 3, … without a gap.
 */
export const SCHEMA = `
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

const COLUMNS = 'position, stream, revision, id, type, data, metadata';

/**
 * Events read at a time: enough to make the call's own cost vanish, few enough not to hold others up, nor to outlive
 * the collector's first look at them.
 */
const PAGE = 500;
/** SQLite's word for no limit. */
const NO_LIMIT = -1;

export function readStreamRows(db: Connection, stream: string, from: number, limit = NO_LIMIT): StoredEvent[] {
  const sql = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`;
  return db.all(sql, [stream, from, limit]).map(toEvent);
}

/** The next page of the log after a position, up to and including another. */
export function readPage(db: Connection, after: number, upTo: number): StoredEvent[] {
  const sql = `SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE}`;
  return db.all(sql, [after, upTo]).map(toEvent);
}

/** Position of the newest event, 0 in an empty log. */
export function newestPosition(db: Connection): number {
  return (db.get('SELECT max(position) FROM events')?.[0] as number | null | undefined) ?? 0;
}

/** An event as its row holds it. */
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
