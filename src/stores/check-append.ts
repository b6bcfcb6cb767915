import type { TrailEvent } from '../trail/event.ts';
import { isAuthentic } from '../trail/hash.ts';
import { nodeCrypto } from '../trail/node/node-crypto.ts';
import { TooLarge } from './errors.ts';
import { MAX_APPEND_BYTES } from './event-store.ts';

/** Bytes per event in addition to its type, data and metadata: id, stream, numbers, framing. Rounded up. */
const FRAMING_BYTES = 256;

/**
 * Checks a batch before it is sent, so that all event stores refuse the same batches.
 *
 * @throws TypeError if the batch is empty, a revision is out of order, or an event's stream, id or hash is wrong
 * @throws TooLarge if the batch is larger than MAX_APPEND_BYTES
 */
export function checkAppend(stream: string, events: readonly TrailEvent[], expectedRevision: number): void {
  if (events.length === 0) throw new TypeError(`nothing to append to ${stream}`);
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const context = `event ${index} for ${stream}`;
    if (event.stream !== stream) throw new TypeError(`${context} belongs to ${event.stream}`);
    if (event.revision !== expectedRevision + 1 + index)
      throw new TypeError(`${context} has revision ${event.revision}`);
    if (!isAuthentic(nodeCrypto, event))
      throw new TypeError(`${context} has an id or hash that doesn't fit its content`);
    bytes += storedBytes(event);
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new TooLarge(`${bytes} bytes for ${stream}; one append holds at most ${MAX_APPEND_BYTES}`);
  }
}

function storedBytes(event: TrailEvent): number {
  const text = JSON.stringify(event.data) + JSON.stringify(event.metadata);
  return Buffer.byteLength(text) + Buffer.byteLength(event.type) + FRAMING_BYTES;
}
