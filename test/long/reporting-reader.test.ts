/** Another user of the system who may read the folder of the reporting database reads it, and no other file of the service. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addVendors, reportingBecomes } from '../support/reporting/followed-reports.ts';
import { reportsFile } from '../support/reporting/reporting-database.ts';
import { until } from '../support/run/wait.ts';
import { startService } from '../support/service.ts';

/** Nobody's ids on Linux. */
const USER = 65_534;

/** The system's own: another user may not reach one in this user's home. */
const PYTHON = '/usr/bin/python3';

const PROGRAM = readFileSync(new URL('../support/reporting/read_as_other.py', import.meta.url), 'utf8');

const test = suite('another user who reads reports');

test('reads the reports and nothing else, while the service runs and after its stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-reader-'));
  chmodSync(folder, 0o711);
  const env = { DATA_DIR: join(folder, 'data'), REPORTS_DIR: join(folder, 'reports') };
  // As docs/read-models.md says.
  mkdirSync(env.REPORTS_DIR);
  chownSync(env.REPORTS_DIR, process.getuid!(), USER);
  chmodSync(env.REPORTS_DIR, 0o2750);
  const service = await startService(env);
  try {
    await reportingBecomes(service, service.token, 'FOLLOWING');
    await addVendors(service, service.token, 2);
    // Another connection of this process could outlive its close, and keep the file in WAL mode at the stop.
    await until(() => readAsOther([reportsFile(env)])[0] === '2', 20_000, 'the database follows');
    const paths = [
      env.DATA_DIR,
      ...readdirSync(env.DATA_DIR, { recursive: true, encoding: 'utf8' }).map((path) => join(env.DATA_DIR, path)),
    ];
    assert.ok(paths.some((path) => path.endsWith('accounts.db')));
    assert.equal(readAsOther([reportsFile(env), ...paths]), ['2']);
    await service.stop();
    assert.equal(readdirSync(env.REPORTS_DIR), ['reports.db']);
    assert.equal(readAsOther([reportsFile(env), ...paths]), ['2']);
    assert.is(statSync(reportsFile(env)).mode & 0o777, 0o640);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});

const reason = whyNot();
if (reason === null) test.run();
else console.log(`skipped: ${reason}`);

/** Returns the lines that the other user's program prints. */
function readAsOther(paths: readonly string[]): string[] {
  const { stdout, stderr } = runAsOther(['-c', PROGRAM, ...paths]);
  assert.is(stderr, '');
  return stdout.trim().split('\n');
}

function runAsOther(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { uid: USER, gid: USER, cwd: '/', encoding: 'utf8' });
  return { status, stdout, stderr };
}

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'only root can run a program as another user';
  if (runAsOther(['-c', 'import sqlite3']).status !== 0) return 'another user has no Python here';
  return null;
}
