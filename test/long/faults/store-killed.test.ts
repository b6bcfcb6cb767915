import { suite } from 'uvu';
import { startKillableMongo } from '../../support/mongodb.ts';
import { repeatOutages } from '../../support/repeat-outages.ts';

const test = suite('the store of read models is killed or frozen');

for (const [how, rounds] of [
  ['KILL', 48],
  ['FREEZE', 12],
] as const) {
  test(`${how}, ${rounds} times under callers: nobody is told of a fault, and it stops soon`, async () => {
    const mongo = await startKillableMongo();
    if (mongo === null) return;
    console.log(JSON.stringify(await repeatOutages(mongo, rounds, how)));
    await mongo.close();
  });
}

test.run();
