/** Several instances: another one goes on writing the reporting database, and an old writer that wakes up does no harm. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addVendors,
  assertEqualsRebuild,
  followed,
  reportingBecomes,
  reportingHealth,
  sourceOf,
} from '../support/reporting/followed-reports.ts';
import { openReportingDatabase, type ReportingDatabase } from '../support/reporting/reporting-database.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { canStartMongo } from '../support/stores/mongodb.ts';
import type { Pair } from '../support/stores/pairs.ts';
import { sharedPair, veritrail } from '../support/stores/shared-pair.ts';

interface Context {
  pair: Pair;
  writer: Service;
  other: Service;
  token: string;
  database: ReportingDatabase;
}

const test = suite<Context>('failover of the reporting database');

test.before.each(async (context) => {
  const pair = (await sharedPair())!;
  const writer = await startService(pair.env);
  const { token } = writer;
  await reportingBecomes(writer, token, 'FOLLOWING');
  const other = await startService(pair.env);
  await reportingBecomes(other, token, 'STANDBY');
  const database = await openReportingDatabase(pair.env);
  Object.assign(context, { pair, writer, other, token, database });
});

test.after.each(async ({ pair, writer, other, database }) => {
  await database.close();
  await Promise.all([writer.stop(), other.stop()]);
  await pair.close();
});

test('after a kill the other instance goes on within about a lease', async ({
  pair,
  writer,
  other,
  token,
  database,
}) => {
  await addVendors(writer, token, 3);
  await writer.kill();
  const killedAt = performance.now();
  await reportingBecomes(other, token, 'FOLLOWING');
  const took = performance.now() - killedAt;
  assert.ok(took < 10_000, `took ${Math.round(took)} ms`);
  await addVendors(other, token, 3);
  await followed(other, token, database);
  await assertEqualsRebuild(pair.env, database);
});

test('a writer that is stopped in its work and goes on later does no harm', async (context) => {
  const { pair, token, database } = context;
  let [writer, other] = [context.writer, context.other];
  for (let round = 0; round < 3; round += 1) {
    const source = await sourceOf(database);
    const isRebuilding = round > 0;
    if (isRebuilding) await veritrail(pair.env, 'rebuild');
    const working = addVendors(other, token, 10);
    // A small database is made in less than a second, so a look can miss it.
    const isBuilding = async () => (await reportingHealth(writer, token)).state === 'BUILDING';
    if (isRebuilding) await until(isBuilding, 3_000).catch(() => undefined);
    process.kill(writer.pid, 'SIGSTOP');
    await working;
    await reportingBecomes(other, token, 'FOLLOWING');
    await followed(other, token, database);
    if (isRebuilding) assert.is.not(await sourceOf(database), source);
    process.kill(writer.pid, 'SIGCONT');
    await reportingBecomes(writer, token, 'STANDBY');
    await addVendors(other, token, 3);
    await followed(other, token, database);
    [writer, other] = [other, writer];
  }
  await assertEqualsRebuild(pair.env, database);
});

if (canStartMongo()) test.run();
