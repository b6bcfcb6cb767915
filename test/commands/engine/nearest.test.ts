import fc from 'fast-check';
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

/** The optimal string alignment distance by its definition, without a limit. */
function plainDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [head, neck] = [a.slice(0, -1), b.slice(0, -1)];
  const substituted = plainDistance(head, neck) + Number(a.at(-1) !== b.at(-1));
  const isSwapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  const swapped = isSwapped ? plainDistance(a.slice(0, -2), b.slice(0, -2)) + 1 : substituted;
  return Math.min(plainDistance(head, b) + 1, plainDistance(a, neck) + 1, substituted, swapped);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
const words = fc.array(word, { maxLength: 5 });

test('a name is near if its distance by definition is within the limit and below its length', () => {
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 14 }), (wrong, name, halfEdits) => {
      const maxEdits = halfEdits / 2;
      const distance = plainDistance(wrong, name);
      assert.is(nearest(wrong, [name], maxEdits), distance <= maxEdits && distance < name.length ? name : null);
    }),
  );
});

test('the nearest names are the first by distance, and equal ones keep their order', () => {
  fc.assert(
    fc.property(word, words, fc.integer({ min: 1, max: 6 }), (wrong, names, count) => {
      const distances = names.map((name) => ({ name, distance: plainDistance(wrong, name) }));
      const sorted = distances.sort((a, b) => a.distance - b.distance);
      assert.equal(
        nearestNames(wrong, names, count),
        sorted.slice(0, count).map(({ name }) => name),
      );
      const [first] = sorted.filter(({ name, distance }) => distance < name.length);
      assert.is(nearest(wrong, names, 6), first?.name ?? null);
    }),
  );
});

test.run();
