import type { Position as AllPosition, RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata } from '../../trail/event.ts';
import type { StoredEvent, StorePosition } from '../event-store.ts';

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
 * `$all`, and those of other programs. Such an event inside one of veritrail's streams shows as a gap in its chain.
 */
export function toStoredEvent(recorded: RecordedEvent | undefined): StoredEvent | null {
  if (!recorded?.isJson || isSystem(recorded.type) || isSystem(recorded.streamId)) return null;
  if (!isTrailMetadata(recorded.metadata)) return null;
  return {
    id: recorded.id,
    stream: recorded.streamId,
    revision: Number(recorded.revision),
    type: recorded.type,
    data: recorded.data as Record<string, unknown>,
    metadata: recorded.metadata,
    storePosition: storePositionOf(recorded.position!),
  };
}

function isSystem(name: string): boolean {
  return name.startsWith('$');
}

function isTrailMetadata(metadata: unknown): metadata is EventMetadata {
  return typeof metadata === 'object' && metadata !== null && 'hash' in metadata && 'organization_id' in metadata;
}
