/** A log that other programs write too. Each of their events is passed once, and health asks without passing any. */
import * as assert from 'uvu/assert';
import { Applier } from '../../src/projections/engine/applier.ts';
import { readProgress } from '../../src/projections/engine/place.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { Projections } from '../../src/projections/projections.ts';
import type { ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { INSTALLATION_ID, ORGANIZATION, SILENT_LOG } from '../support/register.ts';
import { handlerOn, logSuite } from '../support/stores/log-suite.ts';
import { SharedLog } from '../support/stores/shared-log.ts';
import { createOrganization, writeVendor } from '../support/stores/write-events.ts';

const MILLION = 1_000_000;
const WAIT_MS = 5_000;

const test = logSuite('a log with other programs’ events');

async function start(log: SharedLog, reads: ReadStore): Promise<Projections> {
  const now = () => new Date();
  const projections = new Projections({ events: log.store, reads, exclusive: true, now, log: SILENT_LOG });
  await projections.start(INSTALLATION_ID);
  return projections;
}

/** Waits for two stamps that begin after now. */
async function stampTwice({ progress }: Projections): Promise<void> {
  for (let stamp = 0; stamp < 2; stamp++) assert.ok(await progress.waitUntilCaughtUp(Date.now() + 1, WAIT_MS));
}

test('a million of them are passed at most once by an instance, at its start and later', async ({ store, folder }) => {
  const log = new SharedLog(store);
  const reads = openSqliteReadStore(folder);
  const handler = handlerOn(store);
  await createOrganization(handler);
  await writeVendor(handler, 'vnd_A');
  log.foreignCount = MILLION;
  const first = await start(log, reads);
  await stampTwice(first);
  assert.is(log.readBackwards, 0, 'the build has passed them');
  log.foreignCount += MILLION;
  await stampTwice(first);
  await stampTwice(first);
  assert.is(log.readBackwards, MILLION, 'once, not with each stamp');
  await writeVendor(handler, 'vnd_B');
  assert.ok(await first.progress.waitUntilCaughtUp(Date.now() + 1, WAIT_MS));
  assert.is(first.progress.checkpoint(ORGANIZATION)?.position, 4);
  await first.stop();
  log.readBackwards = 0;
  const second = await start(log, reads);
  assert.is(second.models.generation, first.models.generation, 'not built again');
  await stampTwice(second);
  assert.ok(log.readBackwards <= 2 * MILLION, `${log.readBackwards}`);
  await second.stop();
  await reads.close();
});

test('the place moves past them, and is stored every 10 s', async ({ store, folder }) => {
  const log = new SharedLog(store);
  const reads = openSqliteReadStore(folder);
  await createOrganization(handlerOn(store));
  const models = await reads.open('g', COLLECTIONS);
  let ms = 0;
  const applier = new Applier(log.store, models, INSTALLATION_ID, () => ms);
  for await (const batch of log.store.readAll(null)) await applier.apply(batch);
  const stored = async () => (await readProgress(log.store, models)).place;
  const ours = await stored();
  assert.equal(ours, { storePosition: (await log.store.head(null)).newest, events: 2 });
  log.foreignCount = MILLION;
  const end = await log.store.end();
  applier.moveTo(end);
  ms = 9_999;
  await applier.storePlace();
  assert.equal(await stored(), ours);
  ms = 10_000;
  await applier.storePlace();
  assert.equal(await stored(), { storePosition: end, events: 2 });
  const { n } = (await models.checkpoint(ORGANIZATION))!;
  ms = 30_000;
  await applier.storePlace();
  assert.is((await models.checkpoint(ORGANIZATION))!.n, n, 'no commit while it stands still');
  await models.close();
  await reads.close();
});

test.run();
