/** The turns that calls on many records take in the event loop: the items of others are counted, not timed. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/tools/bulk-write.ts';
import { callerAs } from '../support/register.ts';

const test = suite('work on many items');

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

/** Works for a millisecond, as a row of an import does on an embedded store: without a pause. */
function workFor(done: number[]): (item: number) => Promise<number> {
  return async (item) => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    done.push(item);
    return item;
  };
}

test('leaves a pause after some of an account’s items, however many calls it makes', async () => {
  const done: number[] = [];
  const caller = callerAs('EDITOR');
  const calls = Array.from({ length: 3 }, () => mapConcurrently(ITEMS, workFor(done), { caller }));
  await nextTurn();
  assert.ok(done.length <= 12, `${done.length} items in the first turn of the loop`);
  await nextTurn();
  assert.ok(done.length <= 14, `${done.length} items in two turns`);
  for (const results of await Promise.all(calls)) assert.equal(results, ITEMS);
});

test('starts no further item after an abort, also of those that wait for their turn', async () => {
  const done: number[] = [];
  const controller = new AbortController();
  const gone = new Error('gone');
  const work = mapConcurrently(ITEMS, workFor(done), { caller: callerAs('EDITOR'), signal: controller.signal });
  await nextTurn();
  controller.abort(gone);
  const outcome = await work.catch((error: unknown) => error);
  assert.is(outcome, gone);
  assert.ok(done.length <= 14, String(done.length));
});

test.run();
