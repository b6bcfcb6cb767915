import { suite } from 'uvu';
import { killRounds } from '../support/run/kill-rounds.ts';
import { startPairs } from '../support/stores/pairs.ts';

const [embedded, other] = await startPairs();
const test = suite('a killed service');

test(`a service killed 20 times under load loses no write on ${embedded!.name}`, async () => {
  console.log(JSON.stringify(await killRounds(embedded!, 20)));
});

if (other !== undefined) {
  test(`a service killed 5 times under load loses no write on ${other.name}`, async () => {
    console.log(JSON.stringify(await killRounds(other, 5)));
  });
}

test.after(async () => {
  await other?.close();
  await embedded!.close();
});

test.run();
