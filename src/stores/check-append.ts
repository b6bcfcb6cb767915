import { monotonicMs } from '../clock/monotonic.ts';
import type { TrailEvent } from '../trail/event.ts';
import { type EventTexts, eventTexts, isAuthentic } from '../trail/hash.ts';
import { nodeCrypto } from '../trail/node/node-crypto.ts';
import { DecisionExpired, TooLarge } from './errors.ts';
import {
  type AppendCondition,
  MAX_APPEND_BYTES,
  MAX_CONDITION_AGE_MS,
  MAX_DECISION_AGE_MS,
  type StreamBatch,
} from './event-store.ts';

/** Bytes per event in addition to its type, data and metadata: id, stream, numbers, framing. Rounded up. */
const FRAMING_BYTES = 256;

/**
 * Checks a batch before it is sent, so that all event stores refuse the same batches. Returns the events' canonical texts,
 * so that a store needn't write them again.
 *
 * @throws TypeError if the batch is empty, a revision is out of order, or an event's stream, id or hash is wrong
 * @throws TooLarge if the batch is larger than MAX_APPEND_BYTES
 */
export function checkAppend(stream: string, events: readonly TrailEvent[], expectedRevision: number): EventTexts[] {
  if (events.length === 0) throw new TypeError(`nothing to append to ${stream}`);
  const allTexts: EventTexts[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const context = `event ${index} for ${stream}`;
    if (event.stream !== stream) throw new TypeError(`${context} belongs to ${event.stream}`);
    if (event.revision !== expectedRevision + 1 + index)
      throw new TypeError(`${context} has revision ${event.revision}`);
    const texts = textsOf(event);
    if (texts === null || !isAuthentic(nodeCrypto, event, texts))
      throw new TypeError(`${context} has an id or hash that doesn't fit its content`);
    bytes += storedBytes(event, texts);
    allTexts.push(texts);
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new TooLarge(`${bytes} bytes for ${stream}; one append holds at most ${MAX_APPEND_BYTES}`);
  }
  return allTexts;
}

/** Checks the age of a decision and the end of its condition. @throws DecisionExpired if it may not be written any more */
export function checkDecisionAge({
  stream,
  decidedAt,
  condition,
}: Pick<StreamBatch, 'stream' | 'decidedAt' | 'condition'>): void {
  if (condition !== undefined && monotonicMs() > condition.until)
    throw new DecisionExpired(`the access behind the events for ${stream} has ended`);
  if (decidedAt === undefined) return;
  const age = monotonicMs() - decidedAt;
  if (age > MAX_DECISION_AGE_MS)
    throw new DecisionExpired(`the events for ${stream} were decided ${Math.round(age)} ms ago`);
}

/** Checks the age of a condition that can't be read in the append's transaction. @throws DecisionExpired if it is too old */
export function checkConditionAge(condition: AppendCondition | undefined): void {
  if (condition === undefined) return;
  const age = monotonicMs() - condition.readAt;
  if (age > MAX_CONDITION_AGE_MS) throw new DecisionExpired(`${condition.stream} was read ${Math.round(age)} ms ago`);
}

/** Returns an event's canonical texts; null if it has none, and so can't have been hashed. */
function textsOf(event: TrailEvent): EventTexts | null {
  try {
    return eventTexts(event);
  } catch {
    return null;
  }
}

function storedBytes({ type }: TrailEvent, { data, metadata }: EventTexts): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata) + Buffer.byteLength(type) + FRAMING_BYTES;
}
