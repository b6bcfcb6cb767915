import { suite } from 'uvu';
import { killRounds } from '../../support/run/kill-rounds.ts';
import { embeddedPair } from '../../support/stores/pairs.ts';

const test = suite('killed: embedded stores');

test('three kills under load lose and duplicate no write, and a rebuild equals the stored read models', async () => {
  const pair = embeddedPair();
  await killRounds(pair, 3);
  await pair.close();
});

test.run();
