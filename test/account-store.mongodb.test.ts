import { openMongoAccountStore } from '../src/stores/mongodb/account-store.ts';
import { accountStoreContract } from './contract/account-store.ts';
import { startMongo } from './support/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const test = accountStoreContract(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const store = await openMongoAccountStore(url);
    return { store, close: () => store.close().then(close) };
  });
  test.after(mongo.close);
  test.run();
}
