import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addOutOfOrder, IN_ORDER, outOfOrderText, RecordedOrder } from '../../src/trail/recorded-order.ts';
import {
  FIRST_KEY,
  linesOf,
  publicOf,
  SealedHistory,
  twoHundredEvents,
  verify,
} from '../support/trail/sealed-history.ts';

const test = suite('recorded order');

const NOW = new Date('2026-01-02T12:00:00.000Z');
const OPTIONS = { keys: [publicOf(FIRST_KEY)], now: NOW };

/** Returns the notices on a sealed history of three events, and others recorded at these times. */
function noticesFor(times: readonly string[]): string[] {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  history.append('vendor-1', 'Happened', {});
  history.seal(FIRST_KEY);
  for (const recorded_at of times) history.append('vendor-1', 'Happened', {}, { recorded_at });
  history.seal(FIRST_KEY);
  const verdict = verify(linesOf(history.events), OPTIONS);
  assert.is(verdict.valid, true, 'a notice is not a fault');
  return verdict.recorded_out_of_order.first.map(outOfOrderText);
}

test('an untouched history has no notice', () => {
  const verdict = verify(linesOf(twoHundredEvents().events), OPTIONS);
  assert.equal(verdict.recorded_out_of_order, IN_ORDER);
});

test('an event that somebody added with an earlier time gives a notice', () => {
  assert.equal(noticesFor(['2025-03-01T00:00:00.000Z']), [
    'position 4, recorded at 2025-03-01T00:00:00.000Z, after an event or seal of 2026-01-02T00:00:02.000Z',
  ]);
});

test('a run of events gives one notice, also if the clock was set back and goes on', () => {
  const times = Array.from({ length: 1000 }, (_, n) => new Date(Date.UTC(2025, 2, 1) + n * 1000).toISOString());
  assert.equal(noticesFor(times), [
    'positions 4 to 1003, recorded at 2025-03-01T00:00:00.000Z to 2025-03-01T00:16:39.000Z, ' +
      'after an event or seal of 2026-01-02T00:00:02.000Z',
  ]);
});

test('an event ahead of the clock gives a notice, and so does the time after it', () => {
  assert.equal(noticesFor(['2026-01-02T12:01:00.001Z', '2026-01-02T00:00:09.000Z']), [
    'position 4, recorded at 2026-01-02T12:01:00.001Z, ahead of the clock of the reader',
    // The seal at position 6 is among them.
    'positions 5 to 6, recorded at 2026-01-02T00:00:05.000Z to 2026-01-02T00:00:09.000Z, ' +
      'after an event or seal of 2026-01-02T12:01:00.001Z',
  ]);
});

test('60 s are allowed in each direction', () => {
  assert.equal(noticesFor(['2026-01-01T23:59:02.000Z']), []);
  assert.is(noticesFor(['2026-01-01T23:59:01.999Z']).length, 1);
  assert.equal(new RecordedOrder('', NOW).take(at('2026-01-02T12:01:00.000Z')), null);
});

test('the time of an earlier seal counts, also if the event with the seal has another time', () => {
  const order = new RecordedOrder();
  order.take(at('2026-01-02T00:00:00.000Z'));
  assert.is(
    order.take({ ...at('2026-01-02T00:00:00.000Z', 'LogSealed'), data: { sealed_at: '2026-01-02T00:05:00.000Z' } }),
    null,
  );
  assert.is(order.take(at('2026-01-02T00:03:59.999Z')), 'BEFORE');
  assert.is(order.take(at('2026-01-02T00:04:00.000Z')), null);
});

test('a time that is none is out of order and moves nothing', () => {
  for (const time of ['', '2026-02-30T00:00:00.000Z', '2026-01-02T24:00:00.000Z', '9999', 'zzzz']) {
    const order = new RecordedOrder('2026-01-02T00:00:00.000Z', NOW);
    assert.is(order.take(at(time)), 'BEFORE', time);
    assert.is(order.logTime, '2026-01-02T00:00:00.000Z', time);
  }
});

test('all notices are counted, the first 100 are listed', () => {
  let all = IN_ORDER;
  for (let n = 0; n < 300; n += 1)
    all = addOutOfOrder(all, 'BEFORE', 1 + n * 2, '2025-03-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
  all = addOutOfOrder(all, 'BEFORE', 600, '2024-03-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
  assert.equal([all.events, all.runs, all.first.length, all.first[99]!.from], [301, 300, 100, 199]);
  assert.equal([all.last?.from, all.last?.until, all.last?.earliest], [599, 600, '2024-03-01T00:00:00.000Z']);
});

const at = (recorded_at: string, type = 'Happened') => ({ type, data: {}, metadata: { recorded_at } });

test.run();
