/** Several instances: another one goes on writing the reporting database, and an old writer that wakes up does no harm. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REPORTING_SCHEMA } from '../../src/reporting/tables.ts';
import { Session } from '../support/mcp/mcp-client.ts';
import { openReportingDatabase, type ReportingDatabase } from '../support/reporting/reporting-database.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { canStartMongo } from '../support/stores/mongodb.ts';
import type { Pair } from '../support/stores/pairs.ts';
import { sharedPair, veritrail } from '../support/stores/shared-pair.ts';

/** A lease, the time between looks at it, and the making of a small database. */
const TAKE_OVER_MS = 15_000;

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
  await until(async () => (await reportingState(writer, token)) === 'FOLLOWING', TAKE_OVER_MS, 'the first one writes');
  const other = await startService(pair.env);
  await until(async () => (await reportingState(other, token)) === 'STANDBY', TAKE_OVER_MS, 'the other one waits');
  const database = await openReportingDatabase(pair.env);
  Object.assign(context, { pair, writer, other, token, database });
});

test.after.each(async ({ pair, writer, other, database }) => {
  await database.close();
  await Promise.all([writer.stop(), other.stop()]);
  await pair.close();
});

test('after a kill the other instance writes', async (context) => {
  const { writer, other, token } = context;
  await addVendors(context, writer, 3);
  await writer.kill();
  await addVendors(context, other, 3);
  await followed(context, other);
  assert.is(await reportingState(other, token), 'FOLLOWING');
  await equalsRebuild(context);
});

test('a writer that is stopped in its work and goes on later does no harm', async (context) => {
  const { token } = context;
  let [writer, other] = [context.writer, context.other];
  for (let round = 0; round < 3; round += 1) {
    // In the later rounds the writer is stopped while it makes all rows anew.
    const source = await sourceOf(context.database);
    if (round > 0) await veritrail(context.pair.env, 'rebuild');
    const working = addVendors(context, other, 10);
    if (round > 0)
      await until(async () => (await reportingState(writer, token)) === 'BUILDING', TAKE_OVER_MS).catch(
        () => undefined,
      );
    process.kill(writer.pid, 'SIGSTOP');
    await working;
    await until(async () => (await reportingState(other, token)) === 'FOLLOWING', TAKE_OVER_MS, 'the other one writes');
    await followed(context, other);
    if (round > 0) assert.is.not(await sourceOf(context.database), source);
    process.kill(writer.pid, 'SIGCONT');
    await until(async () => (await reportingState(writer, token)) === 'STANDBY', TAKE_OVER_MS, 'the old one waits');
    await addVendors(context, other, 3);
    await followed(context, other);
    [writer, other] = [other, writer];
  }
  await equalsRebuild(context);
});

if (canStartMongo()) test.run();

async function reportingState({ url }: Service, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const health = (await (await fetch(`${url}/api/mcp/v1/health`, { headers })).json()) as {
    reporting?: { state: string };
  };
  return health.reporting?.state ?? 'UNKNOWN';
}

async function addVendors({ token }: Context, { url }: Service, count: number): Promise<void> {
  const session = new Session(url, token);
  const [organization] = (await session.ok('listOrganizations')).organizations;
  for (let number = 0; number < count; number += 1)
    await session.ok('addVendor', { organization_id: organization!.id, name: `Vendor ${crypto.randomUUID()}` });
}

/** Waits until the database has every event. */
async function followed({ token, database }: Context, { url }: Service): Promise<void> {
  const session = new Session(url, token);
  const [organization] = (await session.ok('listOrganizations')).organizations;
  const newest = async () => {
    const { changes } = await session.ok('listChanges', { organization_id: organization!.id, size: 1 });
    return Number(changes[0]!.position);
  };
  const reached = async () => Math.min(...(await database.rows('progress')).map(({ position }) => Number(position)));
  await until(async () => (await reached()) >= (await newest()), TAKE_OVER_MS, 'the database follows');
}

async function sourceOf(database: ReportingDatabase): Promise<unknown> {
  return (await database.rows('_source'))[0]?.source;
}

async function equalsRebuild(context: Context): Promise<void> {
  const { database, pair } = context;
  const rows = await dump(database);
  const before = await sourceOf(database);
  assert.ok(rows.vendors!.length > 0);
  await veritrail(pair.env, 'rebuild');
  const isAnew = async () => ![before, null].includes((await sourceOf(database)) as string);
  await until(isAnew, 2 * TAKE_OVER_MS, 'the rows are made anew');
  assert.equal(await dump(database), rows);
}

async function dump(database: ReportingDatabase): Promise<Record<string, string[]>> {
  const tables = REPORTING_SCHEMA.tables
    .map(({ name }) => name)
    .filter((name) => !['people', 'progress'].includes(name));
  const rows = await Promise.all(
    tables.map(async (name) => [name, (await database.rows(name)).map((row) => JSON.stringify(row)).sort()] as const),
  );
  return Object.fromEntries(rows);
}
