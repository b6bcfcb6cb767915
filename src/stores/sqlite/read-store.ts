import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionSpec, ReadModels, ReadStore, SharedEntry } from '../read-store.ts';
import { SqliteConnection, whenUnlocked, whenUnlockedInPlace } from './connection.ts';
import { SqliteReadModels } from './read-models.ts';

/** Stores the shared entries in `<folder>/read.db`, and each generation in its own `<folder>/read-<generation>.db`. */
export function openSqliteReadStore(folder: string): ReadStore {
  return whenUnlockedInPlace(() => new SqliteReadStore(folder));
}

const ENTRIES_TABLE =
  'CREATE TABLE IF NOT EXISTS register (name TEXT PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL)';

const REPLACE_ENTRY = 'UPDATE register SET version = version + 1, value = ? WHERE name = ? AND version = ?';

const GENERATION_FILE = /^read-(.+)\.db$/;

class SqliteReadStore implements ReadStore {
  readonly #folder: string;
  readonly #entries: SqliteConnection;
  readonly #openModels = new Set<ReadModels>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#entries = new SqliteConnection(join(folder, 'read.db'), { synchronous: 'NORMAL' });
    this.#entries.setUp(() => this.#entries.exec(ENTRIES_TABLE));
  }

  async open(generation: string, collections: readonly CollectionSpec[], isBuilding = false): Promise<ReadModels> {
    const path = this.#path(generation);
    const models = await whenUnlocked(() => new SqliteReadModels(path, generation, collections, isBuilding));
    this.#openModels.add(models);
    return models;
  }

  async drop(generation: string): Promise<void> {
    // Writes pending entries to disk first, so that no entry names a deleted file after a power cut.
    this.#entries.exec('PRAGMA wal_checkpoint(PASSIVE)');
    await this.#closeModels((models) => models.generation === generation);
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path(generation) + suffix, { force: true });
  }

  async generations(): Promise<string[]> {
    return readdirSync(this.#folder).flatMap((file) => {
      const name = GENERATION_FILE.exec(file)?.[1];
      return name ? [decodeURIComponent(name)] : [];
    });
  }

  async sharedEntry<T>(name: string): Promise<SharedEntry<T> | null> {
    const sql = 'SELECT value, version FROM register WHERE name = ?';
    const row = await whenUnlocked(() => this.#entries.get(sql, [name]));
    return row ? { value: JSON.parse(row[0] as string) as T, version: row[1] as number } : null;
  }

  async compareAndSet(name: string, version: number, value: unknown): Promise<boolean> {
    const text = JSON.stringify(value);
    const replace = () =>
      version === 0
        ? this.#entries.run('INSERT OR IGNORE INTO register VALUES (?, 1, ?)', [name, text])
        : this.#entries.run(REPLACE_ENTRY, [text, name, version]);
    return (await whenUnlocked(replace)).changes === 1;
  }

  async close(): Promise<void> {
    await this.#closeModels(() => true);
    this.#entries.close();
  }

  async #closeModels(matches: (models: ReadModels) => boolean): Promise<void> {
    for (const models of this.#openModels) {
      if (!matches(models)) continue;
      this.#openModels.delete(models);
      await models.close();
    }
  }

  #path(generation: string): string {
    return join(this.#folder, `read-${encodeURIComponent(generation)}.db`);
  }
}
