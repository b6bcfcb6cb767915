import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HistoryAppender } from '../../src/cli/history/history-appender.ts';
import { SealKeys } from '../../src/seal/seal-keys.ts';
import { openStores, type StoreSettings } from '../../src/stores/open.ts';
import { headerLine, readLine } from '../../src/trail/check/line.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { embeddedSettings, folderOfTest, type InstalledRegister, install } from '../support/run/installed.ts';
import { rejection } from '../support/run/take.ts';
import { eventsOf, runOnPair, runSuccessfully } from '../support/stores/run-on-pair.ts';
import { HEADER, linesOf, SealedHistory } from '../support/trail/sealed-history.ts';
import { withOverrides } from '../support/with-overrides.ts';

/* A restore never mixes parts of several installations. */

interface Context {
  cwd: string;
  firstBackup: TrailEvent[];
}

const test = suite<Context>('veritrail restore, into stores that have data already');

async function createFiles(cwd: string, name: string): Promise<{ events: TrailEvent[]; installed: InstalledRegister }> {
  const installed = await install();
  await installed.addVendors(4);
  await installed.seal();
  await runSuccessfully(installed.settings, cwd, 'export', '--to', `${name}.jsonl`);
  await runSuccessfully(installed.settings, cwd, 'backup', '--to', `${name}-all.jsonl`);
  return { events: await eventsOf(installed, installed.organizationId), installed };
}

test.before(async (context) => {
  context.cwd = folderOfTest();
  const { events, installed } = await createFiles(context.cwd, 'one');
  context.firstBackup = events;
  await installed.stop();
  await (await createFiles(context.cwd, 'two')).installed.stop();
});

/** Returns the settings of stores with the first events of a log. */
async function storesWith(events: readonly TrailEvent[]): Promise<StoreSettings> {
  const targetSettings = embeddedSettings();
  const stores = await openStores(targetSettings);
  for (const event of events) await stores.events.append(event.stream, [event], event.revision - 1);
  await stores.close();
  return targetSettings;
}

async function isSealingPaused(settings: StoreSettings, organizationId: string): Promise<boolean> {
  const stores = await openStores(settings);
  try {
    return await new SealKeys(stores.accounts, () => new Date()).isSealingPaused(organizationId);
  } finally {
    await stores.close();
  }
}

test('refuses another history after an interrupted restore, which can then be finished', async ({
  cwd,
  firstBackup,
}) => {
  const targetSettings = await storesWith(firstBackup.slice(0, 3));
  for (const file of ['two.jsonl', 'two-all.jsonl']) {
    const { code, err } = await runOnPair(targetSettings, cwd, 'restore', file);
    assert.equal([code, /have a log, but no accounts|have another history/.test(err)], [1, true], err);
  }
  const { err } = await runSuccessfully(targetSettings, cwd, 'restore', 'one.jsonl');
  assert.match(err, /\(3 were already there\)/);
});

test('finishes an interrupted restore after a service ran on its first half', async ({ cwd, firstBackup }) => {
  const service = await install();
  const { settings, stores } = service;
  const id = firstBackup[0]!.metadata.organization_id;
  const keys = new SealKeys(stores.accounts, () => new Date());
  const appender = new HistoryAppender(
    stores.events,
    ({ metadata }) => metadata.organization_id === id,
    () => keys.pauseSealing(id),
  );
  for (const event of firstBackup.slice(0, 4)) await appender.take(event);
  await appender.end();
  await service.seal();
  await service.stop();
  assert.is(await isSealingPaused(settings, id), true);
  assert.match((await runSuccessfully(settings, cwd, 'restore', 'one.jsonl')).err, /\(4 were already there\)/);
  assert.is(await isSealingPaused(settings, id), false);
  const repeated = await install(settings);
  await repeated.seal();
  assert.equal((await eventsOf(repeated, id)).slice(0, firstBackup.length), firstBackup);
  assert.ok(
    (await eventsOf(repeated, id)).slice(firstBackup.length).some(({ type }) => type === 'LogSealed'),
    'it is sealed again',
  );
  await repeated.stop();
});

test('stops if the store changes the order of events', async ({ firstBackup }) => {
  const stores = await openStores(embeddedSettings());
  const events = withOverrides(stores.events, {
    appendInOrder: async (batches) => (await stores.events.appendInOrder(batches)).reverse(),
  });
  const history = new HistoryAppender(events, () => true);
  for (const event of firstBackup) await history.take(event);
  assert.match(String(await rejection(history.end())), /changed the order.*Restore into empty stores/);
  await stores.close();
});

test('doesn’t pause sealing when it refuses another history', async ({ cwd }) => {
  const service = await install();
  const { settings, organizationId } = service;
  await runSuccessfully(settings, cwd, 'export', '--to', 'short.jsonl');
  await service.seal();
  await service.stop();
  const lines = readFileSync(join(cwd, 'short.jsonl'), 'utf8').trimEnd().split('\n');
  const other = new SealedHistory(organizationId);
  const first = readLine(lines[1]!);
  assert.ok(first.kind === 'EVENT');
  other.continue([first.event]);
  for (let n = 0; n < 9; n += 1) other.append('vendor-1', 'VendorAdded', { n });
  const header = { ...HEADER, organization_id: organizationId };
  writeFileSync(join(cwd, 'other.jsonl'), `${linesOf(other.events).with(0, headerLine(header)).join('\n')}\n`);
  const { code, err } = await runOnPair(settings, cwd, 'restore', 'other.jsonl');
  assert.equal([code, /The stores have another history/.test(err)], [1, true], err);
  assert.is(await isSealingPaused(settings, organizationId), false);
});

test('of a backup removes the records of an interrupted restore of an older backup', async ({ cwd, firstBackup }) => {
  const targetSettings = await storesWith(firstBackup);
  const stores = await openStores(targetSettings);
  await stores.accounts.put('tokens', { id: 'tok_OLD', hash: 'revoked since', account_id: 'acc_1' });
  await stores.close();
  await runSuccessfully(targetSettings, cwd, 'restore', 'one-all.jsonl');
  const target = await openStores(targetSettings);
  assert.is(await target.accounts.get('tokens', 'tok_OLD'), null);
  assert.is((await target.accounts.all('tokens')).length, 1);
  await target.close();
});

test('refuses keys that signed no seal of the history', async ({ cwd }) => {
  const targetSettings = embeddedSettings();
  const { code, err } = await runOnPair(targetSettings, cwd, 'restore', 'one.jsonl', '--keys', 'two-all.jsonl');
  assert.equal([code, /No key in that backup/.test(err)], [1, true], err);
  await runSuccessfully(targetSettings, cwd, 'restore', 'one.jsonl', '--keys', 'one-all.jsonl');
});

test('refuses a backup with lines after its end', async ({ cwd }) => {
  const text = readFileSync(join(cwd, 'one-all.jsonl'), 'utf8');
  for (const trailing of ['x', '{}\n']) {
    writeFileSync(join(cwd, 'longer.jsonl'), text + trailing);
    const { code, err } = await runOnPair(embeddedSettings(), cwd, 'restore', 'longer.jsonl');
    assert.equal([code, /lines after its end/.test(err)], [2, true], err);
  }
});

test.run();
