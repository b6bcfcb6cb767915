import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { type Bed, tempFolder } from './data.ts';
import { type Figure, figure, inTurn, rate } from './measure.ts';

/** Adds vendors one at a time and 64 at once, against bare durable SQLite inserts of a row of the same size. */
export async function writeFigures(bed: Bed, ms: number): Promise<Figure[]> {
  const raw = rawAppend();
  let index = 0;
  const add = () => {
    const name = `Added ${index++}`;
    return bed.call('addVendor', { organization_id: bed.organizationId, name, description: `Does thing ${index}` });
  };
  const append = async () => raw.append(index++);
  const alone = await inTurn(Math.round(ms / 4), add, append);
  const rates: { raw: number; one: number; many: number }[] = [];
  for (let round = 0; round < 3; round++) {
    rates.push({
      raw: await rate(ms / 3, 1, append),
      one: await rate(ms / 3, 1, add),
      many: await rate(ms / 3, 64, add),
    });
  }
  raw.close();
  const of = (key: 'raw' | 'one' | 'many') => rates.map((r) => r[key]).sort((a, b) => a - b)[1]!;
  return [
    figure(
      'addVendor at 64 at once, readable, to raw durable SQLite appends one at a time',
      '1/s',
      of('many'),
      of('raw'),
      '>=',
      0.5,
    ),
    figure('addVendor at 64 at once to one at a time', '1/s', of('many'), of('one'), '>=', 1.5),
    figure('addVendor alone, readable, to one durable append, p50', 'µs', alone.a, alone.b, '<=', 4),
  ];
}

function rawAppend() {
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
