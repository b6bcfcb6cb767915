import { rmSync } from 'node:fs';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { derivedSuite } from '../support/histories/derived-suite.ts';
import { temporaryFolder } from '../support/register.ts';

async function onSqlite() {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  return { reads, close: () => reads.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}

derivedSuite('SQLite, long histories', onSqlite, { runs: 40, actions: 150 }).run();
