import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { approximateBytes, createByteCache } from '../../../src/commands/engine/byte-cache.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { vendor } from '../../../src/commands/vendor.ts';
import type { EventStore, StoredEvent, StorePosition } from '../../../src/stores/event-store.ts';
import { makeEvents } from '../../support/histories/events.ts';

const test = suite('caches bounded by bytes');

const MEBIBYTE = 1024 ** 2;

test('the estimate grows with texts, members and depth', () => {
  const short = approximateBytes({ name: 'Unicloud', tags: ['a', 'b'] });
  assert.ok(short > 100 && short < 500, `${short}`);
  assert.ok(approximateBytes({ name: 'x'.repeat(9_900), tags: ['a', 'b'] }) > 19_800);
  assert.ok(approximateBytes({ deep: [{ text: 'x'.repeat(1_000) }] }) > 2_000);
  assert.is(approximateBytes(null) + approximateBytes(7) + approximateBytes(undefined), 0);
});

test('12,000 values of 9,900 characters stay within the limit, newest kept', () => {
  const cache = createByteCache<{ text: string }>(32 * MEBIBYTE);
  const text = 'x'.repeat(9_900);
  for (let index = 0; index < 12_000; index++) cache.set(`risk-${index}`, { text });
  assert.ok(cache.calculatedSize <= 32 * MEBIBYTE);
  assert.ok(cache.size > 1_000 && cache.size < 2_000, `${cache.size} are kept`);
  assert.ok(cache.has('risk-11999') && !cache.has('risk-0'));
  cache.set('huge', { text: 'x'.repeat(17 * MEBIBYTE) });
  assert.not(cache.has('huge'), 'what alone exceeds the limit would drop everything else');
});

/** Counts the streams that a handler reads again after it has loaded 12,000 of them. */
async function streamsReadAgain(description: string): Promise<number> {
  let reads = 0;
  const [event] = makeEvents('vendor-x', { type: 'VendorAdded', data: { name: 'V', description } });
  const store = {
    readStream: async (stream: string): Promise<StoredEvent[]> => {
      reads += 1;
      return [{ ...event!, stream, storePosition: '1' as StorePosition }];
    },
  } as unknown as EventStore;
  const handler = new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 1 });
  const streams = Array.from({ length: 12_000 }, (_, index) => `vendor-${index}`);
  for (const stream of streams) await handler.load({ stream, decider: vendor });
  reads = 0;
  for (const stream of streams.reverse()) await handler.load({ stream, decider: vendor });
  return reads;
}

test('the handler keeps 12,000 short records, and of long ones as many as fit', async () => {
  assert.is(await streamsReadAgain('short'), 0);
  const reads = await streamsReadAgain('x'.repeat(9_900));
  assert.ok(reads > 8_000 && reads < 11_000, `${reads} of 12,000 were dropped`);
});

test.run();
