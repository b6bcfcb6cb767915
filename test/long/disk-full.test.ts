import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, getJson } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { startService } from '../support/service.ts';
import { embeddedPair, type Pair } from '../support/stores/pairs.ts';
import { type Outage, runOutage } from '../support/stores/run-outage.ts';

const test = suite('a full disk');

/** Mounts a file system of a few megabytes. Returns null if this user may not mount. */
function smallDisk(): Pair | null {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const close = async () => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  };
  return { name: 'a small disk', env: { DATA_DIR: join(folder, 'data') }, close };
}

/** Writes until the disk is full. */
function fill(file: string): void {
  const ballast = openSync(file, 'a');
  try {
    for (const chunk of [Buffer.alloc(65_536), Buffer.alloc(512)]) {
      try {
        for (;;) writeSync(ballast, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(ballast);
  }
}

// Each test has its own disk: a check in this process keeps the space of a generation it dropped until garbage collection.
const [disk, otherDisk] = [smallDisk(), smallDisk()];
if (disk !== null && otherDisk !== null) {
  test('writes are unavailable while the disk is full, and succeed once there is space again', async () => {
    const ballast = join(disk.env.DATA_DIR!, '..', 'ballast');
    const outage: Outage = {
      store: null,
      begin: async () => fill(ballast),
      end: async () => rmSync(ballast),
    };
    console.log(JSON.stringify(await runOutage(disk, outage)));
  });

  test('callers, the log and a start say that the disk is full', async () => {
    const DATA_DIR = otherDisk.env.DATA_DIR!;
    const ballast = join(DATA_DIR, '..', 'ballast');
    const service = await startService({ DATA_DIR, LOG_LEVEL: 'warn' });
    const { url, token, organizationId: organization_id } = service;
    fill(ballast);
    const add = async () =>
      callTool(url, token, 'addVendor', { organization_id, name: 'X', idempotency_key: crypto.randomUUID() });
    const refused = await until(
      async () => {
        const answer = await add();
        return answer.status === 200 ? null : answer;
      },
      20_000,
      'a write is refused',
    );
    assert.equal([refused.status, refused.code, refused.retryAfter], [503, 'unavailable', '30']);
    const { message, retryable } = refused.body.error as { message: string; retryable: boolean };
    assert.match(message, /^The service's disk is full, so nothing was written\. Tell its operator/);
    assert.ok(retryable);
    const fails = async () => {
      for (let count = 0; count < 10; count++) await add();
      const { body } = await getJson(`${url}/api/mcp/v1/health`, token);
      return (body.projections as { state: string }).state === 'FAILING';
    };
    await until(fails, 20_000, 'the projections are failing');
    for (let count = 0; count < 100; count++) assert.is((await add()).status, 503);
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('The disk of the data folder is full'));
    assert.ok(lines.length > 0 && lines.length <= 3, lines.join('\n'));
    await service.kill();
    // A start makes these files anew. Their space would sometimes be enough for it.
    for (const file of readdirSync(DATA_DIR)) if (file.endsWith('-shm')) rmSync(join(DATA_DIR, file));
    fill(ballast);
    const failure = await startService({ DATA_DIR }).catch((error: Error) => error.message);
    const sentence = `could not start: The data folder ${DATA_DIR} cannot be used: its disk is full. Free some space there`;
    assert.ok(String(failure).includes(sentence), String(failure));
    rmSync(ballast);
    const restarted = await startService({ DATA_DIR });
    assert.is((await callTool(restarted.url, token, 'listVendors', { organization_id })).status, 200);
    await restarted.stop();
  });
  test.after(disk.close);
  test.after(otherDisk.close);
}

test('writes are unavailable while files have a size limit, and succeed once it is lifted', async () => {
  const pair = embeddedPair();
  const limit = (pid: number, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  const outage: Outage = {
    store: null,
    begin: async ({ pid }) => void limit(pid, '0'),
    end: async ({ pid }) => void limit(pid, 'unlimited'),
  };
  console.log(JSON.stringify(await runOutage(pair, outage)));
  await pair.close();
});

test.run();
