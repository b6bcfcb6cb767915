// Runs in a process of its own, because it counts the bytes in use.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportLines } from '../../src/queries/files/export-lines.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { verifyExport } from '../../src/trail/index.ts';
import { bytesInUse, streamedBytes, streamedLines } from '../support/mcp/streamed.ts';
import { FIRST_KEY, ORGANIZATION, publicOf } from '../support/trail/sealed-history.ts';

const test = suite('memory');

const MIB = 1024 * 1024;
const EVENTS = 40_000;
/** After this many events, everything is allocated except the window of hashes, which may grow by MAX_GROWTH_BYTES. */
const BASELINE_EVENTS = 10_000;
const MAX_GROWTH_BYTES = 6 * MIB;

test('verifying needs no more memory for four times the history', async () => {
  const used = new Map<number, number>();
  const timeOf = (line: number) => {
    if (line === BASELINE_EVENTS || line === EVENTS) used.set(line, bytesInUse());
  };
  const verdict = await verifyExport(streamedBytes(EVENTS, 200, timeOf), { keys: [publicOf(FIRST_KEY)] });
  assert.equal([verdict.valid, verdict.events, verdict.unsealed], [true, EVENTS, 0]);
  const growth = used.get(EVENTS)! - used.get(BASELINE_EVENTS)!;
  assert.ok(growth < MAX_GROWTH_BYTES, `${Math.round(growth / 1024)} KiB more`);
});

test('exporting needs no more memory for four times the history', async () => {
  const used = new Map<number, number>();
  let count = 0;
  async function* readAll() {
    let batch: StoredEvent[] = [];
    for (const { event } of streamedLines(EVENTS, 200)) {
      if (event === null) continue;
      count += 1;
      if (count === BASELINE_EVENTS || count === EVENTS) used.set(count, bytesInUse());
      batch.push({ ...event, storePosition: String(count) as StoredEvent['storePosition'] });
      if (batch.length < 500) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
  const options = { organizationId: ORGANIZATION, installation: 'i', now: () => new Date() };
  let characters = 0;
  for await (const lines of exportLines({ ...options, events: { readAll } })) {
    for (const line of lines) characters += line.length;
  }
  assert.ok(characters > EVENTS * 1_000);
  const growth = used.get(EVENTS)! - used.get(BASELINE_EVENTS)!;
  assert.ok(growth < MAX_GROWTH_BYTES, `${Math.round(growth / 1024)} KiB more`);
});

test.run();
