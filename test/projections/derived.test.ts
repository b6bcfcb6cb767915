import { rmSync } from 'node:fs';
import { openMongoReadStore } from '../../src/stores/mongodb/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { derivedSuite } from '../support/histories/derived-suite.ts';
import { temporaryFolder } from '../support/register.ts';
import { startMongo } from '../support/stores/mongodb.ts';

async function onSqlite() {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  return { reads, close: () => reads.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}

const mongo = await startMongo();

derivedSuite('SQLite', onSqlite, { runs: 2, actions: 50 }).run();

if (mongo !== null) {
  const onMongo = async () => {
    const reads = await openMongoReadStore(mongo.url);
    return { reads, close: () => reads.close().then(mongo.close) };
  };
  derivedSuite(mongo.name, onMongo, { runs: 1, actions: 30, stride: 30 }).run();
}
