import { suite } from 'uvu';
import { killRounds } from '../../support/kill-rounds.ts';
import { embeddedPair } from '../../support/pairs.ts';

const test = suite('killed: embedded stores');

test('three times under load: no write is lost or done twice, and a rebuild equals the stored read models', async () => {
  const pair = embeddedPair();
  await killRounds(pair, 3);
  await pair.close();
});

test.run();
