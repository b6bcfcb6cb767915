import type { TrailEvent } from '../../../src/trail/event.ts';
import { eventHash, eventId, saltedHash } from '../../../src/trail/index.ts';
import { type LogSealed, makeSeal, sealStream } from '../../../src/trail/seals/seal-events.ts';
import { ORGANIZATION, rootOf, SealedHistory, testKey } from './sealed-history.ts';

/**
 * Manipulates the log at one place, as an insider with write access but without the key can. Returns the altered events.
 * The function's name says which hashes and ids are computed again.
 */
export type Insider = (events: readonly TrailEvent[], index: number) => TrailEvent[];

const SEALS = sealStream(ORGANIZATION);

const replaceEvent = (events: readonly TrailEvent[], index: number, event: TrailEvent) => events.with(index, event);

const clone = (event: TrailEvent): TrailEvent => structuredClone(event);

/** Recomputes an event's own hashes and id. */
export function rehash(event: TrailEvent): TrailEvent {
  event.metadata.data_hash = saltedHash(event.metadata.salt, event.data);
  event.metadata.hash = eventHash(event);
  event.id = eventId(event.metadata.hash);
  return event;
}

/** Returns the event with one of its data altered; the type of the value stays. */
function edited(event: TrailEvent): TrailEvent {
  const copy = clone(event);
  const [name] = Object.keys(copy.data) as [string];
  const value = copy.data[name];
  copy.data[name] = typeof value === 'number' ? value + 1 : `${String(value)}x`;
  return copy;
}

/** Chains a stream's later events to this one again. */
function rechain(events: readonly TrailEvent[], index: number): TrailEvent[] {
  const all = [...events];
  let last = all[index]!;
  for (let later = index + 1; later < all.length; later += 1) {
    if (all[later]!.stream !== last.stream) continue;
    const next = clone(all[later]!);
    next.revision = last.revision + 1;
    next.metadata.previous_hash = last.metadata.hash;
    last = rehash(next);
    all[later] = last;
  }
  return all;
}

export const editData: Insider = (events, index) => replaceEvent(events, index, edited(events[index]!));

export const editTime: Insider = (events, index) => {
  const event = clone(events[index]!);
  event.metadata.recorded_at = '2025-12-31T23:59:59.999Z';
  return replaceEvent(events, index, event);
};

export const editActor: Insider = (events, index) => {
  const event = clone(events[index]!);
  event.metadata.actor_id = 'acc_2';
  return replaceEvent(events, index, event);
};

export const editType: Insider = (events, index) => {
  const event = clone(events[index]!);
  event.type = 'SomethingElseHappened';
  return replaceEvent(events, index, event);
};

export const editAndRehash: Insider = (events, index) => replaceEvent(events, index, rehash(edited(events[index]!)));

export const editAndRechain: Insider = (events, index) => rechain(editAndRehash(events, index), index);

export const editTimeAndRechain: Insider = (events, index) => {
  const [event] = editTime(events, index).slice(index) as [TrailEvent];
  return rechain(replaceEvent(events, index, rehash(event)), index);
};

export const drop: Insider = (events, index) => events.toSpliced(index, 1);

/** Drops an event and chains the later ones of its stream to the one before. */
export const dropAndRechain: Insider = (events, index) => {
  const { stream, metadata, revision } = events[index]!;
  const before = events.findLastIndex((event, position) => position < index && event.stream === stream);
  const remaining = drop(events, index);
  if (before >= 0) return rechain(remaining, before);
  const next = remaining.findIndex((event) => event.stream === stream);
  if (next < 0) return remaining;
  const first = clone(remaining[next]!);
  Object.assign(first.metadata, { previous_hash: metadata.previous_hash });
  first.revision = revision;
  return rechain(replaceEvent(remaining, next, rehash(first)), next);
};

export const dropTail: Insider = (events, index) => {
  const { stream } = events[index]!;
  return events.filter((event, position) => position < index || event.stream !== stream);
};

export const dropStream: Insider = (events, index) => events.filter(({ stream }) => stream !== events[index]!.stream);

export const swap: Insider = (events, index) => {
  const neighbour = index + 1 < events.length ? index + 1 : index - 1;
  return events.with(index, events[neighbour]!).with(neighbour, events[index]!);
};

/** Inserts a forged event as a new stream with a right chain. */
export const insert: Insider = (events, index) => {
  const otherHistory = new SealedHistory();
  return events.toSpliced(index, 0, otherHistory.append('risk-forged', 'SomethingHappened', { forged: true }));
};

/** Inserts one more event into a stream, and chains the later ones to it. */
export const insertAndRechain: Insider = (events, index) => {
  const event = clone(events[index]!);
  event.revision += 1;
  event.metadata.previous_hash = event.metadata.hash;
  return rechain(events.toSpliced(index + 1, 0, rehash(edited(event))), index + 1);
};

export const duplicate: Insider = (events, index) => events.toSpliced(index, 0, events[index]!);

/** Replaces the next seal with one over the altered log, signed by another key, and chains the rest to it. */
export const reseal: Insider = (events, index) => {
  const sealIndex = events.findIndex((event, position) => position >= index && event.type === 'LogSealed');
  if (sealIndex < 0) return [...events];
  const event = clone(events[sealIndex]!);
  event.data = { ...forgedSeal(event.data as unknown as LogSealed, events), key_id: event.data.key_id };
  return rechain(replaceEvent(events, sealIndex, rehash(event)), sealIndex);
};

function forgedSeal({ size, sealed_at, previous_seal }: LogSealed, events: readonly TrailEvent[]): object {
  const head = { size, root: rootOf(events.slice(0, size)), sealed_at, previous_seal };
  return makeSeal(ORGANIZATION, head, testKey(66)).data;
}

/** Edits one event and makes all seals again with another key, from its introduction on. */
export const resealAll: Insider = (events, index) => {
  const otherKey = testKey(66);
  const history = new SealedHistory();
  for (const [position, event] of events.entries()) {
    if (event.stream !== SEALS) {
      const { data } = position === index ? edited(event) : event;
      history.append(event.stream, event.type, data);
    } else if (event.type === 'SealKeyIntroduced') history.introduce(otherKey);
    else if (event.type === 'LogSealed') history.seal(otherKey, position - Number(event.data.size));
    else history.append(event.stream, 'SomethingOfALaterVersion', {});
  }
  return history.events;
};
