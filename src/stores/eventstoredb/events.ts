import type { Position as AllPosition, RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata } from '../../trail/event.ts';
import type { RowBytes, StoredEvent, StorePosition, UncheckedRow } from '../event-store.ts';
import { rowFault, unreadableRow } from '../unreadable-row.ts';

/** Returns a position in `$all` as text. Both halves may exceed 2^53. */
export function storePositionOf({ commit, prepare }: Record<keyof AllPosition, bigint | string>): StorePosition {
  return `${commit}/${prepare}` as StorePosition;
}

/** The end of an empty `$all`. */
export const BEGINNING = storePositionOf({ commit: 0n, prepare: 0n });

export function toAllPosition(storePosition: StorePosition): AllPosition {
  const [commit, prepare] = storePosition.split('/');
  if (!commit || !prepare) throw new TypeError(`${storePosition} is not a position of EventStoreDB`);
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

export function compareStorePositions(a: StorePosition, b: StorePosition): number {
  const left = toAllPosition(a);
  const right = toAllPosition(b);
  return compareBigInts(left.commit, right.commit) || compareBigInts(left.prepare, right.prepare);
}

function compareBigInts(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Returns the port's event, or null for events that veritrail didn't write: the server's own events, which fill
 * `$all`, and those of other programs. An event in one of veritrail's streams that isn't JSON is an unreadable row. One
 * that is, but isn't veritrail's, shows as a gap in its stream's chain.
 */
export function toStoredEvent(recorded: RecordedEvent | undefined): StoredEvent | null {
  if (recorded === undefined || isSystem(recorded.type) || isSystem(recorded.streamId)) return null;
  const { id, streamId: stream, type, data, metadata } = recorded;
  const isOurs = recorded.isJson && isTrailMetadata(metadata);
  if (!isOurs && (isForeignJson(recorded) || !OUR_STREAM.test(stream))) return null;
  const head = {
    id,
    stream,
    revision: Number(recorded.revision),
    type,
    storePosition: storePositionOf(recorded.position!),
  };
  const fault = isOurs ? rowFault(data, metadata) : 'it is not JSON';
  if (fault !== null) return unreadableRow(head, readBytes(recorded), fault);
  return { ...head, data: data as Record<string, unknown>, metadata: metadata as unknown as EventMetadata };
}

/** Names of streams begin with a word, and name one or two records. */
const OUR_STREAM = /^[a-z]+(-[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26,29}){1,2}$/;

/** Returns true for JSON that another program wrote. The client leaves data and metadata that aren't JSON as they are. */
function isForeignJson({ isJson, data, metadata }: RecordedEvent): boolean {
  return isJson && typeof data !== 'string' && !(metadata instanceof Uint8Array);
}

/**
 * Stands before the metadata of a row that was restored as it was. So the client, which reads metadata as JSON if it is,
 * leaves its bytes as they are.
 */
const ROW_MARK = new TextEncoder().encode('veritrail row\n');

/** Returns a row as the server stores it: as JSON if it can be read, although its hashes don't fit it. */
export function storedRow({ bytes }: UncheckedRow): RowBytes & { isJson: boolean } {
  const isJson = rowFault(parse(bytes.data), parse(bytes.metadata)) === null;
  return { data: bytes.data, metadata: isJson ? bytes.metadata : Buffer.concat([ROW_MARK, bytes.metadata]), isJson };
}

/** Returns the value of a JSON text; undefined if it isn't JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

function readBytes({ data, metadata }: RecordedEvent): RowBytes {
  const stored = toBytes(metadata);
  const isMarked = stored.subarray(0, ROW_MARK.length).equals(ROW_MARK);
  return { data: toBytes(data), metadata: isMarked ? stored.subarray(ROW_MARK.length) : stored };
}

/** Returns the bytes of what the client returned: bytes, a text that isn't JSON, or a value that is. */
function toBytes(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function isSystem(name: string): boolean {
  return name.startsWith('$');
}

function isTrailMetadata(metadata: unknown): metadata is EventMetadata {
  return typeof metadata === 'object' && metadata !== null && 'hash' in metadata && 'organization_id' in metadata;
}
