import { suite } from 'uvu';
import { rounds } from '../../support/run/rounds.ts';
import { canKillMongo, startKillableMongo } from '../../support/stores/mongodb.ts';
import { repeatOutages } from '../../support/stores/repeat-outages.ts';

const test = suite('a read store that is killed or frozen');

for (const [signal, count] of [
  ['KILL', rounds(15, 48)],
  ['FREEZE', rounds(6, 12)],
] as const) {
  test(`${count} rounds of ${signal} cause no internal error, and the service then stops in time`, async () => {
    const mongo = (await startKillableMongo())!;
    console.log(JSON.stringify(await repeatOutages(mongo, count, signal)));
    await mongo.close();
  });
}

if (canKillMongo()) test.run();
