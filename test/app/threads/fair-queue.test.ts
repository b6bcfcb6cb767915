import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairQueue } from '../../../src/app/threads/fair-queue.ts';

const test = suite('fair queue');

/** Runs tasks that end when they are told to, and records the order in which they begin. */
class Tasks {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly queue: FairQueue) {}

  add(key: string, name: string, signal?: AbortSignal): Promise<string> {
    const task = () => {
      this.begun.push(name);
      return new Promise<string>((resolve) => this.ends.set(name, () => resolve(name)));
    };
    return this.queue.run(key, task, signal);
  }

  /** Ends a task, and waits until others could begin. */
  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the one call of a key waits for at most one of another key’s many', async () => {
  const tasks = new Tasks(new FairQueue({ total: 1, perKey: 1 }));
  for (let index = 1; index <= 20; index += 1) void tasks.add('greedy', `greedy ${index}`);
  void tasks.add('other', 'other');
  await settled();
  assert.equal(tasks.begun, ['greedy 1']);
  await tasks.end('greedy 1');
  await tasks.end('greedy 2');
  assert.equal(tasks.begun, ['greedy 1', 'greedy 2', 'other']);
  await tasks.end('other');
  assert.is(tasks.begun.at(-1), 'greedy 3', 'the waiting ones go on');
});

test('one key leaves room for others, and gets it back when none waits', async () => {
  const tasks = new Tasks(new FairQueue({ total: 3, perKey: 2 }));
  for (const name of ['a1', 'a2', 'a3', 'a4']) void tasks.add('a', name);
  await settled();
  assert.equal(tasks.begun, ['a1', 'a2'], 'two at once');
  void tasks.add('b', 'b1');
  await settled();
  assert.is(tasks.begun.at(-1), 'b1', 'the other key begins at once');
  await tasks.end('b1');
  assert.equal(tasks.begun, ['a1', 'a2', 'b1']);
  await tasks.end('a1');
  assert.is(tasks.begun.at(-1), 'a3');
});

test('an aborted task doesn’t begin, and a failed one makes room', async () => {
  const queue = new FairQueue({ total: 1, perKey: 1 });
  const tasks = new Tasks(queue);
  const failed = queue.run('a', () => Promise.reject(new Error('failed'))).catch((error: Error) => error.message);
  const controller = new AbortController();
  const aborted = tasks.add('a', 'aborted', controller.signal).catch((reason: unknown) => reason);
  const reason = new Error('gone');
  controller.abort(reason);
  assert.is(await aborted, reason);
  assert.is(await failed, 'failed');
  void tasks.add('a', 'next');
  await settled();
  assert.equal(tasks.begun, ['next']);
});

test.run();
