import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool } from '../support/mcp/call-tool.ts';
import { temporaryFolder } from '../support/register.ts';
import { veritrail } from '../support/run/run-command.ts';
import { type Service, startService } from '../support/service.ts';

const test = suite('a log that has lost events', { cwd: '', DATA_DIR: '' });

test.before.each((context) => {
  context.cwd = temporaryFolder();
  context.DATA_DIR = join(context.cwd, 'data');
});
test.after.each(({ cwd }) => rmSync(cwd, { recursive: true }));

async function addVendors(service: Service, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const input = { name, criticality: 'LOW', idempotency_key: name };
    assert.is((await callTool(service.url, service.token, 'addVendor', input)).status, 200);
  }
}

/** Starts the service, writes some events and stops it. Returns the position of the last one. */
async function writtenLog(DATA_DIR: string): Promise<number> {
  const service = await startService({ DATA_DIR });
  await addVendors(service, ['A', 'B', 'C']);
  await service.stop();
  return edit(DATA_DIR, 'SELECT max(position) AS position FROM events');
}

function edit(DATA_DIR: string, sql: string): number {
  const db = new Database(join(DATA_DIR, 'events.db'));
  try {
    if (!sql.startsWith('SELECT')) return db.prepare(sql).run().changes;
    return (db.prepare(sql).get() as { position: number }).position;
  } finally {
    db.close();
  }
}

async function outputOfStart(DATA_DIR: string): Promise<string> {
  const service = await startService({ DATA_DIR });
  await service.stop();
  return service.output();
}

test('the start warns if the end of the log was removed, once', async ({ DATA_DIR }) => {
  const end = await writtenLog(DATA_DIR);
  assert.not.match(await outputOfStart(DATA_DIR), /has lost events/);
  const last = edit(DATA_DIR, 'SELECT max(position) AS position FROM events');
  assert.ok(last >= end);
  assert.is(edit(DATA_DIR, `DELETE FROM events WHERE position > ${last - 2}`), 2);
  const output = await outputOfStart(DATA_DIR);
  assert.match(output, new RegExp(`"level":"?(warn|40)"?.*"readModelsEnd":${last},"logEnd":${last - 2}`));
  assert.match(output, new RegExp(`were at position ${last}, the log ends at position ${last - 2}\\..*kept seal`));
  assert.not.match(await outputOfStart(DATA_DIR), /has lost events/);
});

test('so does a rebuild, and an event in place of another counts as lost', async ({ cwd, DATA_DIR }) => {
  const last = await writtenLog(DATA_DIR);
  edit(DATA_DIR, `UPDATE events SET id = '00000000-0000-4000-8000-000000000000' WHERE position = ${last}`);
  const { err } = await veritrail({ cwd, dataDir: DATA_DIR }, 'rebuild');
  assert.match(err, new RegExp(`were at position ${last}, the log, which ends at position ${last}, has another event`));
});

test('a backup restored into empty stores does not warn', async ({ cwd, DATA_DIR }) => {
  await writtenLog(DATA_DIR);
  const backup = join(cwd, 'backup.jsonl');
  assert.is((await veritrail({ cwd, dataDir: DATA_DIR }, 'backup', '--to', backup)).code, 0);
  const other = join(cwd, 'other');
  assert.is((await veritrail({ cwd, dataDir: other }, 'restore', backup)).code, 0);
  assert.not.match(await outputOfStart(other), /has lost events/);
});

test.run();
