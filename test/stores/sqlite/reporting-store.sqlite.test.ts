import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import * as assert from 'uvu/assert';
import { openSqliteReportingStore } from '../../../src/stores/sqlite/reporting-store.ts';
import { reportingStoreContract, TOY_SCHEMA } from '../../contract/reporting-store.ts';
import { temporaryFolder } from '../../support/register.ts';

const test = reportingStoreContract('SQLite', async () => {
  const folder = temporaryFolder();
  const again = () => openSqliteReportingStore(folder, TOY_SCHEMA);
  const store = await again();
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, again, close };
});

/** A store in a folder of its own, and what it has mended. */
async function withStore(
  body: (context: {
    store: Awaited<ReturnType<typeof openSqliteReportingStore>>;
    folder: string;
    path: string;
    findings: string[];
  }) => Promise<void>,
  checkIntervalMs?: number,
): Promise<void> {
  const folder = join(temporaryFolder(), 'reports');
  const findings: string[] = [];
  const onMended = (finding: string) => findings.push(finding);
  const store = await openSqliteReportingStore(folder, TOY_SCHEMA, onMended, checkIntervalMs);
  try {
    await body({ store, folder, path: join(folder, 'reports.db'), findings });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

const names = (db: Database.Database) => (db.prepare('SELECT name FROM toys').raw().all() as [string][]).flat();

test('an open connection sees the rows of a rebuild, and those before until its end', () =>
  withStore(async ({ store, path }) => {
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    const reader = new Database(path, { readonly: true });
    assert.equal(names(reader), ['Bear']);
    await store.rebuild('second', async (write) => {
      await write('toys', [{ put: { id: 'toy_2', name: 'Ball' } }]);
      assert.equal(names(reader), ['Bear']);
    });
    assert.equal(names(reader), ['Ball']);
    reader.close();
  }));

test('damage of pages that the service does not read is found while it runs', () =>
  withStore(async ({ store, path, findings }) => {
    const toys = Array.from({ length: 500 }, (_, n) => ({ put: { id: `toy_${n}`, name: 'Bear '.repeat(20) } }));
    await store.rebuild('first', (write) => write('toys', toys));
    assert.equal([await store.source(), findings], ['first', []]);
    const file = readFileSync(path);
    writeFileSync(path, file.fill(0xa5, file.length >> 1), { flag: 'r+' });
    assert.equal([await store.source(), findings], [null, ['The file was damaged. It is made anew.']]);
    await store.rebuild('second', (write) => write('toys', toys));
    assert.is(await store.source(), 'second');
  }, 0));

test('a failed update leaves the rows as they were', () =>
  withStore(async ({ store }) => {
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    const failing = store.update(async (write) => {
      await write('toys', [{ remove: { id: 'toy_1' } }]);
      throw new Error('no');
    });
    assert.is(await failing.catch((error: Error) => error.message), 'no');
    assert.is((await store.read('toys')).length, 1);
  }));

test('a reader in a transaction holds nothing up, and keeps its rows', () =>
  withStore(async ({ store, path }) => {
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    assert.equal(names(reader), ['Bear']);
    await store.update((write) => write('toys', [{ put: { id: 'toy_2', name: 'Ball' } }]));
    await store.rebuild('second', (write) => write('toys', [{ put: { id: 'toy_3', name: 'Boat' } }]));
    assert.equal(names(reader), ['Bear']);
    reader.exec('COMMIT');
    assert.equal(names(reader), ['Boat']);
    reader.close();
  }));

test('after a clean stop the file needs no other file, and others may be allowed to read it', async () => {
  const folder = join(temporaryFolder(), 'reports');
  const store = await openSqliteReportingStore(folder, TOY_SCHEMA);
  await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Bear' } }]));
  assert.equal(readdirSync(folder).sort(), ['reports.db', 'reports.db-shm', 'reports.db-wal']);
  await store.close();
  assert.equal(readdirSync(folder), ['reports.db']);
  assert.is(statSync(folder).mode & 0o777, 0o750);
  assert.is(statSync(join(folder, 'reports.db')).mode & 0o777, 0o640);
  rmSync(folder, { recursive: true });
});

test('a removed row leaves the files, and those before a rebuild', () =>
  withStore(async ({ store, folder }) => {
    const bytes = () => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
    const holds = (text: string) => bytes().some((content) => content.includes(text));
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1', name: 'Priya Raman' } }]));
    await store.update((write) => write('toys', [{ put: { id: 'toy_2', name: 'Lena Auditor' } }]));
    assert.ok(holds('Priya Raman') && holds('Lena Auditor'));
    await store.update((write) => write('toys', [{ remove: { id: 'toy_1' } }]));
    assert.not.ok(holds('Priya Raman'));
    await store.rebuild('second', (write) => write('toys', [{ put: { id: 'toy_3', name: 'Ball' } }]));
    assert.not.ok(holds('Lena Auditor'));
  }));

test('a deleted file is made anew, and a replaced one', () =>
  withStore(async ({ store, path, findings }) => {
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1' } }]));
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
    assert.is(await store.source(), null);
    await store.rebuild('second', (write) => write('toys', [{ put: { id: 'toy_2' } }]));
    assert.ok(existsSync(path));
    assert.is(await store.source(), 'second');
    rmSync(path);
    writeFileSync(path, 'no database');
    assert.is(await store.source(), null);
    await store.rebuild('third', (write) => write('toys', [{ put: { id: 'toy_3' } }]));
    assert.equal(
      (await store.read('toys')).map(({ id }) => id),
      ['toy_3'],
    );
    assert.ok(findings.length >= 2, findings.join());
  }));

test('a file that was damaged while the service did not run is made anew', async () => {
  const folder = join(temporaryFolder(), 'reports');
  mkdirSync(folder);
  for (const length of [1_000, 100_000]) {
    writeFileSync(join(folder, 'reports.db'), 'no database '.repeat(length));
    const findings: string[] = [];
    const store = await openSqliteReportingStore(folder, TOY_SCHEMA, (finding) => findings.push(finding));
    assert.is(await store.source(), null);
    assert.equal(findings, ['The file was damaged. It is made anew.']);
    await store.rebuild('first', (write) => write('toys', [{ put: { id: 'toy_1' } }]));
    assert.is((await store.read('toys')).length, 1);
    await store.close();
  }
  rmSync(folder, { recursive: true });
});

test('a folder that may not be written is refused, with what to do', async () => {
  const parent = temporaryFolder();
  writeFileSync(join(parent, 'file'), '');
  chmodSync(parent, 0o500);
  const error = await openSqliteReportingStore(join(parent, 'file', 'reports'), TOY_SCHEMA).catch((e: Error) => e);
  assert.match((error as Error).message, /may not write to the folder .* REPORTS_DIR/);
  chmodSync(parent, 0o700);
  rmSync(parent, { recursive: true });
});

test.run();
