/** A generation that is dropped while an instance stands still, or while a read is under way. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { openMongoReadStore } from '../../../src/stores/mongodb/read-store.ts';
import type { ReadModels } from '../../../src/stores/read-store.ts';
import { find, KEYED, put, SPECS } from '../../contract/read-fixtures.ts';
import { rejection } from '../../support/run/take.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

/** An instance that stood still for a minute. */
const PAUSE_MS = 60_000;

const READS: Record<string, (models: ReadModels) => Promise<unknown>> = {
  find: (models) => find(models),
  count: (models) => models.count({ collection: 'vendors', organizationId: 'org_a', where: [] }),
  'count by a key': (models) => models.count({ collection: 'vendors', organizationId: 'org_a', where: [] }, ['status']),
  countDistinct: (models) =>
    models.countDistinct({ collection: 'vendors', organizationId: 'org_a', where: [] }, 'name'),
  get: (models) => models.get('vendors', ['v1']),
};

const mongo = await startMongo();
if (mongo) {
  const test = suite(`a dropped generation on ${mongo.name}`);

  test('is not read as an empty one, not even once somebody has created it again', async () => {
    let ms = 0;
    const paused = await openMongoReadStore(mongo.url, { now: () => ms });
    const dropper = await openMongoReadStore(mongo.url);
    const models = await paused.open('g', SPECS);
    await put(models, 1, KEYED);
    assert.is((await find(models)).length, KEYED.length);
    ms += PAUSE_MS;
    await dropper.drop('g');
    for (const isCreatedAgain of [false, true]) {
      if (isCreatedAgain) await dropper.open('g', SPECS);
      for (const [name, read] of Object.entries(READS)) {
        assert.instance(await rejection(read(models)), StoreUnavailable, name);
      }
    }
    await dropper.drop('g');
    await paused.close();
    await dropper.close();
  });

  test('an empty answer of one that exists is an answer', async () => {
    let ms = 0;
    const store = await openMongoReadStore(mongo.url, { now: () => ms });
    const models = await store.open('empty', SPECS);
    for (const read of Object.values(READS)) {
      ms += PAUSE_MS;
      await read(models);
    }
    await store.drop('empty');
    await store.close();
  });

  test.after(mongo.close);
  test.run();
}
