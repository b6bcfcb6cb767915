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

  test.after(mongo.close);
  test.run();
}
