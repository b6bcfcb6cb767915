import { openMongoReadStore } from '../../../src/stores/mongodb/read-store.ts';
import { readStoreContract } from '../../contract/read-store.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const test = readStoreContract(mongo.name, async () => {
    const { url, close } = (await startMongo())!;
    const store = await openMongoReadStore(url);
    return { store, close: () => store.close().then(close) };
  });
  test.after(mongo.close);
  test.run();
}
