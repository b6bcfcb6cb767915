import { rmSync } from 'node:fs';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { figuresSuite } from '../support/histories/figures-suite.ts';
import { temporaryFolder } from '../support/register.ts';

async function onSqlite() {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  return { reads, close: () => reads.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}

figuresSuite('SQLite, long histories', onSqlite, { runs: 6, actions: 100 }).run();
