import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreProblems } from '../../src/app/store-problems.ts';
import { asRefusal, Refusal } from '../../src/commands/engine/refusal.ts';
import { StoreRefused, StoreUnavailable, StreamDamaged } from '../../src/stores/errors.ts';

const test = suite('problems of stores');

function listen() {
  const lines: { err: Error }[] = [];
  const problems = new StoreProblems({ warn: (details) => lines.push(details as { err: Error }) });
  return { problems, lines };
}

const DENIED = new StoreRefused('The service has no right to write.', 'Give it the right.', {
  cause: new Error('Access Denied'),
});

test('the same failure is logged once a minute, with its cause', () => {
  const { problems, lines } = listen();
  for (let count = 0; count < 5; count++) assert.ok(problems.report(DENIED));
  assert.ok(problems.report(asRefusal(DENIED)));
  assert.ok(problems.report(new StoreUnavailable('no answer')));
  assert.equal(
    lines.map(({ err }) => err),
    [DENIED, lines[1]!.err],
  );
  assert.is((lines[0]!.err.cause as Error).message, 'Access Denied');
});

test('health lists what lasts until the operator acts, without the name of a stream', () => {
  const { problems } = listen();
  problems.report(new StoreUnavailable('no answer'));
  assert.equal(problems.list(), []);
  problems.report(DENIED);
  problems.report(new StreamDamaged('vendor-vnd_1', 'it was deleted'));
  problems.report(new StreamDamaged('vendor-vnd_2', 'it was deleted'));
  assert.equal(problems.list(), [
    'The service has no right to write. Give it the right.',
    'A stored history is damaged: it was deleted. The log names its stream.',
  ]);
});

test('other errors are left to the caller, and so many different failures that they would fill the log are dropped', () => {
  const { problems, lines } = listen();
  assert.not(problems.report(new Error('a bug')));
  assert.not(problems.report(new Refusal('not_found', 'There is no such record.')));
  for (let count = 0; count < 1_000; count++) problems.report(new StreamDamaged(`vendor-${count}`, 'it was deleted'));
  assert.is(lines.length, 100);
});

test.run();
