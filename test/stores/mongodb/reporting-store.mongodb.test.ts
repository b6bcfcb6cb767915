import { type Collection, MongoClient } from 'mongodb';
import * as assert from 'uvu/assert';
import { Fenced } from '../../../src/stores/errors.ts';
import { openMongoReportingStore } from '../../../src/stores/mongodb/reporting-store.ts';
import type { ReportingStore } from '../../../src/stores/reporting-store.ts';
import { SqliteRowScratch } from '../../../src/stores/sqlite/row-scratch.ts';
import { reportingStoreContract, TOY_SCHEMA } from '../../contract/reporting-store.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const open = (url: string) => openMongoReportingStore(url, TOY_SCHEMA, (schema) => new SqliteRowScratch(schema));

const mongo = await startMongo();
if (mongo) {
  const test = reportingStoreContract(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const again = () => open(url);
    const store = await again();
    return { store, again, close: () => store.close().then(close) };
  });

  test('collections that somebody deleted are made anew, and those without rows are there', async () => {
    const { url, close } = (await startMongo())!;
    const findings: string[] = [];
    const scratch = (schema: typeof TOY_SCHEMA) => new SqliteRowScratch(schema);
    const onMended = (finding: string) => findings.push(finding);
    const store = await openMongoReportingStore(url, TOY_SCHEMA, scratch, onMended, 0);
    const rebuild = () => store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    await rebuild();
    assert.equal([await store.source(), findings], ['first', []]);
    const client = await MongoClient.connect(url);
    await client.db(`${client.db().databaseName}_reports`).collection('toys').drop();
    assert.equal([await store.source(), findings], [null, ['Collections were deleted. All rows are made anew.']]);
    await rebuild();
    assert.equal([await store.source(), (await store.read('toys')).length], ['first', 1]);
    await client.close();
    await store.close();
    await close();
  });

  test('a late command of an old writer has all rows made anew, and is its last', async () => {
    const { url, close } = (await startMongo())!;
    const old = await open(url);
    await old.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    const toy = (name: string) => [{ put: { id: 'toy_1', name } }];
    const successor = await open(url);
    assert.is(await successor.source(), 'first');
    await successor.update((write) => write('toys', toy('Ball')));
    // The old one has looked before the other began, and was stopped since.
    const late = old.update((write) => write('toys', toy('Bear')));
    assert.instance(await late.catch((error: unknown) => error), Fenced);
    assert.instance(await old.source().catch((error: unknown) => error), Fenced);
    assert.instance(await successor.source().catch((error: unknown) => error), Fenced);
    const again = await open(url);
    assert.is(await again.source(), null);
    for (const store of [old, successor, again]) await store.close();
    await close();
  });

  test('an old writer whose rebuild begins late changes nothing', async () => {
    const { url, close } = (await startMongo())!;
    const old = await open(url);
    const successor = await open(url);
    await successor.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1' } }]));
    const late = old.rebuild('old', async () => undefined);
    assert.instance(await late.catch((error: unknown) => error), Fenced);
    assert.is(await successor.source(), 'first');
    assert.is((await successor.read('toys')).length, 1);
    for (const store of [old, successor]) await store.close();
    await close();
  });

  test('an old writer that another one overtakes in a rebuild does not name its source', async () => {
    const { url, close } = (await startMongo())!;
    const old = await open(url);
    let successor = old;
    const overtake = async () => {
      if (successor !== old) return;
      successor = await open(url);
      await successor.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1' } }]));
    };
    const late = old.rebuild('old', (write) => write('toys', [{ put: { id: 'toy_2' } }]), overtake);
    assert.instance(await late.catch((error: unknown) => error), Fenced);
    await successor.close();
    successor = await open(url);
    assert.is(await successor.source(), null, 'its row is mended');
    for (const store of [old, successor]) await store.close();
    await close();
  });

  /** Names of toys: the changed ones have the suffix. */
  const toys = (count: number, isChanged: (number: number) => boolean) =>
    Array.from({ length: count }, (_, number) => ({
      put: { id: `toy_${number}`, name: `Toy ${number}${isChanged(number) ? ' new' : ''}`, made_on: '2026-06-30' },
    }));

  /** Runs a test on a store that was built from 120 toys, with its collection. */
  const withToys = async (
    work: (
      store: ReportingStore,
      collection: Collection<{ _id: string; name: string; _build?: string }>,
    ) => Promise<void>,
  ) => {
    const { url, close } = (await startMongo())!;
    const client = await MongoClient.connect(url);
    const store = await open(url);
    await store.rebuild('first', (write) =>
      write(
        'toys',
        toys(120, () => false),
      ),
    );
    await work(store, client.db(`${client.db().databaseName}_reports`).collection('toys'));
    await store.close();
    await client.close();
    await close();
  };

  test('a rebuild writes the rows that differ only, and readers see every row at each moment', () =>
    withToys(async (store, collection) => {
      await collection.updateMany({}, { $set: { _build: 'of an earlier version' } });
      const isChanged = (number: number) => number % 10 === 7;
      const all = toys(121, isChanged).filter(({ put }) => put.id !== 'toy_8');
      const namesBefore = toys(121, () => false).map(({ put }) => put.name);
      let reads = 0;
      await store.rebuild(
        'second',
        (write) => write('toys', all),
        async () => {
          reads += 1;
          const names = new Map((await collection.find().toArray()).map(({ _id, name }) => [_id, name]));
          for (const { put } of all.slice(0, -1)) {
            const number = Number(put.id.slice('toy_'.length));
            assert.ok([put.name, namesBefore[number]].includes(names.get(put.id)!), `${put.id} is there`);
          }
        },
      );
      assert.ok(reads > 0);
      const documents = await collection.find().toArray();
      assert.equal(documents.map(({ name }) => name).sort(), all.map(({ put }) => put.name).sort());
      const written = documents.filter(({ _build }) => _build === undefined).map(({ _id }) => Number(_id.slice(4)));
      assert.equal(
        written.sort((a, b) => a - b),
        [...all.map(({ put }) => Number(put.id.slice(4))).filter(isChanged), 120].sort((a, b) => a - b),
      );
    }));

  test('a rebuild that ends in the middle has no source, and the next one writes only the rest', () =>
    withToys(async (store, collection) => {
      let calls = 0;
      const again = (confirm?: () => Promise<void>) =>
        store.rebuild(
          'second',
          (write) =>
            write(
              'toys',
              toys(120, () => true),
            ),
          confirm,
        );
      const killed = again(async () => {
        calls += 1;
        if (calls === 3) throw new Error('killed');
      });
      assert.match(String(await killed.catch((error: Error) => error.message)), 'killed');
      assert.is(await store.source(), null);
      const isNew = { name: { $regex: 'new$' } };
      const written = await collection.countDocuments(isNew);
      assert.ok(written > 0 && written < 120, String(written));
      await collection.updateMany(isNew, { $set: { _build: 'of an earlier version' } });
      await again();
      assert.is(await collection.countDocuments(isNew), 120);
      assert.is(await collection.countDocuments({ _build: { $exists: true } }), written);
      assert.is(await store.source(), 'second');
    }));

  test.after(mongo.close);
  test.run();
}
