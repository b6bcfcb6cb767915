import { rmSync } from 'node:fs';
import { openSqliteReadStore } from '../../../src/stores/sqlite/read-store.ts';
import { temporaryFolder } from '../register.ts';

/** Opens an embedded read store in a temporary folder, which `close` removes. */
export async function onSqlite() {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  return { reads, close: () => reads.close().then(() => rmSync(folder, { recursive: true, force: true })) };
}
