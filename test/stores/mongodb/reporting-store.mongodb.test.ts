import * as assert from 'uvu/assert';
import { Fenced } from '../../../src/stores/errors.ts';
import { openMongoReportingStore } from '../../../src/stores/mongodb/reporting-store.ts';
import { reportingStoreContract, TOY_SCHEMA } from '../../contract/reporting-store.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const test = reportingStoreContract(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const again = () => openMongoReportingStore(url, TOY_SCHEMA);
    const store = await again();
    return { store, again, close: () => store.close().then(close) };
  });

  test('a late command of an old writer has all rows made anew, and is its last', async () => {
    const { url, close } = (await startMongo())!;
    const old = await openMongoReportingStore(url, TOY_SCHEMA);
    await old.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    const toy = (name: string) => [{ put: { id: 'toy_1', name } }];
    const successor = await openMongoReportingStore(url, TOY_SCHEMA);
    assert.is(await successor.source(), 'first');
    await successor.update((write) => write('toys', toy('Ball')));
    // The old one has looked before the other began, and was stopped since.
    const late = old.update((write) => write('toys', toy('Bear')));
    assert.instance(await late.catch((error: unknown) => error), Fenced);
    assert.instance(await old.source().catch((error: unknown) => error), Fenced);
    assert.instance(await successor.source().catch((error: unknown) => error), Fenced);
    const again = await openMongoReportingStore(url, TOY_SCHEMA);
    assert.is(await again.source(), null);
    for (const store of [old, successor, again]) await store.close();
    await close();
  });

  test('an old writer whose rebuild ends late does not name its source', async () => {
    const { url, close } = (await startMongo())!;
    const old = await openMongoReportingStore(url, TOY_SCHEMA);
    let successor = await openMongoReportingStore(url, TOY_SCHEMA);
    await successor.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1' } }]));
    const late = old.rebuild('old', async () => undefined);
    assert.instance(await late.catch((error: unknown) => error), Fenced);
    await successor.close();
    successor = await openMongoReportingStore(url, TOY_SCHEMA);
    assert.is(await successor.source(), null, 'its removal of rows is mended');
    for (const store of [old, successor]) await store.close();
    await close();
  });

  test.after(mongo.close);
  test.run();
}
