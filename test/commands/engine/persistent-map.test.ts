import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PersistentMap } from '../../../src/commands/engine/persistent-map.ts';

const test = suite('persistent map');

test('keeps the last value of each key, in the order in which keys were first set', () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `tok_${(index * 7) % 3_000}`);
  const expected = new Map<string, number>();
  let map = PersistentMap.of<number>();
  for (const [index, key] of keys.entries()) {
    expected.set(key, index);
    map = map.set(key, index);
  }
  assert.equal(map.entries(), [...expected]);
  for (const [key, value] of expected) assert.is(map.get(key), value);
  assert.is(map.get('tok_none'), undefined);
});

test('an earlier map stays as it was', () => {
  const one = PersistentMap.of({ a: 1 });
  const two = one.set('a', 2).set('b', 3);
  assert.equal(one.entries(), [['a', 1]]);
  assert.equal(two.entries(), [
    ['a', 2],
    ['b', 3],
  ]);
});

test('names of members of every object are ordinary keys', () => {
  const map = PersistentMap.of<number>();
  for (const key of ['constructor', '__proto__', 'toString']) {
    assert.is(map.get(key), undefined);
    assert.equal(map.set(key, 1).entries(), [[key, 1]]);
  }
});

test.run();
