import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest, nearestNames } from '../../../src/commands/engine/nearest.ts';

const test = suite('nearest');

const NAMES = ['to', 'from', 'record_id', 'actor_id', 'name'];

for (const [misspelled, expected] of [
  ['nmae', 'name'],
  ['Record_ID', 'record_id'],
  ['recordId', 'record_id'],
  ['t', 'to'],
  ['form', 'from'],
  ['who', null],
  ['zzzzzz', null],
] as const) {
  test(`nearest(${misspelled}) returns ${expected}`, () => assert.is(nearest(misspelled, NAMES), expected));
}

test('nearestNames returns the nearest names first, and compares only the first 64 characters', () => {
  assert.equal(nearestNames('nmae', NAMES, 1), ['name']);
  const long = 'x'.repeat(64);
  assert.equal(nearestNames(`${long}yyyy`, [`${long}yyyy`, `${long}z`].reverse(), 1), [`${long}z`]);
});

test.run();
