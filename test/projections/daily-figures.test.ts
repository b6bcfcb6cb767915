import { rmSync } from 'node:fs';
import { openMongoReadStore } from '../../src/stores/mongodb/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { figuresSuite } from '../support/histories/figures-suite.ts';
import { temporaryFolder } from '../support/register.ts';
import { startMongo } from '../support/stores/mongodb.ts';

async function onSqlite() {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  return { reads, close: () => reads.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}

const mongo = await startMongo();

figuresSuite('SQLite', onSqlite, { runs: 2, actions: 60 }).run();

if (mongo !== null) {
  const onMongo = async () => {
    const reads = await openMongoReadStore(mongo.url);
    return { reads, close: () => reads.close().then(mongo.close) };
  };
  figuresSuite(mongo.name, onMongo, { runs: 1, actions: 20 }).run();
}
