import * as assert from 'uvu/assert';
import { openMongoAccountStore } from '../../../src/stores/mongodb/account-store.ts';
import { accountStoreContract } from '../../contract/account-store.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const test = accountStoreContract(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const store = await openMongoAccountStore(url);
    return { store, close: () => store.close().then(close) };
  });

  test('has its records and indexes after it is opened again', async () => {
    const { url, close } = (await startMongo())!;
    for (const round of [1, 2, 3]) {
      const store = await openMongoAccountStore(url);
      assert.ok(await store.insert('tokens', { id: `tok_${round}`, hash: `h${round}` }));
      assert.not(await store.insert('tokens', { id: 'tok_x', hash: 'h1' }));
      assert.is((await store.all('tokens')).length, round);
      await store.close();
    }
    await close();
  });

  test.after(mongo.close);
  test.run();
}
