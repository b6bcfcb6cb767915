import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { FairQueue, type FairQueueLimits, type TaskOwner } from '../../src/identity/fair-queue.ts';
import { rejection } from '../support/run/take.ts';

const test = suite('fair queue');

/** Runs tasks that end when they are told to, and records the order in which they begin. */
class Tasks {
  private readonly begun: string[] = [];
  now = 0;
  readonly queue: FairQueue;
  private readonly ends = new Map<string, () => void>();

  constructor(limits: FairQueueLimits) {
    this.queue = new FairQueue(limits, () => this.now);
  }

  add(owner: TaskOwner, name: string, options?: Parameters<FairQueue['run']>[2]): Promise<string> {
    const task = () => {
      this.begun.push(name);
      return new Promise<string>((resolve) => this.ends.set(name, () => resolve(name)));
    };
    return this.queue.run(owner, task, options);
  }

  /** Returns the names of the tasks that have begun. */
  async begunNow(): Promise<readonly string[]> {
    await settled();
    return this.begun;
  }

  /** Ends a task that took so many milliseconds, and waits until others could begin. */
  async end(name: string, ms = 0): Promise<void> {
    await settled();
    this.now += ms;
    this.ends.get(name)!();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const owner = (account_id: string, token_id: string | null = null): TaskOwner => ({ account_id, token_id });
const ONE_AT_A_TIME = { total: 1, perAccount: 1 };

test('the one call of an account waits for at most one of another’s many, with however many credentials', async () => {
  const tasks = new Tasks(ONE_AT_A_TIME);
  for (let index = 1; index <= 100; index += 1) void tasks.add(owner('greedy', `token ${index}`), `greedy ${index}`);
  void tasks.add(owner('other'), 'other');
  await tasks.end('greedy 1');
  await tasks.end('greedy 2');
  assert.equal(await tasks.begunNow(), ['greedy 1', 'greedy 2', 'other']);
  await tasks.end('other');
  assert.is((await tasks.begunNow()).at(-1), 'greedy 3', 'the waiting ones go on');
});

test('the credentials of an account take turns', async () => {
  const tasks = new Tasks(ONE_AT_A_TIME);
  for (const name of ['a1', 'a2', 'a3']) void tasks.add(owner('person', 'tok_a'), name);
  void tasks.add(owner('person', 'tok_b'), 'b1');
  await tasks.end('a1');
  await tasks.end('a2');
  assert.equal(await tasks.begunNow(), ['a1', 'a2', 'b1']);
});

test('one account leaves room for others, and gets it back when none waits', async () => {
  const tasks = new Tasks({ total: 3, perAccount: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void tasks.add(owner('a'), name);
  assert.equal(await tasks.begunNow(), ['a1', 'a2'], 'two at once');
  void tasks.add(owner('b'), 'b1');
  assert.is((await tasks.begunNow()).at(-1), 'b1', 'the other account begins at once');
  await tasks.end('b1');
  assert.equal(await tasks.begunNow(), ['a1', 'a2', 'b1']);
  await tasks.end('a1');
  assert.is((await tasks.begunNow()).at(-1), 'a3');
});

test('a kind of task waits for its own kind, and for a place in all', async () => {
  const tasks = new Tasks({ total: 3, perAccount: 1, perKind: { LONG: 2 } });
  const long = { kind: 'LONG' };
  for (const account of ['a', 'b', 'c']) void tasks.add(owner(account), `${account} long`, long);
  void tasks.add(owner('a'), 'a short');
  void tasks.add(owner('b'), 'b short');
  assert.equal(await tasks.begunNow(), ['a long', 'b long', 'a short']);
  await tasks.end('a long');
  assert.is((await tasks.begunNow()).at(-1), 'c long');
});

test('after its task an account gives way for as long, while another runs one', async () => {
  const tasks = new Tasks({ total: 4, perAccount: 1 });
  void tasks.add(owner('b'), 'b1', { kind: 'LONG' });
  for (const name of ['a1', 'a2', 'a3']) void tasks.add(owner('a'), name);
  await tasks.end('a1', 50);
  assert.equal(await tasks.begunNow(), ['b1', 'a1'], 'b has the 50 ms that a had');
  tasks.now += 50;
  void tasks.add(owner('c'), 'c1');
  assert.equal(await tasks.begunNow(), ['b1', 'a1', 'a2', 'c1']);
  await tasks.end('a2', 1_000);
  await tasks.end('c1');
  assert.is((await tasks.begunNow()).length, 4);
  await tasks.end('b1');
  assert.is((await tasks.begunNow()).at(-1), 'a3', 'nobody else needs the rest');
});

test('a refusal waits three seconds at most, and not for a caller who has gone', async () => {
  const tasks = new Tasks({ ...ONE_AT_A_TIME, waitingPerAccount: 1 });
  for (const name of ['runs', 'waits']) void tasks.add(owner('a'), name);
  const gone = new Error('gone');
  const askedAt = performance.now();
  const leaving = Array.from({ length: 2_000 }, () => new AbortController());
  const left = leaving.map(({ signal }) => rejection(tasks.add(owner('a'), 'left', { signal })));
  const last = rejection(tasks.add(owner('a'), 'last'));
  for (const controller of leaving) controller.abort(gone);
  assert.ok((await Promise.all(left)).every((error) => error === gone));
  assert.ok(performance.now() - askedAt < 900, 'they did not wait');
  assert.is(((await last) as Refusal).code, 'rate_limited');
  const ms = performance.now() - askedAt;
  assert.ok(ms > 2_900 && ms < 12_000, `the last waited ${ms} ms, not 21 seconds`);
});

test('an account whose too many tasks wait is refused after a second, but not what it has begun, nor others', async () => {
  const tasks = new Tasks({ ...ONE_AT_A_TIME, waitingPerAccount: 2 });
  for (const token of ['tok_a', 'tok_b', 'tok_c']) void tasks.add(owner('a', token), token);
  const askedAt = performance.now();
  const refuse = async () => {
    const error = (await rejection(tasks.add(owner('a', 'tok_d'), 'tok_d'))) as Refusal;
    return { refusal: error, ms: performance.now() - askedAt };
  };
  const [{ refusal, ms }, later] = await Promise.all([refuse(), refuse(), refuse()]);
  assert.instance(refusal, Refusal);
  assert.ok(ms > 990, 'a client that repeats it at once does so once a second');
  assert.ok(later.ms - ms > 5, 'those of many clients are not refused at once');
  assert.equal([refusal.code, refusal.more.retry_after_seconds], ['rate_limited', 5]);
  void tasks.add(owner('a', 'tok_a'), 'continued', { isContinued: true });
  void tasks.add(owner('b'), 'b');
  assert.is(tasks.queue.waitingCount, 4);
});

test('an aborted task doesn’t begin, and a failed one makes room', async () => {
  const tasks = new Tasks(ONE_AT_A_TIME);
  const { queue } = tasks;
  const failed = queue
    .run(owner('a'), () => Promise.reject(new Error('failed')))
    .catch((error: Error) => error.message);
  const controller = new AbortController();
  const aborted = rejection(tasks.add(owner('a'), 'aborted', { signal: controller.signal }));
  const reason = new Error('gone');
  controller.abort(reason);
  assert.is(await aborted, reason);
  assert.is(await failed, 'failed');
  void tasks.add(owner('a'), 'next');
  assert.equal(await tasks.begunNow(), ['next']);
  assert.is(queue.waitingCount, 0);
});

test.run();
