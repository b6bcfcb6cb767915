import { suite } from 'uvu';
import { canKillMongo, startKillableMongo } from '../../support/stores/mongodb.ts';
import { repeatOutages } from '../../support/stores/repeat-outages.ts';

const test = suite('a read store that is killed or frozen');

for (const [signal, rounds] of [
  ['KILL', 48],
  ['FREEZE', 12],
] as const) {
  test(`${rounds} rounds of ${signal} cause no internal error, and the service then stops in time`, async () => {
    const mongo = (await startKillableMongo())!;
    console.log(JSON.stringify(await repeatOutages(mongo, rounds, signal)));
    await mongo.close();
  });
}

if (canKillMongo()) test.run();
