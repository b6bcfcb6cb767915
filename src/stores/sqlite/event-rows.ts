import { isUtf8 } from 'node:buffer';
import type { EventMetadata, TrailEvent } from '../../trail/event.ts';
import type { EventTexts } from '../../trail/hash.ts';
import type { StoredEvent, StorePosition, UncheckedRow } from '../event-store.ts';
import { rowFault, unreadableRow } from '../unreadable-row.ts';
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

const SEPARATOR = '\n';
const TEXT_COLUMNS = ['stream', 'id', 'type', 'data', 'metadata'];

/**
 * The columns that `toEvent` needs. All texts are read as one value of bytes: the client ends the process at text that isn't UTF-8,
 * and several values of bytes take twice as long. JSON and names have no line breaks.
 */
export const EVENT_COLUMNS = `position, revision, CAST(${TEXT_COLUMNS.join(' || char(10) || ')} AS BLOB)`;

/**
 * Events per read: enough to make the cost of the call small, and few enough not to delay others or to survive the
 * garbage collector's first pass.
 */
const EVENTS_PER_READ = 500;

/** Returns the next page of the log after a store position, up to and including `last`. */
export function readEvents(db: SqliteConnection, after: number, last: number): StoredEvent[] {
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${EVENTS_PER_READ}`;
  return db.all(sql, [after, last]).map((row) => toEvent(db, row));
}

/** Returns the store position of the newest event, 0 in an empty log. */
export function newestPosition(db: SqliteConnection): number {
  return (db.get('SELECT max(position) FROM events')?.[0] as number | null | undefined) ?? 0;
}

/** Returns the event of a row of EVENT_COLUMNS. */
export function toEvent(db: SqliteConnection, [position, revision, bytes]: SqlRow): StoredEvent {
  const texts = isUtf8(bytes as Uint8Array) ? String(bytes).split(SEPARATOR) : [];
  const event = texts.length === TEXT_COLUMNS.length ? parseEvent(position as number, revision as number, texts) : null;
  return event === null || typeof event === 'string' ? toDamagedEvent(db, position as number) : event;
}

/** Returns the event of a row, or says why it can't be read. @param texts those of TEXT_COLUMNS */
function parseEvent(position: number, revision: number, texts: readonly string[]): StoredEvent | string {
  const [stream, id, type, data, metadata] = texts as [string, string, string, string, string];
  const parsed = { data: parse(data), metadata: parse(metadata) };
  const fault = rowFault(parsed.data, parsed.metadata);
  if (fault !== null) return fault;
  return {
    id,
    stream,
    revision,
    type,
    data: parsed.data as Record<string, unknown>,
    metadata: parsed.metadata as EventMetadata,
    storePosition: storePositionOfRow(position),
    texts: { data, metadata },
  };
}

/** Returns the value of a JSON text; undefined if it isn't JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a row whose text is unusual column by column. Returns its event all the same if it can be read. */
function toDamagedEvent(db: SqliteConnection, position: number): StoredEvent {
  const columns = TEXT_COLUMNS.map((column) => `hex(${column})`).join(', ');
  const [revision, ...hexes] = db.get(`SELECT revision, ${columns} FROM events WHERE position = ?`, [position])!;
  const parts = hexes.map((hex) => Buffer.from(String(hex), 'hex'));
  const texts = parts.map(String);
  const event = parts.every((part) => isUtf8(part))
    ? parseEvent(position, revision as number, texts)
    : 'it is not UTF-8';
  if (typeof event !== 'string') return event;
  const [stream, id, type] = texts as [string, string, string];
  const [, , , data, metadata] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer];
  const head = { id, stream, revision: revision as number, type, storePosition: storePositionOfRow(position) };
  return unreadableRow(head, { data, metadata }, event);
}

export function storePositionOfRow(position: number): StorePosition {
  return String(position) as StorePosition;
}

/** Returns the parameters of INSERT_EVENT for an event. Its texts are canonical, so that an export can copy them. */
export function toEventRow({ stream, revision, id, type }: TrailEvent, { data, metadata }: EventTexts): SqlRow {
  return [stream, revision, id, type, data, metadata];
}

/** Returns the parameters of INSERT_EVENT for a row that is appended as it is. */
export function toUncheckedRow({ stream, revision, id, type, bytes }: UncheckedRow): SqlRow {
  return [stream, revision, id, type, bytes.data, bytes.metadata];
}

export const INSERT_EVENT =
  'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT))';
