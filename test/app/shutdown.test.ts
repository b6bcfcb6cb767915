import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runShutdown } from '../../src/app/shutdown.ts';

const test = suite('shutdown');

test('shutdown runs the steps in reverse order, and logs and abandons a step that does not end', async () => {
  const done: string[] = [];
  const logged: object[] = [];
  const steps = [
    { name: 'lock', run: () => void done.push('lock') },
    { name: 'stores', run: () => new Promise<never>(() => undefined) },
    { name: 'requests', run: async () => void done.push('requests') },
  ];
  await runShutdown(steps, 20, { error: (details) => void logged.push(details) });
  assert.equal(done, ['requests', 'lock']);
  assert.equal(logged, [{ step: 'stores' }]);
});

test('a step that fails rejects the shutdown', async () => {
  const steps = [{ name: 'stores', run: () => Promise.reject(new Error('broken')) }];
  const error = await runShutdown(steps, 1_000, { error: () => undefined }).catch((thrown: Error) => thrown.message);
  assert.is(error, 'broken');
});

test.run();
