import { suite } from 'uvu';
import { killRounds } from '../support/run/kill-rounds.ts';
import { rounds } from '../support/run/rounds.ts';
import { startPairs } from '../support/stores/pairs.ts';

const test = suite('a killed service');

for (const [index, pair] of (await startPairs()).entries()) {
  const count = index === 0 ? rounds(6, 20) : rounds(2, 5);
  test(`a service killed ${count} times under load loses no write on ${pair.name}`, async () => {
    console.log(JSON.stringify(await killRounds(pair, count)));
    await pair.close();
  });
}

test.run();
