import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PeriodicWork } from '../../src/clock/periodic-work.ts';

class Counted extends PeriodicWork {
  readonly events: string[] = [];

  protected async work(): Promise<void> {
    this.events.push('starts');
    await nextTurn();
    if (this.events.length === 1) throw new Error('the first run fails');
    this.events.push('ends');
  }

  protected onFailure(error: unknown): void {
    this.events.push((error as Error).message);
  }
}

const test = suite('PeriodicWork');

test('runs follow one another, and one that fails does not stop the next', async () => {
  const work = new Counted(60_000);
  await Promise.all([work.run(), work.run()]);
  assert.equal(work.events, ['starts', 'the first run fails', 'starts', 'ends']);
});

test('stopping waits for the run in progress, and nothing starts after it', async () => {
  const work = new Counted(60_000);
  work.start();
  await work.stop();
  assert.equal(work.events, ['starts', 'the first run fails']);
  work.start();
  assert.is(work.events.length, 2);
});

test.run();
