/** A store may refuse a document for good, as MongoDB does above 15 MiB. The event at fault is parked; nothing waits. */
import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { vendor } from '../../src/commands/vendor.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import { WriteBuffer } from '../../src/projections/engine/write-buffer.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { TooLarge } from '../../src/stores/errors.ts';
import type { Commit, ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { dumpDocuments, envelopeFor, ORGANIZATION, temporaryFolder } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';
import { createOrganization, writeVendor } from '../support/stores/write-events.ts';

const PART = 'x'.repeat(900_000);
/** Two such parts fit into a document, three don't. */
const MAX_DOCUMENT_CHARACTERS = 2_500_000;

interface Context {
  folder: string;
  reads: ReadStore;
  store: MemoryEventStore;
}

const test = suite<Context>('a document that the store never takes');

test.before(async (context) => {
  context.folder = temporaryFolder();
  context.reads = openSqliteReadStore(context.folder);
  context.store = await historyWithLargeVendor();
});

test.after(async ({ folder, reads }) => {
  await reads.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a log in which the third change of one vendor makes it too large. Others change before and after it. */
async function historyWithLargeVendor(): Promise<MemoryEventStore> {
  const store = new MemoryEventStore();
  const handler = new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 366 });
  const change = (changes: object) =>
    handler.execute(
      { stream: 'vendor-vnd_L', decider: vendor },
      { type: 'UpdateVendor', changes } as never,
      envelopeFor(),
    );
  await createOrganization(handler);
  for (let index = 0; index < 10; index++) await writeVendor(handler, `vnd_${index}`);
  await writeVendor(handler, 'vnd_L', 'Large');
  await change({ description: PART });
  await change({ data_shared: PART });
  await change({ category: PART });
  for (let index = 0; index < 10; index++) await writeVendor(handler, `vnd_${index}`, `renamed ${index}`);
  await writeVendor(handler, 'vnd_L', 'Later');
  return store;
}

/** Returns the read models with a limit of a document's size. */
function limited(models: ReadModels): ReadModels {
  const commit = async (batch: Commit) => {
    const refused = batch.puts.find(({ document }) => JSON.stringify(document.doc).length > MAX_DOCUMENT_CHARACTERS);
    if (refused !== undefined) throw new TooLarge(`document ${refused.document.id} is larger than the store takes`);
    await models.commit(batch);
  };
  return new Proxy(models, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function assertParked(models: ReadModels, { log }: MemoryEventStore): Promise<void> {
  const { position, parked } = (await models.checkpoint(ORGANIZATION))!;
  assert.equal([position, parked], [log.length, 2]);
  const { vendors, parked: rows, changes } = await dumpDocuments(models, [ORGANIZATION]);
  const [reason, later] = (rows as { position: number; error: string }[]).sort((a, b) => a.position - b.position);
  assert.match(reason!.error, 'larger than the store takes');
  assert.match(later!.error, 'an earlier event of this record is parked');
  assert.is(changes!.length, log.length);
  const names = (vendors as { id: string; name: string }[]).map(({ id, name }) => [id, name]);
  const expected = Array.from({ length: 10 }, (_, index) => [`vnd_${index}`, `renamed ${index}`]);
  assert.equal(new Map(names as [string, string][]), new Map([...expected, ['vnd_L', 'Large']] as [string, string][]));
}

test('parks the event that leads to it, in any batches', async ({ reads, store }) => {
  for (const size of [store.log.length, 3, 1]) {
    const models = await reads.open(`live${size}`, COLLECTIONS);
    const applier = new Applier(store, limited(models), 'i');
    await applier.prepare();
    for (let from = 0; from < store.log.length; from += size) await applier.apply(store.log.slice(from, from + size));
    await assertParked(models, store);
  }
});

test('parks it in a build too, whose documents are written late', async ({ reads, store }) => {
  const models = await reads.open('build', COLLECTIONS);
  const writeBuffer = new WriteBuffer(limited(models));
  const applier = new Applier(store, writeBuffer, 'i');
  await applier.prepare();
  await applier.apply(store.log);
  await writeBuffer.flush(applier.checkpoints, applier.place);
  await assertParked(models, store);
});

test.run();
