import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { StoreRefused } from '../../../src/stores/errors.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { rejection } from '../../support/run/take.ts';
import { logSuite } from '../../support/stores/log-suite.ts';

const test = logSuite('embedded files that cannot be used');

test('a file that is not a database is damaged, not away', async ({ folder }) => {
  const path = join(folder, 'other.db');
  writeFileSync(path, 'This is no database. '.repeat(500));
  const error = await rejection((async () => new SqliteConnection(path, { synchronous: 'FULL' }))());
  if (!(error instanceof StoreRefused)) throw error;
  assert.match(error.finding, /damaged/);
  assert.match((error.cause as Error).message, /not a database/);
});

test('a file that may not be written says so', async ({ folder }) => {
  const connection = new SqliteConnection(join(folder, 'other.db'), { synchronous: 'FULL' });
  connection.exec('CREATE TABLE t (id INTEGER)');
  connection.exec('PRAGMA query_only = ON');
  const error = await rejection((async () => connection.run('INSERT INTO t VALUES (1)'))());
  connection.close();
  if (!(error instanceof StoreRefused)) throw error;
  assert.match(error.finding, /may not write/);
});

test.run();
