import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { type BenchRegister, tempFolder } from './bench-register.ts';
import {
  atLeast,
  atMost,
  compareTimes,
  countPerSecond,
  cpuMs,
  type Figure,
  figure,
  median,
  medianMs,
} from './measure.ts';

const ROWS = 200;
const IMPORTS = 15;

/** Compares addVendor, one at a time and 64 concurrent, with durable SQLite inserts of rows of about the same size. */
export async function writeFigures(benchRegister: BenchRegister, ms: number): Promise<Figure[]> {
  const bareTable = openBareTable();
  let index = 0;
  const add = () => {
    const name = `Added ${index++}`;
    return benchRegister.call('addVendor', {
      organization_id: benchRegister.organizationId,
      name,
      description: `Does thing ${index}`,
    });
  };
  const append = async () => bareTable.append(index++);
  const single = await compareTimes(Math.round(ms / 4), add, append);
  const rates = { inserts: [] as number[], one: [] as number[], concurrent: [] as number[] };
  const cpuUs = { one: [] as number[], concurrent: [] as number[] };
  for (let round = 0; round < 3; round++) {
    rates.inserts.push(await countPerSecond(ms / 3, 1, append));
    for (const [name, concurrency] of [['one', 1] as const, ['concurrent', 64] as const]) {
      const before = index;
      cpuUs[name].push(
        ((await cpuMs(async () => rates[name].push(await countPerSecond(ms / 3, concurrency, add)))) * 1_000) /
          (index - before),
      );
    }
  }
  bareTable.close();
  const concurrent = median(rates.concurrent);
  return [
    figure(
      'addVendor, 64 concurrent, until readable; baseline: durable SQLite inserts one at a time',
      '1/s',
      concurrent,
      median(rates.inserts),
      atLeast(0.8),
    ),
    figure('addVendor, 64 concurrent; baseline: one at a time', '1/s', concurrent, median(rates.one), atLeast(5)),
    figure(
      'addVendor, one at a time, CPU; baseline: 64 concurrent',
      'µs',
      median(cpuUs.one),
      median(cpuUs.concurrent),
      atMost(6),
    ),
    figure(
      'addVendor, one at a time, until readable, p50; baseline: one durable SQLite insert',
      'µs',
      single.value,
      single.baseline,
      atMost(6),
    ),
    await measureImport(benchRegister),
  ];
}

async function measureImport({ call, organizationId: organization_id }: BenchRegister): Promise<Figure> {
  const rows = (run: string) => Array.from({ length: ROWS }, (_, row) => ({ name: `Supplier ${run} ${row}` }));
  const importRows = () => call('importRecords', { organization_id, type: 'VENDOR', rows: rows(randomUUID()) });
  const perSecond = (ROWS * 1_000) / (await medianMs(IMPORTS, importRows));
  return figure(
    `importRecords of ${ROWS} vendors, until readable; baseline: 2,000`,
    '1/s',
    perSecond,
    2_000,
    atLeast(1),
  );
}

function openBareTable() {
  const folder = tempFolder();
  const db = new Database(join(folder, 'raw.db'));
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;');
  db.exec(
    'CREATE TABLE events(position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT, data TEXT, metadata TEXT, UNIQUE(stream, revision))',
  );
  const insert = db.prepare('INSERT INTO events(stream, revision, id, type, data, metadata) VALUES(?,?,?,?,?,?)');
  const data = JSON.stringify({ name: 'Added 1', description: 'Does thing 1' });
  const metadata = 'm'.repeat(800);
  return {
    append: (index: number) => insert.run(`vendor-${index}`, 0, `${index}`, 'VendorAdded', data, metadata),
    close() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
