import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { eventStoreContract } from '../../contract/event-store.ts';

eventStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-events-'));
  const opened = [openSqliteEventStore(folder, { pollMs: 10 })];
  return {
    store: opened[0]!,
    async reopen() {
      const store = openSqliteEventStore(folder, { pollMs: 10 });
      opened.push(store);
      return store;
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
