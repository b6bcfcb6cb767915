import * as assert from 'uvu/assert';
import { monotonicMs } from '../../../src/clock/monotonic.ts';
import { type CommandEnvelope, CommandHandler } from '../../../src/commands/engine/handler.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { commandDeadline } from '../../../src/commands/engine/retries.ts';
import { upcast } from '../../../src/commands/engine/stream-state.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { verifyChain } from '../../../src/trail/index.ts';
import { withClock } from '../../support/clock.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { readable } from '../../support/histories/readable.ts';
import { envelopeFor } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { handlerOn, logSuite } from '../../support/stores/log-suite.ts';
import { withOverrides } from '../../support/with-overrides.ts';

const STREAM = 'vendor-vnd_1';
const ADD: VendorCommand = { type: 'AddVendor', fields: { name: 'Unicloud' } };
const UPDATE: VendorCommand = { type: 'UpdateVendor', changes: { name: 'U' } };

type Append = EventStore['append'];

/** Returns a promise and the function that resolves it. */
function createDeferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Returns a store whose appends go through `append`, which gets the number of earlier ones. */
function appendingBy(store: EventStore, append: (count: number, ...args: Parameters<Append>) => ReturnType<Append>) {
  let count = 0;
  return withOverrides(store, { append: (...args) => append(count++, ...args) });
}

const outage = logSuite('store outages');

outage('an ambiguous append that was done is not repeated', async ({ store }) => {
  const flaky = appendingBy(store, async (count, ...args) => {
    const position = await store.append(...args);
    if (count < 3) throw new StoreUnavailable('no answer', true);
    return position;
  });
  const addResult = await handlerOn(flaky).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  const events = await store.readStream(STREAM);
  assert.is(events.length, 1);
  assert.equal([addResult.repeated, addResult.revision, addResult.storePosition], [false, 1, events[0]!.storePosition]);
});

outage('an ambiguous append that was not done is repeated', async ({ store }) => {
  const flaky = appendingBy(store, async (count, ...args) => {
    if (count < 3) throw new StoreUnavailable('no answer', true);
    return store.append(...args);
  });
  const addResult = await handlerOn(flaky).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  assert.equal([addResult.repeated, addResult.revision], [false, 1]);
  assert.is((await store.readStream(STREAM)).length, 1);
});

outage('a command without an answer for longer than the retries is decided again and done once', async ({ store }) => {
  for (const landed of [true, false]) {
    const stream = `vendor-${landed}`;
    await withClock(async (forward) => {
      const flaky = appendingBy(store, async (count, ...args) => {
        if (count > 0) return store.append(...args);
        if (landed) await store.append(...args);
        forward(4_000);
        throw new StoreUnavailable('no answer', true);
      });
      const addResult = await handlerOn(flaky).execute({ stream, decider: vendor }, ADD, envelopeFor({ input: ADD }));
      assert.equal([addResult.revision, addResult.event_types], [1, ['VendorAdded']]);
    });
    const events = await store.readStream(stream);
    assert.is(events.length, 1);
    assert.is(verifyChain(readable(events)), null);
  }
});

outage(
  'a command whose append was held up for more than 5 s is decided again, with the time of then',
  async ({ store }) => {
    await withClock(async (forward) => {
      const heldUp = appendingBy(store, async (count, ...args) => {
        if (count === 0) forward(5_001);
        return store.append(...args);
      });
      const startedAt = Date.now();
      const handler = new CommandHandler(heldUp, { now: () => new Date(Date.now()), maxAcceptanceDays: 366 });
      const { recorded_at, revision } = await handler.execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
      assert.is(revision, 1);
      assert.ok(Date.parse(recorded_at!) - startedAt > 5_000, `recorded at ${recorded_at}`);
    });
    assert.is((await store.readStream(STREAM)).length, 1);
  },
);

outage('a command by a simulated clock has no age', async ({ store }) => {
  await withClock(async (forward) => {
    const heldUp = appendingBy(store, async (_, ...args) => {
      forward(5_001);
      return store.append(...args);
    });
    const options = { now: () => new Date('2025-01-02T03:04:05.678Z'), maxAcceptanceDays: 1, simulated: true };
    await new CommandHandler(heldUp, options).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  });
  assert.is((await store.readStream(STREAM))[0]!.metadata.recorded_at, '2025-01-02T03:04:05.678Z');
});

outage('a step of the wall clock ends no command', async ({ store }) => {
  const realNow = Date.now;
  let append = 0;
  const stepping = appendingBy(store, async (_, ...args) => {
    Date.now = () => realNow() + 86_400_000;
    append += 1;
    if (append < 3) throw new StoreUnavailable('no answer', true);
    return store.append(...args);
  });
  try {
    await handlerOn(stepping).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  } finally {
    Date.now = realNow;
  }
  assert.is((await store.readStream(STREAM)).length, 1);
});

outage('a command decides again after another writer’s change', async ({ store }) => {
  const workingHandler = handlerOn(store);
  await workingHandler.execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  const flaky = appendingBy(store, async (count, ...args) => {
    if (count > 0) return store.append(...args);
    await workingHandler.execute(
      { stream: STREAM, decider: vendor },
      { ...UPDATE, changes: { country: 'EE' } },
      envelopeFor(),
    );
    throw new StoreUnavailable('no answer', true);
  });
  const updated = await handlerOn(flaky).execute({ stream: STREAM, decider: vendor }, UPDATE, envelopeFor());
  assert.equal([updated.revision, updated.state?.country, updated.state?.name], [3, 'EE', 'U']);
  assert.is(verifyChain(readable(await store.readStream(STREAM))), null);
});

outage('a call fails as unavailable if the store stays down', async ({ store }) => {
  await withClock(async (forward) => {
    const silent = appendingBy(store, async () => {
      forward(6_000);
      throw new StoreUnavailable('no answer', true);
    });
    await unavailable(handlerOn(silent).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor()));
  });
  const failing = appendingBy(store, async () => {
    throw new StoreUnavailable('down');
  });
  await unavailable(handlerOn(failing).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor()));
  const unreadable = withOverrides(store, { readStream: () => Promise.reject(new StoreUnavailable('down')) });
  await unavailable(handlerOn(unreadable).execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor()));
  assert.is((await store.readStream(STREAM)).length, 0);
});

outage('a call to a store that never answers fails at its deadline', async ({ store }) => {
  const silent = appendingBy(store, () => new Promise(() => undefined));
  const envelope = { ...envelopeFor(), deadline: monotonicMs() + 50 };
  await unavailable(handlerOn(silent).execute({ stream: STREAM, decider: vendor }, ADD, envelope));
  const mute = withOverrides(store, { readStream: () => new Promise(() => undefined) });
  const laterEnvelope = { ...envelopeFor(), deadline: monotonicMs() + 50 };
  await unavailable(handlerOn(mute).execute({ stream: STREAM, decider: vendor }, UPDATE, laterEnvelope));
});

outage('a command appends nothing after its deadline', async ({ store }) => {
  const appendBarrier = createDeferred();
  let loaded: Promise<unknown> = appendBarrier.promise;
  let appends = 0;
  const counting = appendingBy(store, (_, ...args) => {
    appends += 1;
    return store.append(...args);
  });
  const slow = withOverrides(counting, {
    readStream: (...args) => {
      const reading = appendBarrier.promise.then(() => store.readStream(...args));
      loaded = reading;
      return reading;
    },
  });
  const envelope = { ...envelopeFor(), deadline: monotonicMs() + 50 };
  await unavailable(handlerOn(slow).execute({ stream: STREAM, decider: vendor }, ADD, envelope));
  appendBarrier.resolve();
  await loaded;
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(appends, 0);
});

outage('a caller’s wait for its roles counts as part of its command’s time', () => {
  const remainingMs = commandDeadline({ waited_ms: 4_000 }) - monotonicMs();
  assert.ok(remainingMs > 1_000 && remainingMs <= 2_000, `${remainingMs} ms remain`);
});

outage('a call reads a store that is down only once', async ({ store }) => {
  let reads = 0;
  const failing = withOverrides(store, {
    readStream: async () => {
      reads += 1;
      throw new StoreUnavailable('down');
    },
  });
  const handler = handlerOn(failing);
  const checkReferences = async () => void (await handler.load({ stream: 'vendor-other', decider: vendor }));
  const envelope: CommandEnvelope = { ...envelopeFor(), isPresumedNew: true, checkReferences };
  await unavailable(handler.execute({ stream: STREAM, decider: vendor }, ADD, envelope));
  assert.is(reads, 1);
});

async function unavailable(promise: Promise<unknown>): Promise<void> {
  const error = await rejection(promise);
  assert.instance(error, Refusal);
  const { code, retryable, more } = error as Refusal;
  assert.equal([code, retryable, more.retry_after_seconds], ['unavailable', true, 2]);
}

outage('the same handler works again after an outage', async ({ store }) => {
  let isDown = true;
  const flaky = appendingBy(store, async (_count, ...args) => {
    if (isDown) throw new StoreUnavailable('down');
    return store.append(...args);
  });
  const handler = handlerOn(flaky);
  await unavailable(handler.execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor()));
  isDown = false;
  assert.is((await handler.execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor())).revision, 1);
});

outage.run();

const unknown = logSuite('events of other versions');

/** Checks that a command on an unreadable stream fails with an internal error, no refusal, and appends nothing. */
async function stopsAt(store: EventStore, length: number): Promise<void> {
  for (const command of [ADD, UPDATE]) {
    const error = await rejection(
      handlerOn(store).execute({ stream: STREAM, decider: vendor }, command, envelopeFor()),
    );
    assert.instance(error, Error);
    assert.not.instance(error, Refusal);
  }
  assert.is((await store.readStream(STREAM)).length, length);
}

unknown('a stream with an unknown first event type takes no commands', async ({ store }) => {
  await store.append(STREAM, makeEvents(STREAM, { type: 'VendorImagined', data: { name: 'U' } }), -1);
  await stopsAt(store, 1);
});

unknown('a stream with an unknown later event type takes no commands', async ({ store }) => {
  const handler = handlerOn(store);
  await handler.execute({ stream: STREAM, decider: vendor }, ADD, envelopeFor());
  const [after] = await store.readStream(STREAM);
  await store.append(STREAM, makeEvents(STREAM, { type: 'VendorImagined', after }), 0);
  const error = await rejection(handler.execute({ stream: STREAM, decider: vendor }, UPDATE, envelopeFor()));
  assert.match(String(error), 'VendorImagined is not known');
  await stopsAt(store, 2);
});

unknown('a stream whose first event builds on an earlier one takes no commands', async ({ store }) => {
  await store.append(STREAM, makeEvents(STREAM, { type: 'VendorSuspended', data: { reason: 'r' } }), -1);
  await stopsAt(store, 1);
});

unknown('a stream with data of a later schema version takes no commands', async ({ store }) => {
  const [event] = makeEvents(STREAM, { data: { name: 'U' }, schemaVersion: 3 });
  await store.append(STREAM, [event!], -1);
  await stopsAt(store, 1);
});

unknown('data of an older schema version is upcast', () => {
  const upcasters = {
    VendorAdded: [
      ({ title, ...data }: Record<string, unknown>) => ({ ...data, name: title }),
      (data: Record<string, unknown>) => ({ ...data, country: data.country ?? 'EE' }),
    ],
  };
  const read = (schemaVersion: number, data: Record<string, unknown>) =>
    upcast(makeEvents(STREAM, { schemaVersion, data })[0]!, upcasters);
  assert.equal(read(1, { title: 'U', note: 'n' }), { name: 'U', note: 'n', country: 'EE' });
  assert.equal(read(2, { name: 'U' }), { name: 'U', country: 'EE' });
  assert.equal(read(3, { name: 'U' }), { name: 'U' });
  assert.throws(() => read(4, { name: 'U' }), /schema version 4/);
});

unknown.run();
