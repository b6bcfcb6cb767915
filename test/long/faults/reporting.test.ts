/** After each fault the reporting database equals one that was made anew, and nothing else was held up. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../../support/mcp/mcp-client.ts';
import { reportsFile } from '../../support/reporting/reporting-database.ts';
import { until } from '../../support/run/wait.ts';
import { type Service, startService } from '../../support/service.ts';
import { veritrail } from '../../support/stores/shared-pair.ts';

interface Context {
  folder: string;
  env: Record<string, string>;
  service: Service;
  token: string;
}

const test = suite<Context>('faults of the reporting database');

test.before.each(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-reporting-'));
  context.env = { DATA_DIR: join(context.folder, 'data'), REPORTS_DIR: join(context.folder, 'reports') };
  context.service = await startService(context.env, ['--demo']);
  context.token = context.service.token;
  await followed(context);
});

test.after.each(async ({ service, folder }) => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test('kill -9 between the log and the reports, and in the middle of a rebuild', async (context) => {
  const { env } = context;
  await addVendors(context, 3);
  await restartAfterKill(context);
  await followed(context);
  await equalsRebuild(context);
  await stopInRebuild(context);
  const before = sourceOf(env);
  await restartAfterKill(context);
  await until(() => sourceOf(env) !== before, 60_000, 'the rows are made anew after the kill');
  await followed(context);
  await equalsRebuild(context);
});

test('a file that is deleted or damaged by hand', async (context) => {
  const { env, service } = context;
  for (const suffix of ['', '-wal', '-shm']) rmSync(reportsFile(env) + suffix, { force: true });
  await addVendors(context, 2);
  await followed(context);
  assert.match((await reportingHealth(context)).problem, 'replaced or deleted');
  await service.stop();
  writeFileSync(reportsFile(env), 'nonsense '.repeat(2_000));
  context.service = await startService(env, ['--demo']);
  await followed(context);
  assert.match((await reportingHealth(context)).problem, 'damaged');
  await equalsRebuild(context);
});

test('a reader that keeps its transaction', async (context) => {
  const reader = new Database(reportsFile(context.env), { readonly: true });
  reader.exec('BEGIN');
  const count = () => (reader.prepare('SELECT count(*) FROM vendors').raw().get() as [number])[0];
  const before = count();
  await addVendors(context, 20);
  await followed(context);
  assert.is(count(), before);
  reader.exec('COMMIT');
  assert.is(count(), before + 20);
  reader.close();
  await equalsRebuild(context);
});

test('a full disk under the reports stops nothing else', async (context) => {
  const { env, service, folder } = context;
  await service.stop();
  const disk = join(folder, 'small');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    console.log('skipped: this user may not mount');
    context.service = await startService(env, ['--demo']);
    return;
  }
  try {
    env.REPORTS_DIR = join(disk, 'reports');
    context.service = await startService(env, ['--demo']);
    await until(async () => (await reportingHealth(context)).state === 'FAILING', 30_000, 'health says so');
    assert.match((await reportingHealth(context)).problem, 'disk');
    await addVendors(context, 5);
    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    await followed(context);
    await equalsRebuild(context);
  } finally {
    await context.service.stop();
    execFileSync('umount', ['-l', disk]);
    env.REPORTS_DIR = join(folder, 'reports');
    context.service = await startService(env, ['--demo']);
  }
});

test.run();

/** Adds vendors. Each is acknowledged with its effect, and none is `pending`. */
async function addVendors({ service, token }: Context, count: number): Promise<void> {
  const session = new Session(service.url, token);
  const [organization] = (await session.ok('listOrganizations')).organizations;
  for (let number = 0; number < count; number += 1) {
    const input = { organization_id: organization!.id, name: `Vendor ${crypto.randomUUID()}` };
    const answer = (await session.ok('addVendor', input)) as { pending?: boolean };
    assert.is(answer.pending, undefined);
  }
}

/**
 * Lets the service rebuild the database, and stops its process in the middle: health says BUILDING, and when the process
 * stands still, it has the lock of a writer. Rebuilds again if one ends before that.
 */
async function stopInRebuild(context: Context): Promise<void> {
  const { env, service } = context;
  const writer = new Database(reportsFile(env), { timeout: 0 });
  const isWriting = () => {
    try {
      writer.exec('BEGIN IMMEDIATE; ROLLBACK');
      return false;
    } catch {
      return true;
    }
  };
  try {
    for (let isStopped = false; !isStopped; ) {
      const before = sourceOf(env);
      const rebuild = veritrail(env, 'rebuild');
      const isOver = async () => {
        if ((await reportingHealth(context)).state === 'BUILDING') {
          process.kill(service.pid, 'SIGSTOP');
          isStopped = isWriting();
          if (!isStopped) process.kill(service.pid, 'SIGCONT');
        }
        return isStopped || sourceOf(env) !== before;
      };
      await until(isOver, 60_000, 'a rebuild was stopped, or has ended');
      await rebuild;
    }
  } finally {
    writer.close();
  }
}

async function restartAfterKill(context: Context): Promise<void> {
  await context.service.kill();
  context.service = await startService(context.env, ['--demo']);
}

/** Waits until the database has every event. */
async function followed(context: Context): Promise<void> {
  const session = new Session(context.service.url, context.token);
  const [organization] = (await session.ok('listOrganizations')).organizations;
  const { changes } = await session.ok('listChanges', { organization_id: organization!.id, size: 1 });
  const newest = Number(changes[0]!.position);
  const isFollowed = () => {
    const rows = query(context.env, 'SELECT min(position) FROM progress');
    return rows !== null && Number(rows[0]![0]) >= newest;
  };
  await until(isFollowed, 60_000, 'the reporting database follows');
}

async function equalsRebuild(context: Context): Promise<void> {
  const rows = dump(context.env);
  const before = sourceOf(context.env);
  await veritrail(context.env, 'rebuild');
  await until(() => sourceOf(context.env) !== before, 60_000, 'the rows are made anew');
  await followed(context);
  const again = dump(context.env);
  for (const [table, content] of Object.entries(rows)) assert.equal(content, again[table], table);
}

/** Returns the sorted rows of all tables but that of people, whom another loop compares. */
function dump(env: Record<string, string>): Record<string, string[]> {
  const tables = query(
    env,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('_source', 'people', 'progress')",
  )!;
  return Object.fromEntries(
    tables.map(([name]) => [
      String(name),
      query(env, `SELECT * FROM "${name}"`)!
        .map((row) => JSON.stringify(row))
        .sort(),
    ]),
  );
}

const sourceOf = (env: Record<string, string>) => query(env, 'SELECT source FROM _source')?.[0]?.[0] ?? null;

function query(env: Record<string, string>, sql: string): unknown[][] | null {
  let db: Database.Database | undefined;
  try {
    db = new Database(reportsFile(env), { readonly: true });
    return db.prepare(sql).raw().all() as unknown[][];
  } catch {
    return null;
  } finally {
    db?.close();
  }
}

async function reportingHealth({ service, token }: Context): Promise<{ state: string; problem: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const health = (await (await fetch(`${service.url}/api/mcp/v1/health`, { headers })).json()) as {
    reporting: { state: string; problem?: string };
  };
  return { problem: '', ...health.reporting };
}
