import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest } from '../../src/commands/nearest.ts';

const test = suite('the nearest name');

const NAMES = ['to', 'from', 'record_id', 'actor_id', 'name'];

for (const [wrong, meant] of [
  ['nmae', 'name'],
  ['Record_ID', 'record_id'],
  ['recordId', 'record_id'],
  ['t', 'to'],
  ['form', 'from'],
  ['who', null],
  ['zzzzzz', null],
] as const) {
  test(`${wrong} stands for ${meant ?? 'none of them'}`, () => assert.is(nearest(wrong, NAMES), meant));
}

test.run();
