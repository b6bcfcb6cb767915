import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBackup } from '../../src/cli/history/backup-file.ts';
import { restoreBackup } from '../../src/cli/history/restore-backup.ts';
import { SealKeys } from '../../src/seal/seal-keys.ts';
import type { EventStore, StreamBatch } from '../../src/stores/event-store.ts';
import { openStores, type Stores } from '../../src/stores/open.ts';
import { readLine } from '../../src/trail/check/line.ts';
import { rejectionError } from '../support/identity/identity.ts';
import { embeddedSettings, folderOfTest, type InstalledRegister, install } from '../support/run/installed.ts';
import { veritrail } from '../support/run/run-command.ts';
import { eventsOf, runOnPair, runSuccessfully } from '../support/stores/run-on-pair.ts';

interface Context {
  from: InstalledRegister;
  cwd: string;
  key: string;
}

const test = suite<Context>('veritrail restore');

test.before(async (context) => {
  context.cwd = folderOfTest();
  context.from = await install();
  await context.from.addVendors(20);
  await context.from.seal();
  await context.from.addVendors(3);
  await context.from.seal();
  const { settings } = context.from;
  await runSuccessfully(settings, context.cwd, 'export', '--to', 'history.jsonl');
  await runSuccessfully(settings, context.cwd, 'backup', '--to', 'all.jsonl.gz');
  context.key = (await runSuccessfully(settings, context.cwd, 'seal-key')).out;
});

test.after(({ from }) => from.stop());

test('restores a history into empty stores, and its new owner can continue it', async ({ from, cwd, key }) => {
  const targetSettings = embeddedSettings();
  const { out, err } = await runSuccessfully(targetSettings, cwd, 'restore', 'history.jsonl', '--key', key);
  assert.match(out, /"mcpServers"/, 'it prints a token and a client configuration');
  assert.match(err, /The log now has 29 events of org_\w+/);
  const target = await install(targetSettings);
  const [old, now] = [await eventsOf(from, from.organizationId), await eventsOf(target, from.organizationId)];
  assert.equal(now.slice(0, old.length), old, 'the same events in the same order');
  await target.addVendors(2);
  await target.seal();
  await runSuccessfully(targetSettings, cwd, 'export', from.organizationId, '--to', 'without-key.jsonl');
  const sealKey = (await runSuccessfully(targetSettings, cwd, 'seal-key')).out;
  assert.is(
    (await runOnPair(targetSettings, cwd, 'verify', 'without-key.jsonl', '--key', key)).code,
    1,
    'the new key isn’t trusted',
  );
  const both = await runOnPair(targetSettings, cwd, 'verify', 'without-key.jsonl', '--key', key, '--key', sealKey);
  assert.equal([both.code, /replaced|by itself|lost/i.test(both.out)], [0, true], both.out);
  await target.stop();
});

test('with the keys of a backup, continues sealing with them', async ({ from, cwd, key }) => {
  const targetSettings = embeddedSettings();
  await runSuccessfully(targetSettings, cwd, 'restore', 'history.jsonl', '--keys', 'all.jsonl.gz');
  const target = await install(targetSettings);
  await target.addVendors(2);
  await target.seal();
  await runSuccessfully(targetSettings, cwd, 'export', from.organizationId, '--to', 'with-key.jsonl');
  await runSuccessfully(targetSettings, cwd, 'verify', 'with-key.jsonl', '--key', key);
  await target.stop();
});

test('into stores with another organization, makes that owner OWNER and rotates to that key', async ({
  from,
  cwd,
  key,
}) => {
  const other = await install();
  await other.seal();
  const restored = await runOnPair(other.settings, cwd, 'restore', 'history.jsonl');
  await other.stop();
  assert.is(restored.code, 0, 'it succeeds while no service runs');
  assert.match(restored.out, /acc_\w+ is OWNER of org_\w+/);
  await runSuccessfully(other.settings, cwd, 'restore', 'history.jsonl', '--keys', 'all.jsonl.gz');
  const target = await install(other.settings);
  await target.seal();
  await runSuccessfully(other.settings, cwd, 'export', from.organizationId, '--to', 'beside.jsonl');
  await runSuccessfully(other.settings, cwd, 'verify', 'beside.jsonl', '--key', key);
  await target.stop();
});

test('finishes an interrupted restore, wherever it was cut off', async ({ from, cwd }) => {
  const events = await eventsOf(from, from.organizationId);
  for (const cut of [1, 10, 28, 29]) {
    const targetSettings = embeddedSettings();
    const stores = await openStores(targetSettings);
    for (const event of events.slice(0, cut)) await stores.events.append(event.stream, [event], event.revision - 1);
    await stores.close();
    const { err } = await runSuccessfully(targetSettings, cwd, 'restore', 'history.jsonl');
    assert.match(err, new RegExp(`The log now has 29 events of org_\\w+ \\(${cut} were already there\\)`));
    const repeated = await runSuccessfully(targetSettings, cwd, 'restore', 'history.jsonl');
    assert.match(repeated.out, /is OWNER/);
  }
});

test('no command or start takes a log whose restore was interrupted for a whole one', async ({ from, cwd }) => {
  const [first] = await eventsOf(from, from.organizationId);
  const interruptions: Record<string, (stores: Stores) => Promise<void>> = {
    'history.jsonl': async ({ events, accounts }) => {
      await new SealKeys(accounts, () => new Date()).pauseSealing(from.organizationId);
      await events.append(first!.stream, [first!], -1);
    },
    'all.jsonl.gz': async (stores) => {
      const path = join(cwd, 'all.jsonl.gz');
      const shell = { cwd, env: {}, out: () => undefined, err: () => undefined };
      const interrupted = restoreBackup(
        path,
        await readBackup(path),
        { ...withOneAppend(stores), now: () => new Date() },
        shell,
      );
      assert.is((await rejectionError(interrupted)).message, 'interrupted');
    },
  };
  for (const [file, interrupt] of Object.entries(interruptions)) {
    const targetSettings = embeddedSettings();
    const stores = await openStores(targetSettings);
    await interrupt(stores);
    await stores.close();
    for (const args of [
      ['init', '--adopt-log'],
      ['token', 'list'],
    ]) {
      const { code, err } = await runOnPair(targetSettings, cwd, ...args);
      assert.equal([code, /restore was interrupted.*Repeat/.test(err)], [1, true], `${file}, ${args[0]}: ${err}`);
    }
    await runSuccessfully(targetSettings, cwd, 'restore', file);
    await runSuccessfully(targetSettings, cwd, 'token', 'list');
  }
});

/** Returns stores whose log takes one batch and then fails. */
function withOneAppend(stores: Stores): Stores {
  const appendInOrder = async (batches: readonly StreamBatch[]) => {
    await stores.events.appendInOrder(batches.slice(0, 1));
    throw new Error('interrupted');
  };
  const readAll: EventStore['readAll'] = (after) => stores.events.readAll(after);
  return { ...stores, events: { ...stores.events, readAll, appendInOrder } };
}

test('refuses a history that is redacted, altered, cut, signed by another key or already installed', async ({
  from,
  cwd,
  key,
}) => {
  const lines = readFileSync(join(cwd, 'history.jsonl'), 'utf8').trimEnd().split('\n');
  const fifth = readLine(lines[5]!);
  assert.ok(fifth.kind === 'EVENT');
  await runSuccessfully(
    from.settings,
    cwd,
    'redact',
    'history.jsonl',
    '--event',
    fifth.event.id,
    '--to',
    'redacted.jsonl',
  );
  writeFileSync(join(cwd, 'cut.jsonl'), `${lines.slice(0, -1).join('\n')}\n`);
  writeFileSync(join(cwd, 'altered.jsonl'), `${lines.join('\n').replace('"Vendor 7"', '"Vendor X"')}\n`);
  for (const [file, code, says] of [
    ['redacted.jsonl', 1, /redacted/],
    ['cut.jsonl', 1, /nothing was restored/],
    ['altered.jsonl', 1, /nothing was restored/],
    ['absent.jsonl', 2, /can’t be read/],
  ] as const) {
    const targetSettings = embeddedSettings();
    const result = await runOnPair(targetSettings, cwd, 'restore', file);
    assert.equal([result.code, says.test(result.err)], [code, true], `${file}: ${result.err}`);
    const stores = await openStores(targetSettings);
    assert.is((await stores.events.head(null)).newest, null, file);
    await stores.close();
  }
  const foreignRestore = await runOnPair(
    embeddedSettings(),
    cwd,
    'restore',
    'history.jsonl',
    '--key',
    'A'.repeat(43).concat('='),
  );
  assert.equal([foreignRestore.code, /nothing was restored/.test(foreignRestore.err)], [1, true], foreignRestore.err);
  const targetSettings = embeddedSettings();
  assert.is((await runOnPair(targetSettings, cwd, 'restore', 'history.jsonl', '--key', key)).code, 0);
  const other = await runOnPair(targetSettings, cwd, 'restore', 'all.jsonl.gz');
  assert.equal([other.code, /already have an installation/.test(other.err)], [1, true], other.err);
});

test('refuses while a service runs', async ({ cwd }) => {
  const targetSettings = embeddedSettings();
  const { lockDataFolder } = await import('../../src/stores/sqlite/lock-data-folder.ts');
  const { release } = lockDataFolder(targetSettings.dataDir);
  const result = await veritrail({ cwd, dataDir: targetSettings.dataDir }, 'restore', 'history.jsonl');
  assert.equal([result.code, /Stop the service first/.test(result.err)], [1, true], result.err);
  release();
});

test('of a backup restores log, accounts and keys, also after an interrupted restore', async ({ from, cwd, key }) => {
  const targetSettings = embeddedSettings();
  const stores = await openStores(targetSettings);
  const events = await eventsOf(from, from.organizationId);
  for (const event of events.slice(0, 7)) await stores.events.append(event.stream, [event], event.revision - 1);
  await stores.close();
  const { out } = await runSuccessfully(targetSettings, cwd, 'restore', 'all.jsonl.gz');
  assert.match(out, /^Restored \d+ events and \d+ records of the account store\. Start the service now\.$/);
  const target = await install(targetSettings);
  assert.is(target.installation, from.installation);
  assert.equal(await eventsOf(target, from.organizationId), events);
  for (const table of ['accounts', 'tokens', 'secrets'] as const) {
    const [now, then] = await Promise.all([target, from].map(({ stores }) => stores.accounts.all(table)));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    assert.equal(now!.sort(byId), then!.sort(byId), table);
  }
  await target.addVendors(1);
  await target.seal();
  await runSuccessfully(targetSettings, cwd, 'export', '--to', 'restored.jsonl');
  await runSuccessfully(targetSettings, cwd, 'verify', 'restored.jsonl', '--key', key);
  await target.stop();
  await runSuccessfully(targetSettings, cwd, 'backup', '--to', 'plain.jsonl');
  const plain = readFileSync(join(cwd, 'plain.jsonl'), 'utf8');
  writeFileSync(join(cwd, 'cut-backup.jsonl'), plain.slice(0, plain.lastIndexOf('{"end"')));
  writeFileSync(join(cwd, 'altered-backup.jsonl'), plain.replace('Vendor 3', 'Vendor 4'));
  for (const file of ['cut-backup.jsonl', 'altered-backup.jsonl']) {
    const result = await runOnPair(embeddedSettings(), cwd, 'restore', file);
    assert.equal([result.code, /not an intact backup of veritrail/.test(result.err)], [2, true], result.err);
  }
});

test.run();
