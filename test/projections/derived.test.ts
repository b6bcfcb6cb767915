import { openMongoReadStore } from '../../src/stores/mongodb/read-store.ts';
import { derivedSuite } from '../support/histories/derived-suite.ts';
import { onSqlite } from '../support/histories/sqlite-reads.ts';
import { startMongo } from '../support/stores/mongodb.ts';

const mongo = await startMongo();

derivedSuite('SQLite', onSqlite, { runs: 2, actions: 50 }).run();

if (mongo !== null) {
  const onMongo = async () => {
    const reads = await openMongoReadStore(mongo.url);
    return { reads, close: () => reads.close().then(mongo.close) };
  };
  derivedSuite(mongo.name, onMongo, { runs: 1, actions: 30, stride: 30 }).run();
}
