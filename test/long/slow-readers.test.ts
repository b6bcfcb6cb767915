/** Many clients that read large reports slowly: the reports wait on the disk, not in memory. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadsInThread } from '../../src/app/threads/reads-in-thread.ts';
import { ServiceClock } from '../../src/clock/service-clock.ts';
import { openSpool } from '../../src/http/files/spooled-files.ts';
import { callerAs, ORGANIZATION, startRegister } from '../support/register.ts';

const VENDORS = 1_000;
const READERS = 150;
const READERS_PER_ACCOUNT = 15;
const MIB = 1 << 20;
const DESCRIPTION = 'Keeps our records. '.repeat(50);

const test = suite('slow readers');

test('150 slow readers of a report cost less memory than a third of their files', async () => {
  const register = await startRegister();
  const rows = Array.from({ length: VENDORS }, (_, index) => ({ name: `Vendor ${index}`, description: DESCRIPTION }));
  for (let first = 0; first < VENDORS; first += 200) {
    const input = { organization_id: ORGANIZATION, type: 'VENDOR', rows: rows.slice(first, first + 200) };
    assert.not('error' in (await register.call('importRecords', input)));
  }
  const ignore = () => undefined;
  const { files: spool, close } = openSpool(register.folder);
  const reads = new ReadsInThread({
    settings: {
      stores: { dataDir: register.folder, eventStoreUrl: null, mongodbUrl: null },
      cursorKey: Buffer.from('a key for tests'),
      version: 'test',
      time: new ServiceClock().shared.memory,
    },
    served: () => register.reader.snapshot(),
    spool,
    reportGenerated: ignore,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // Leaves little room for garbage, which would hide what is measured.
    maxHeapMb: 128,
  });
  const open = async (reader: number) => {
    const caller = callerAs('OWNER', { account_id: `acc_${Math.floor(reader / READERS_PER_ACCOUNT)}` });
    const input = { organization_id: ORGANIZATION, type: 'VENDORS' } as const;
    const call = { caller, input, format: 'html', ifNoneMatch: '', registerUrl: '' };
    const { file } = await reads.reportFiles.generate(call, new AbortController().signal);
    await file!.chunks.next();
    return file!;
  };
  try {
    const first = [];
    for (let reader = 0; reader < READERS_PER_ACCOUNT; reader += 1) first.push(await open(reader));
    const before = process.memoryUsage().rss;
    const others = [];
    for (let reader = READERS_PER_ACCOUNT; reader < READERS; reader += 1) others.push(await open(reader));
    const grownMib = (process.memoryUsage().rss - before) / MIB;
    const heldMib = others.reduce((sum, { size }) => sum + size, 0) / MIB;
    console.log(`${Math.round(heldMib)} MiB of files held, memory grew by ${Math.round(grownMib)} MiB`);
    assert.ok(heldMib > 100, `only ${heldMib} MiB are held`);
    assert.ok(grownMib < heldMib / 3, `${grownMib} MiB for ${heldMib} MiB of files`);
    for (const { chunks } of [...first, ...others]) await chunks.return!();
    assert.is(spool.bytes, 0);
  } finally {
    await reads.stop();
    close();
    await register.stop();
  }
});

test.run();
