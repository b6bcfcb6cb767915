import { suite } from 'uvu';
import { embedded } from './support/installed.ts';
import { assertPackMoves } from './support/pack-move.ts';

const test = suite('the pack of an audit');

test('is the same a year later, from new read models, and after its history was moved', () =>
  assertPackMoves(embedded()));

test.run();
