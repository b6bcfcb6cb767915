import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionSpec, ReadModels, ReadStore, RegisterEntry } from '../read-store.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteReadModels } from './read-models.ts';

/** Stores the register in `<folder>/read.db`, and each generation in its own `<folder>/read-<generation>.db`. */
export function openSqliteReadStore(folder: string): ReadStore {
  return new SqliteReadStore(folder);
}

const GENERATION_FILE = /^read-(.+)\.db$/;

class SqliteReadStore implements ReadStore {
  readonly #folder: string;
  readonly #register: SqliteConnection;
  readonly #openModels = new Set<ReadModels>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#register = new SqliteConnection(join(folder, 'read.db'), { synchronous: 'NORMAL' });
    this.#register.exec(
      'CREATE TABLE IF NOT EXISTS register (name TEXT PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL)',
    );
  }

  async open(generation: string, collections: readonly CollectionSpec[], building = false): Promise<ReadModels> {
    const models = new SqliteReadModels(this.#path(generation), generation, collections, building);
    this.#openModels.add(models);
    return models;
  }

  async drop(generation: string): Promise<void> {
    // Syncs the register, so that after a power cut no entry points to the deleted file.
    this.#register.exec('PRAGMA wal_checkpoint(PASSIVE)');
    await this.#closeModels((models) => models.generation === generation);
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path(generation) + suffix, { force: true });
  }

  async generations(): Promise<string[]> {
    return readdirSync(this.#folder).flatMap((file) => {
      const name = GENERATION_FILE.exec(file)?.[1];
      return name ? [decodeURIComponent(name)] : [];
    });
  }

  async register<T>(name: string): Promise<RegisterEntry<T> | null> {
    const row = this.#register.get('SELECT value, version FROM register WHERE name = ?', [name]);
    return row ? { value: JSON.parse(row[0] as string) as T, version: row[1] as number } : null;
  }

  async compareAndSet(name: string, version: number, value: unknown): Promise<boolean> {
    const text = JSON.stringify(value);
    const { changes } =
      version === 0
        ? this.#register.run('INSERT OR IGNORE INTO register VALUES (?, 1, ?)', [name, text])
        : this.#register.run('UPDATE register SET version = version + 1, value = ? WHERE name = ? AND version = ?', [
            text,
            name,
            version,
          ]);
    return changes === 1;
  }

  async close(): Promise<void> {
    await this.#closeModels(() => true);
    this.#register.close();
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
