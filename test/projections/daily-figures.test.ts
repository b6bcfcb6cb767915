import { openMongoReadStore } from '../../src/stores/mongodb/read-store.ts';
import { figuresSuite } from '../support/histories/figures-suite.ts';
import { onSqlite } from '../support/histories/sqlite-reads.ts';
import { startMongo } from '../support/stores/mongodb.ts';

const mongo = await startMongo();

figuresSuite('SQLite', onSqlite, { runs: 2, actions: 60 }).run();

if (mongo !== null) {
  const onMongo = async () => {
    const reads = await openMongoReadStore(mongo.url);
    return { reads, close: () => reads.close().then(mongo.close) };
  };
  figuresSuite(mongo.name, onMongo, { runs: 1, actions: 20 }).run();
}
