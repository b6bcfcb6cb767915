import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startHere } from '../support/run/in-process.ts';
import { folderOfTest } from '../support/run/installed.ts';
import { until } from '../support/run/wait.ts';
import { withOpenPair } from '../support/stores/pairs.ts';

const test = suite('a service after a crash');

test('compares the account store with the log once the read models have caught up, and health says so', async () => {
  const env = { DATA_DIR: folderOfTest() };
  const first = await startHere(env);
  const { token } = first;
  await first.stop();
  await withOpenPair(env, async ({ accounts }) => {
    const [owner] = await accounts.all('accounts');
    await accounts.update('accounts', owner!.id, { organizations: [] });
  });
  const service = await startHere(env);
  const reconciliation = async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${service.url}/api/mcp/v1/health`, { headers });
    return ((await response.json()) as { reconciliation?: { differences: number; failed: number } }).reconciliation;
  };
  await until(async () => (await reconciliation())?.differences === 1, 10_000, 'health counts the difference');
  assert.equal(await reconciliation(), { differences: 1, failed: 0 });
  await service.stop();
});

test.run();
