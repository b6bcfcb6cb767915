/** The turns that accounts take in the event loop: requests of others are counted, not timed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EventLoopQueue } from '../../src/clock/event-loop-queue.ts';

const test = suite('turns in the event loop');

/** Begins requests, each of which takes so many milliseconds of the clock. Records the order in which they begin. */
class Requests {
  readonly begun: string[] = [];
  private nowMs = 0;
  private readonly turns = new EventLoopQueue(() => this.nowMs);

  async add(account: string, ms: number): Promise<void> {
    await this.turns.wait(account);
    this.begun.push(account);
    this.nowMs += ms;
  }

  /** Adds requests that arrive in one turn of the loop. */
  async addAll(account: string, count: number, ms: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      void this.add(account, ms);
      await Promise.resolve();
      await Promise.resolve();
    }
  }
}

/** Waits for the next turn of the loop. Immediates that exist already run before it. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    if (condition()) return;
    await nextTurn();
  }
  throw new Error('the requests did not begin');
}

test('a request waits for a few of an account that has hundreds, and not for the rest', async () => {
  const requests = new Requests();
  await requests.addAll('greedy', 300, 0.6);
  await requests.add('other', 0.1);
  const before = requests.begun.indexOf('other');
  assert.ok(before <= 4, `${before} began before it`);
  await until(() => requests.begun.length === 301);
});

test('an account’s requests of two milliseconds begin in one turn, the next ones in a turn each', async () => {
  const requests = new Requests();
  await requests.addAll('a', 4, 1);
  assert.is(requests.begun.length, 2);
  await nextTurn();
  assert.is(requests.begun.length, 3);
  await nextTurn();
  assert.is(requests.begun.length, 4);
});

test('many that begin before any has used its time are ten in one turn', async () => {
  const turns = new EventLoopQueue(() => 0);
  const begun: number[] = [];
  const all = Array.from({ length: 30 }, async (_, index) => {
    await turns.wait('a');
    begun.push(index);
  });
  await nextTurn();
  assert.ok(begun.length <= 11, String(begun.length));
  await Promise.all(all);
  assert.equal(
    begun,
    Array.from({ length: 30 }, (_, index) => index),
  );
});

test('requests of an account begin in the order in which they came, and after a pause at once again', async () => {
  let nowMs = 0;
  const turns = new EventLoopQueue(() => nowMs);
  const begun: number[] = [];
  turns.wait('a');
  nowMs = 5;
  for (let index = 0; index < 5; index++) void turns.wait('a')!.then(() => begun.push(index));
  await until(() => begun.length === 5);
  assert.equal(begun, [0, 1, 2, 3, 4]);
  await nextTurn();
  assert.is(turns.wait('a'), undefined);
});

test.run();
