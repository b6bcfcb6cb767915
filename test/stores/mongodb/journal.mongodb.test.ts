import { MongoClient } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Fenced } from '../../../src/stores/errors.ts';
import type { CommitStep, OnCommitStep } from '../../../src/stores/mongodb/journal.ts';
import { openMongoReadStore } from '../../../src/stores/mongodb/read-store.ts';
import type { ReadModels, StoredDocument } from '../../../src/stores/read-store.ts';
import { checkpoint, find, put, puts, SPECS, vendor } from '../../contract/read-fixtures.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
const test = suite(`journal: ${mongo?.name}`);

class Killed extends Error {}

/** Returns the error of an interrupted commit. The store's callers see it as an outage. */
const cutOff = (commit: Promise<void>) => commit.catch((error: Error) => error.cause);

/** Runs a test with a database and a function that starts runners on it. */
async function withRunners(
  body: (start: (onStep?: OnCommitStep) => Promise<ReadModels>, url: string) => Promise<void>,
) {
  const { url, close } = (await startMongo())!;
  const stores: { close(): Promise<void> }[] = [];
  const start = async (onStep?: OnCommitStep) => {
    const store = await openMongoReadStore(url, onStep && { onStep });
    stores.push(store);
    return store.open('g1', SPECS);
  };
  try {
    await body(start, url);
  } finally {
    for (const store of stores) await store.close();
    await close();
  }
}

const smallBatch = (name: string) => ['v1', 'v2'].map((id) => vendor(id, { name }));

/** More documents than fit into one part of the journal. */
const largeBatch = (name: string): StoredDocument[] =>
  ['v1', 'v2', 'v3'].map((id) => ({ ...vendor(id, { name }), doc: { name, text: 'x'.repeat(3 << 18) } }));

/** A batch of these documents and a version of each in their history. */
const commitBoth = (models: ReadModels, n: number, documents: readonly StoredDocument[]) => {
  const versions = documents.map(({ id }) => vendor(`${id}@${n}`, { name: 'version' }));
  return models.commit({
    checkpoint: checkpoint(n),
    puts: [...puts(documents), ...puts(versions, 'vendors_history')],
  });
};

const readNames = async (models: ReadModels, collection = 'vendors') =>
  [...new Set((await find(models, { collection })).map((hit) => hit.doc.name))].sort().join(' ');

async function partsLeft(url: string): Promise<number> {
  const client = await MongoClient.connect(url);
  const remaining = await client.db().collection('_parts__g1').countDocuments();
  await client.close();
  return remaining;
}

for (const [size, batch] of Object.entries({ small: smallBatch, large: largeBatch })) {
  for (const step of ['journal', 'documents', 'checkpoint'] as const) {
    test(`the next runner finishes a ${size} batch interrupted after ${step}, once`, () =>
      withRunners(async (start, url) => {
        await put(await start(), 1, smallBatch('old'));
        const killed = await start((onReached) => {
          if (onReached === step) throw new Killed();
        });
        assert.instance(await cutOff(commitBoth(killed, 2, batch('new'))), Killed);

        const next = await start();
        await next.recover();
        await next.recover();
        assert.is(await readNames(next), 'new');
        assert.is((await find(next, { collection: 'vendors_history' })).length, batch('').length);
        assert.equal(await next.checkpoint('org_a'), checkpoint(2));
        assert.is(await partsLeft(url), 0);
        await put(next, 3, [vendor('v1', { name: 'newer' })]);
        assert.is(await readNames(next), 'new newer');
      }));
  }
}

test('a batch interrupted before it is journalled has no effect', () =>
  withRunners(async (start, url) => {
    await put(await start(), 1, smallBatch('old'));
    const killed = await start((onReached) => {
      if (onReached === 'parts') throw new Killed();
    });
    assert.instance(await cutOff(commitBoth(killed, 2, largeBatch('lost'))), Killed);
    const next = await start();
    await next.recover();
    assert.is(await readNames(next), 'old');
    assert.is((await next.checkpoint('org_a'))?.n, 1);
    await put(next, 2, smallBatch('new'));
    await next.recover();
    assert.is(await readNames(next), 'new');
    assert.is(await partsLeft(url), 0);
  }));

test('a document that this runner wrote and somebody removed is written again', () =>
  withRunners(async (start, url) => {
    const models = await start();
    await put(models, 1, smallBatch('old'));
    const client = await MongoClient.connect(url);
    await client.db().collection('vendors__g1').deleteMany({ name: 'old' });
    await client.close();
    assert.is(await readNames(models), '');
    await put(models, 2, smallBatch('new'));
    assert.is((await find(models, { collection: 'vendors' })).length, 2);
    assert.is(await readNames(models), 'new');
  }));

test('a complete large batch leaves no parts in the journal', () =>
  withRunners(async (start, url) => {
    const models = await start();
    await put(models, 1, largeBatch('new'));
    assert.is(await readNames(models), 'new');
    assert.is(await partsLeft(url), 0);
  }));

test('recovery writes the missing half of the documents, and repeats none', () =>
  withRunners(async (start, url) => {
    await put(await start(), 1, smallBatch('old'));
    const killed = await start((onReached) => {
      if (onReached === 'journal') throw new Killed();
    });
    await commitBoth(killed, 2, smallBatch('new')).catch(() => undefined);
    const client = await MongoClient.connect(url);
    const rows = client.db().collection<{ _id: string }>('vendors__g1');
    await rows.updateOne({ _id: 'v2' }, { $set: { name: 'new', _n: 2 } });
    await client.close();
    const next = await start();
    await next.recover();
    assert.is(await readNames(next), 'new');
    assert.is((await find(next)).length, 2);
  }));

test('an interrupted batch is finished before the next one is journalled', () =>
  withRunners(async (start) => {
    const killed = await start((onReached) => {
      if (onReached === 'journal') throw new Killed();
    });
    await put(killed, 1, smallBatch('one')).catch(() => undefined);
    const next = await start();
    await put(next, 2, [vendor('v2', { name: 'two' })]);
    assert.is(await readNames(next), 'one two');
    assert.is((await next.checkpoint('org_a'))?.n, 2);
  }));

for (const step of ['journal', 'documents', 'checkpoint'] as const) {
  test(`a runner that resumes an old batch after ${step} changes nothing`, () =>
    withRunners(async (start) => {
      const { promise, sleep, wake } = pause(step);
      const old = await start(sleep);
      const sleeper = commitBoth(old, 1, smallBatch('old'));
      await promise;
      const next = await start();
      await next.recover();
      await put(next, 2, [vendor('v1', { name: 'newer' })]);
      wake();
      await sleeper;
      assert.is(await readNames(next), 'newer old');
      assert.is((await next.checkpoint('org_a'))?.n, 2);
      assert.instance(await put(old, 2, smallBatch('late')).catch((e: unknown) => e), Fenced);
      assert.is(await readNames(next), 'newer old');
    }));
}

test('a runner that resumes before its batch is journalled is fenced, and its parts are removed', () =>
  withRunners(async (start, url) => {
    const { promise, sleep, wake } = pause('parts');
    const sleeper = commitBoth(await start(sleep), 1, largeBatch('late')).catch((e: unknown) => e);
    await promise;
    const next = await start();
    await put(next, 1, smallBatch('first'));
    wake();
    assert.instance(await sleeper, Fenced);
    assert.is(await readNames(next), 'first');
    assert.is(await readNames(next, 'vendors_history'), '');
    assert.is(await partsLeft(url), 0);
  }));

test('of two runners that commit the same batches, one commits each, once and completely', () =>
  withRunners(async (start) => {
    const batches = 12;
    const run = async (who: string): Promise<number[]> => {
      const models = await start();
      const won: number[] = [];
      for (let n = 1; n <= batches; n++) {
        const documents = [vendor('shared', { name: who, score: n }), vendor(`v${n}`, { name: who })];
        const outcome = await put(models, n, documents).catch((error: unknown) => error);
        if (outcome === undefined) won.push(n);
        else {
          assert.instance(outcome, Fenced);
          await models.recover();
        }
      }
      return won;
    };
    const [a, b] = await Promise.all([run('a'), run('b')]);
    assert.is(a.length + b.length, batches);
    const models = await start();
    const winner = (n: number) => (a.includes(n) ? 'a' : 'b');
    for (let n = 1; n <= batches; n++) assert.is((await models.get('vendors', [`v${n}`]))[0]?.doc.name, winner(n));
    const shared = (await models.get('vendors', ['shared']))[0]?.doc;
    assert.is(shared?.score, batches);
    assert.is(shared?.name, winner(batches));
    assert.is((await models.checkpoint('org_a'))?.n, batches);
  }));

/** Pauses a runner when it first reaches a step, until the test resumes it. */
function pause(step: CommitStep) {
  let onArrival = () => {};
  let wake = () => {};
  const promise = new Promise<void>((resolve) => {
    onArrival = resolve;
  });
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const sleep: OnCommitStep = (onReached) => {
    if (onReached !== step) return;
    onArrival();
    return woken;
  };
  return { promise, sleep, wake: () => wake() };
}

if (mongo) {
  test.after(mongo.close);
  test.run();
}
