import { suite } from 'uvu';
import { embedded } from './support/installed.ts';
import { assertPackMoves } from './support/pack-move.ts';

const test = suite('the pack of an audit');

test('an audit pack is the same a year later, from new read models, and after a history move', () =>
  assertPackMoves(embedded()));

test.run();
