import { suite } from 'uvu';
import { embeddedSettings } from './support/installed.ts';
import { assertPackMoves } from './support/pack-move.ts';

const test = suite('the pack of an audit');

test('an audit pack is the same a year later, from new read models, and after a history move', () =>
  assertPackMoves(embeddedSettings()));

test.run();
