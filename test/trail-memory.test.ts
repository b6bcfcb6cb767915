// Runs in a process of its own, because it counts the bytes in use.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportLines } from '../src/queries/export-lines.ts';
import type { StoredEvent } from '../src/stores/event-store.ts';
import { verifyExport } from '../src/trail/verifier.ts';
import { FIRST_KEY, ORGANIZATION, publicOf } from './support/sealed-history.ts';
import { bytesInUse, streamedBytes, streamedLines } from './support/streamed.ts';

const test = suite('memory');

const MIB = 1024 * 1024;
const EVENTS = 40_000;
/** By then everything is allocated except the window of hashes, so the test allows it to grow. */
const SETTLED = 10_000;
const GROWTH = 6 * MIB;

test('verifying needs no more memory for four times the history', async () => {
  const used = new Map<number, number>();
  const at = (line: number) => {
    if (line === SETTLED || line === EVENTS) used.set(line, bytesInUse());
  };
  const verdict = await verifyExport(streamedBytes(EVENTS, 200, at), { keys: [publicOf(FIRST_KEY)] });
  assert.equal([verdict.valid, verdict.events, verdict.unsealed], [true, EVENTS, 0]);
  const growth = used.get(EVENTS)! - used.get(SETTLED)!;
  assert.ok(growth < GROWTH, `${Math.round(growth / 1024)} KiB more`);
});

test('exporting needs no more memory for four times the history', async () => {
  const used = new Map<number, number>();
  let given = 0;
  async function* readAll() {
    let batch: StoredEvent[] = [];
    for (const { event } of streamedLines(EVENTS, 200)) {
      if (event === null) continue;
      given += 1;
      if (given === SETTLED || given === EVENTS) used.set(given, bytesInUse());
      batch.push({ ...event, storePosition: String(given) as StoredEvent['storePosition'] });
      if (batch.length < 500) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
  const parts = { organizationId: ORGANIZATION, installation: 'i', now: () => new Date() };
  let characters = 0;
  for await (const lines of exportLines({ ...parts, events: { readAll } })) {
    for (const line of lines) characters += line.length;
  }
  assert.ok(characters > EVENTS * 1_000);
  const growth = used.get(EVENTS)! - used.get(SETTLED)!;
  assert.ok(growth < GROWTH, `${Math.round(growth / 1024)} KiB more`);
});

test.run();
