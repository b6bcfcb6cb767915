import { suite } from 'uvu';
import { killRounds } from '../../support/kill-rounds.ts';
import { embeddedPair } from '../../support/pairs.ts';

const test = suite('killed: embedded stores');

test('three times under writers: nothing is lost or doubled, and a rebuild equals the kept read models', async () => {
  const pair = embeddedPair();
  await killRounds(pair, 3);
  await pair.close();
});

test.run();
