import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddedSettings, folderOfTest, type InstalledRegister, install } from '../support/run/installed.ts';
import { startSecondPair } from '../support/stores/pairs.ts';
import { eventsOf, rowsUntil, runOnPair, runSuccessfully } from '../support/stores/run-on-pair.ts';

const test = suite('a history on its way between embedded stores and databases');

const databases = await startSecondPair();
test.after(() => databases?.close());

async function rows({ register }: InstalledRegister, organizationId: string, position: number) {
  return rowsUntil(register.projections.models, organizationId, position);
}

if (databases !== null) {
  test('is the same after a move to the other stores and back, with its seals, and is sealed further', async () => {
    const cwd = folderOfTest();
    const from = await install();
    const { organizationId } = from;
    await from.addVendors(40);
    await from.seal();
    const key = (await runSuccessfully(from.settings, cwd, 'seal-key')).out;
    await runSuccessfully(from.settings, cwd, 'export', '--to', 'there.jsonl.gz');
    await runSuccessfully(from.settings, cwd, 'backup', '--to', 'keys.jsonl.gz');
    await runSuccessfully(from.settings, cwd, 'seal', '--to', 'kept.json');
    const history = await eventsOf(from, organizationId);
    const before = await rows(from, organizationId, history.length);
    assert.ok(before.some(([name, documents]) => name === 'seals' && documents.length === 2));
    await from.stop();

    const { DATA_DIR = folderOfTest(), EVENTSTORE_URL = null, MONGODB_URL = null } = databases.env;
    const settings = { dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL };
    await runSuccessfully(settings, cwd, 'restore', 'there.jsonl.gz', '--key', key, '--keys', 'keys.jsonl.gz');
    const target = await install(settings);
    assert.equal((await eventsOf(target, organizationId)).slice(0, history.length), history);
    assert.equal(await rows(target, organizationId, history.length), before);
    // A service in a data folder holds its lock, which a register without a service doesn't take.
    if (MONGODB_URL !== null) {
      const refusal = await runOnPair(settings, cwd, 'restore', 'there.jsonl.gz');
      assert.equal([refusal.code, /Stop the service first/.test(refusal.err)], [1, true], refusal.err);
    }
    await target.addVendors(5, organizationId);
    await target.seal();
    await runSuccessfully(settings, cwd, 'export', organizationId, '--to', 'back.jsonl');
    await runSuccessfully(settings, cwd, 'verify', 'back.jsonl', '--key', key);
    await runSuccessfully(settings, cwd, 'seal', '--since', 'kept.json', '--to', 'extended.json');
    await runSuccessfully(settings, cwd, 'verify', 'extended.json', '--key', key, '--seal', 'kept.json');
    const laterEvents = await eventsOf(target, organizationId);
    const laterRows = await rows(target, organizationId, laterEvents.length);
    await runSuccessfully(settings, cwd, 'backup', '--to', 'all.jsonl.gz');
    await target.stop();

    const home = embeddedSettings();
    await runSuccessfully(home, cwd, 'restore', 'back.jsonl', '--key', key);
    const restored = await install(home);
    assert.equal((await eventsOf(restored, organizationId)).slice(0, laterEvents.length), laterEvents);
    assert.equal(await rows(restored, organizationId, laterEvents.length), laterRows);
    await restored.stop();

    const targetSettings = embeddedSettings();
    await runSuccessfully(targetSettings, cwd, 'restore', 'all.jsonl.gz');
    const repeated = await install(targetSettings);
    assert.equal(
      [await eventsOf(repeated, organizationId), await rows(repeated, organizationId, laterEvents.length)],
      [laterEvents, laterRows],
    );
    await repeated.stop();
  });
}

test.run();
