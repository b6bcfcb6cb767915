import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { takeBack } from '../src/ends.ts';

const test = suite('the end of the service');

test('takes back the last step first, and goes on without one that does not end, naming it', async () => {
  const done: string[] = [];
  const left: object[] = [];
  const ends = [
    { what: 'lock', end: () => void done.push('lock') },
    { what: 'stores', end: () => new Promise<never>(() => undefined) },
    { what: 'requests', end: async () => void done.push('requests') },
  ];
  await takeBack(ends, 20, { error: (details) => void left.push(details) });
  assert.equal(done, ['requests', 'lock']);
  assert.equal(left, [{ step: 'stores' }]);
});

test('what fails is told of', async () => {
  const ends = [{ what: 'stores', end: () => Promise.reject(new Error('broken')) }];
  const error = await takeBack(ends, 1_000, { error: () => undefined }).catch((thrown: Error) => thrown.message);
  assert.is(error, 'broken');
});

test.run();
