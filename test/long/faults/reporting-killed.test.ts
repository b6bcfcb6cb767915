/** Kills of the service while it writes its reporting database in MongoDB: afterwards the rows equal a rebuild. */
import { MongoClient } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addVendors,
  assertEqualsRebuild,
  followed,
  madeAnew,
  reportingBecomes,
  sourceOf,
} from '../../support/reporting/followed-reports.ts';
import { openReportingDatabase } from '../../support/reporting/reporting-database.ts';
import { until } from '../../support/run/wait.ts';
import { startService } from '../../support/service.ts';
import { canStartMongo } from '../../support/stores/mongodb.ts';
import { sharedPair, veritrail } from '../../support/stores/shared-pair.ts';

/** A cell that no change has, and the id of a record that does not exist. */
const SPOILT = { reason: 'spoilt' };
const GONE = 'ven_gone';

const test = suite('kills of the writer of the reporting database in MongoDB');

test('kill -9 between the log and the reports, and in the middle of a rebuild, with a reader connected', async () => {
  const pair = (await sharedPair())!;
  let service = await startService(pair.env);
  const { token } = service;
  await reportingBecomes(service, token, 'FOLLOWING');
  const database = await openReportingDatabase(pair.env);
  const client = await MongoClient.connect(pair.env.MONGODB_URL!);
  const reports = client.db(`${client.db().databaseName}_reports`);
  const changes = reports.collection('changes');
  const vendors = reports.collection<{ _id: string }>('vendors');
  try {
    await addVendors(service, token, 20);
    await service.kill();
    service = await startService(pair.env);
    await followed(service, token, database);

    await stopInRebuild();
    await service.kill();
    assert.is(await sourceOf(database), null, 'it was killed before the end');
    service = await startService(pair.env);
    await madeAnew(database, null);
    assert.is(await changes.countDocuments(SPOILT), 0);
    assert.is(await vendors.countDocuments({ _id: GONE }), 0);
    await followed(service, token, database);
    await assertEqualsRebuild(pair.env, database);
  } finally {
    await database.close();
    await client.close();
    await service.stop();
    await pair.close();
  }

  /** Spoils rows and lets the service make all anew, until it is stopped in the middle. */
  async function stopInRebuild(): Promise<void> {
    for (;;) {
      const before = await sourceOf(database);
      await changes.updateMany({}, { $set: SPOILT });
      await vendors.insertOne({ _id: GONE });
      await veritrail(pair.env, 'rebuild');
      await until(async () => (await sourceOf(database)) !== before, 60_000, 'a rebuild has begun to write');
      process.kill(service.pid, 'SIGSTOP');
      if ((await sourceOf(database)) === null) return;
      process.kill(service.pid, 'SIGCONT');
    }
  }
});

if (canStartMongo()) test.run();
