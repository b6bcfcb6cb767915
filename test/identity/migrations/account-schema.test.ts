/** Runs the service and its commands on an account store that a newer version has migrated. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backupLines } from '../../../src/cli/history/backup-file.ts';
import { modernCall } from '../../support/mcp/mcp-client.ts';
import { startHere } from '../../support/run/in-process.ts';
import { embeddedSettings, folderOfTest } from '../../support/run/installed.ts';
import { veritrail } from '../../support/run/run-command.ts';
import { until } from '../../support/run/wait.ts';
import { startPairs, withOpenPair } from '../../support/stores/pairs.ts';
import { runSuccessfully } from '../../support/stores/run-on-pair.ts';

const NEWER = { id: 'schema', begun: 99, done: 99 };

for (const pair of await startPairs()) {
  const test = suite(`an account store of a newer version, on ${pair.name}`);
  const raiseSchemaVersion = () => withOpenPair(pair.env, ({ accounts }) => accounts.put('secrets', NEWER));

  test('with a newer account store, services stop or don’t start, commands refuse, and each gives the reason', async () => {
    const { url, token, output, stop } = await startHere(pair.env);
    const get = (path: string) => fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
    assert.is((await get('/api/mcp/v1/health')).status, 200);
    await raiseSchemaVersion();
    await until(async () => (await get('/readyz')).status === 503, 5_000, 'it stops serving');
    const health = await get('/api/mcp/v1/health');
    const { error } = (await health.json()) as { error: { code: string; message: string } };
    assert.equal([health.status, error.code], [503, 'unavailable']);
    assert.match(error.message, /newer version .*\(to 99, .* Run that version or a later one/);
    const called = await modernCall(url, token, 'listVendors').catch((thrown: unknown) => String(thrown));
    assert.match(String(called), /HTTP 503.*unavailable.*newer version/);
    for (const path of ['/sign-in', '/api/mcp/tools/listVendors', '/.well-known/oauth-authorization-server']) {
      assert.is((await get(path)).status, 503, path);
    }
    assert.is((await get('/livez')).status, 200);
    assert.match(output(), 'newer version of veritrail has changed the account store');
    await stop();

    const problem = await startHere(pair.env).catch((thrown: Error) => thrown.message);
    assert.match(String(problem), /newer version .*\(to 99/);
    const command = await veritrail(
      { cwd: folderOfTest(), env: pair.env, dataDir: pair.env.DATA_DIR! },
      'token',
      'list',
    );
    assert.equal([command.code, /^veritrail token list: A newer version/.test(command.err)], [1, true], command.err);
  });

  test.after(pair.close);
  test.run();
}

const backupTest = suite('a backup of a newer version');

backupTest(
  'restoring a newer backup is refused before anything is written; a current one keeps its schema version',
  async () => {
    const cwd = folderOfTest();
    const env = { DATA_DIR: folderOfTest() };
    await (await startHere(env)).stop();
    const writeBackup = (name: string) =>
      withOpenPair(env, async (stores) => {
        const { value } = (await stores.accounts.get('secrets', 'installation'))!;
        const lines: string[] = [];
        for await (const batch of backupLines({ ...stores, now: () => new Date() }, String(value), () => undefined))
          lines.push(...batch);
        writeFileSync(join(cwd, name), `${lines.join('\n')}\n`);
        return stores.accounts.get('secrets', 'schema');
      });
    const schema = await writeBackup('current.jsonl');
    await withOpenPair(env, ({ accounts }) => accounts.put('secrets', NEWER));
    await writeBackup('newer.jsonl');

    const target = embeddedSettings();
    const { code, err } = await veritrail({ cwd, dataDir: target.dataDir }, 'restore', 'newer.jsonl');
    assert.equal([code, /^veritrail restore: A newer version .*\(to 99/.test(err)], [1, true], err);
    await runSuccessfully(target, cwd, 'restore', 'current.jsonl');
    await withOpenPair({ DATA_DIR: target.dataDir }, async ({ accounts }) => {
      assert.equal(await accounts.get('secrets', 'schema'), schema);
    });
  },
);

backupTest.run();
