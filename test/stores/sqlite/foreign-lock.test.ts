import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, getJson } from '../../support/mcp/call-tool.ts';
import { startService } from '../../support/service.ts';

const test = suite('locks of other processes');

const LOCK_MS = 6_000;
const CALLS = 100;
const FILES = ['events.db', 'accounts.db', 'read.db'];

const LIBSQL = JSON.stringify(new URL('../../../node_modules/libsql/index.js', import.meta.url).href);

/** Locks files against writers in another process, for LOCK_MS or until `end` is called. */
async function lockElsewhere(paths: readonly string[]): Promise<{ ended: Promise<string>; end(): void }> {
  const text = `
    import Database from ${LIBSQL};
    for (const path of ${JSON.stringify(paths)}) {
      const db = new Database(path);
      db.exec('PRAGMA busy_timeout = 5000');
      db.exec('BEGIN IMMEDIATE');
    }
    console.log('locked');
    setTimeout(() => process.exit(), ${LOCK_MS});
    process.stdin.on('data', () => process.exit());
  `;
  const args = ['--input-type=module', '--eval', text];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { ended: once(child, 'exit').then(() => 'the lock ended'), end: () => void child.stdin.write('\n') };
}

test('100 probes and 100 reads are answered while another process has locked all files for 6 s', async () => {
  const service = await startService({ LOG_LEVEL: 'error' });
  const { url, token, organizationId: organization_id } = service;
  const lock = await lockElsewhere(FILES.map((file) => join(service.dataDir, file)));
  let isLocked = true;
  const write = async (name: string) => {
    const args = { organization_id, name, idempotency_key: crypto.randomUUID() };
    while (isLocked) await callTool(url, token, 'addVendor', args);
    return callUntilAccepted(url, token, 'addVendor', args);
  };
  const writers = ['A', 'B', 'C'].map(write);
  const readAll = async () => {
    for (let call = 0; call < CALLS; call++) {
      assert.is((await getJson(`${url}/livez`)).status, 200);
      assert.is((await callTool(url, token, 'listVendors', { organization_id })).status, 200);
    }
    return 'all were answered';
  };
  assert.is(await Promise.race([readAll(), lock.ended]), 'all were answered');
  lock.end();
  await lock.ended;
  isLocked = false;
  for (const { status } of await Promise.all(writers)) assert.is(status, 200);
  assert.is((await callTool(url, token, 'listVendors', { organization_id, view: 'COUNT' })).body.total, 3);
  await service.stop();
});

test.run();
