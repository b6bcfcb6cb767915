import { suite } from 'uvu';
import { assertPackMoves } from '../support/histories/pack-move.ts';
import { embeddedSettings } from '../support/run/installed.ts';

const test = suite('the pack of an audit');

test('an audit pack is the same a year later, from new read models, and after a history move', () =>
  assertPackMoves(embeddedSettings()));

test.run();
