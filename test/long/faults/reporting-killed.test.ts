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

const test = suite('kills of the writer of the reporting database in MongoDB');

test('kill -9 between the log and the reports, and in the middle of a rebuild, with a reader connected', async () => {
  const pair = (await sharedPair())!;
  let service = await startService(pair.env);
  const { token } = service;
  await reportingBecomes(service, token, 'FOLLOWING');
  const database = await openReportingDatabase(pair.env);
  const client = await MongoClient.connect(pair.env.MONGODB_URL!);
  const reports = client.db(`${client.db().databaseName}_reports`);
  try {
    await addVendors(service, token, 20);
    await service.kill();
    service = await startService(pair.env);
    await followed(service, token, database);

    const before = await sourceOf(database);
    const builds = (collection: string) => reports.collection(collection).distinct('_build');
    await veritrail(pair.env, 'rebuild');
    // A rebuild writes this table first. The rows of the others are still those of the build before.
    await until(async () => (await newestBuild()) !== null, 60_000, 'a rebuild has begun to write');
    await service.kill();
    assert.is(await sourceOf(database), before, 'it was killed before the end');
    service = await startService(pair.env);
    await madeAnew(database, before);
    for (const table of ['figures', 'vendors', 'changes']) assert.is((await builds(table)).length, 1, table);
    await followed(service, token, database);
    await assertEqualsRebuild(pair.env, database);
  } finally {
    await database.close();
    await client.close();
    await service.stop();
    await pair.close();
  }

  /** Returns the build of a row that a rebuild has begun to write; null if there is none but the named one. */
  async function newestBuild(): Promise<string | null> {
    const named = await reports.collection('_source').findOne();
    const row = await reports.collection('figures').findOne({ _build: { $ne: named!.build } });
    return row === null ? null : String(row._build);
  }
});

if (canStartMongo()) test.run();
