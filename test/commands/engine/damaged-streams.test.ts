import * as assert from 'uvu/assert';
import { OperatorNeeded } from '../../../src/commands/engine/refusal.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { RevisionConflict, StoreRefused, StreamDamaged } from '../../../src/stores/errors.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { envelopeFor } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { handlerOn, logSuite } from '../../support/stores/log-suite.ts';
import { withOverrides } from '../../support/with-overrides.ts';

const STREAM = 'vendor-vnd_1';
const ADD: VendorCommand = { type: 'AddVendor', fields: { name: 'Unicloud' } };
const AGGREGATE = { stream: STREAM, decider: vendor };

const update = (name: string): VendorCommand => ({ type: 'UpdateVendor', changes: { name } });

const test = logSuite('streams that were changed outside the service');

/** Writes three events, then reads them as `change` leaves them. */
async function changedStream(store: EventStore, change: (events: StoredEvent[]) => StoredEvent[]) {
  const handler = handlerOn(store);
  await handler.execute(AGGREGATE, ADD, envelopeFor());
  await handler.execute(AGGREGATE, update('B'), envelopeFor());
  await handler.execute(AGGREGATE, update('C'), envelopeFor());
  const events = change(await store.readStream(STREAM));
  let appends = 0;
  const changed = withOverrides(store, {
    readStream: async (_stream, from = 0) => events.filter(({ revision }) => revision >= from),
    append: async (...args) => {
      appends += 1;
      return store.append(...args);
    },
  });
  return { handler: handlerOn(changed), appends: () => appends };
}

const DAMAGE: [string, (events: StoredEvent[]) => StoredEvent[], RegExp][] = [
  ['its beginning is cut off', (events) => events.slice(1), /revisions 0 to 0 are missing or are not veritrail's/],
  [
    'an event in it is not ours',
    (events) => events.filter((_, index) => index !== 1),
    /revisions 1 to 1 are missing or are not veritrail's/,
  ],
  [
    'an event in it was exchanged',
    ([a, b, c]) => [a!, { ...b!, metadata: { ...b!.metadata, previous_hash: 'ab'.repeat(32) } }, c!],
    /revision 1 doesn't follow the event before it/,
  ],
];

for (const [what, change, finding] of DAMAGE) {
  test(`a command is refused for good if ${what}, and writes nothing`, async ({ store }) => {
    const { handler, appends } = await changedStream(store, change);
    const refusal = await rejection(handler.execute(AGGREGATE, update('D'), envelopeFor()));
    assert.instance(refusal, OperatorNeeded);
    const { retryable, cause, message } = refusal as OperatorNeeded;
    assert.is(retryable, false);
    assert.match(message, finding);
    assert.not.match(message, STREAM);
    assert.instance(cause, StreamDamaged);
    assert.match((cause as Error).message, STREAM);
    assert.is(appends(), 0);
  });
}

test('a stream that ends before what the service has seen is damaged, at the first conflict', async ({ store }) => {
  let attempts = 0;
  const replaced = withOverrides(store, {
    append: async (...args) => {
      attempts += 1;
      if (attempts === 1) return store.append(...args);
      throw new RevisionConflict(STREAM, -1);
    },
  });
  const handler = handlerOn(replaced);
  await handler.execute(AGGREGATE, ADD, envelopeFor());
  const refusal = await rejection(handler.execute(AGGREGATE, update('B'), envelopeFor()));
  assert.instance((refusal as OperatorNeeded).cause, StreamDamaged);
  assert.is(attempts, 2);
});

test('an append that the store refuses for good is tried once, and its cause is reported', async ({ store }) => {
  let attempts = 0;
  const denying = withOverrides(store, {
    append: async () => {
      attempts += 1;
      throw new StoreRefused('The service has no right to write.', 'Give it the right.');
    },
  });
  const refusal = (await rejection(handlerOn(denying).execute(AGGREGATE, ADD, envelopeFor()))) as OperatorNeeded;
  assert.instance(refusal, OperatorNeeded);
  assert.equal([refusal.retryable, attempts], [false, 1]);
  assert.match(refusal.message, /^The service has no right to write\. Tell its operator\./);
});

test.run();
