import { randomUUID } from 'node:crypto';
import { exportLines } from '../src/queries/files/export-lines.ts';
import type { StoredEvent } from '../src/stores/event-store.ts';
import { EXPORT_FORMAT, eventLine, headerLine } from '../src/trail/check/line.ts';
import { Verifier } from '../src/trail/check/verifier.ts';
import type { TrailEvent } from '../src/trail/event.ts';
import { chainEvents, type NewEvent } from '../src/trail/hash.ts';
import { nodeCrypto } from '../src/trail/node/node-crypto.ts';
import { atMost, type Figure, figure } from './measure.ts';

const MIB = 1024 * 1024;
const FIRST_MEASUREMENT_EVENTS = 10_000;
/** Events that are created and read at a time. */
const EVENTS_PER_BATCH = 500;
const ORGANIZATION = 'org_bench';
const NEW_EVENT = { type: 'VendorNoted', data: { text: 'x'.repeat(200) } };

/** Compares memory at the end of an export and of a verification with memory after 10,000 events. Adds the cost of a stream. */
export async function memoryFigures(events: number): Promise<Figure[]> {
  const name = (task: string) => `memory after ${task} ${events.toLocaleString('en')} events; baseline: after 10,000`;
  const exported = await measureExport(events);
  const verified = measureVerification(events, 50);
  const manyStreams = events / 5;
  const bytesPerStream = (measureVerification(events, manyStreams).end - verified.end) / (manyStreams - 50);
  return [
    figure(name('exporting'), 'MiB', exported.end / MIB, exported.start / MIB, atMost(1.1)),
    figure(name('verifying'), 'MiB', verified.end / MIB, verified.start / MIB, atMost(1.1)),
    figure(
      `verifying: memory for each of ${manyStreams.toLocaleString('en')} streams`,
      'bytes',
      bytesPerStream,
      100,
      atMost(1.25),
    ),
  ];
}

interface BytesInUse {
  start: number;
  end: number;
}

function bytesInUse(): number {
  // Twice: objects freed by the first run may hold external memory, which only the second run frees.
  gc?.();
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Generates a history stream by stream, so that only the last event's hash is in memory. */
function* history(events: number, streams: number): Generator<TrailEvent[]> {
  const eventsPerStream = events / streams;
  for (let stream = 0; stream < streams; stream++) {
    let last: TrailEvent | undefined;
    for (let from = 0; from < eventsPerStream; from += EVENTS_PER_BATCH) {
      const batch = chainEvents(nodeCrypto, {
        stream: `vendor-${stream}`,
        revision: from - 1,
        previousHash: last?.metadata.hash ?? null,
        metadata: {
          organization_id: ORGANIZATION,
          actor_id: 'acc_bench',
          token_id: null,
          client: null,
          command_id: randomUUID(),
          correlation_id: randomUUID(),
          causation_id: null,
          recorded_at: new Date().toISOString(),
        },
        input: {},
        newEvents: new Array<NewEvent>(Math.min(EVENTS_PER_BATCH, eventsPerStream - from)).fill(NEW_EVENT),
        schemaVersion: () => 1,
      });
      last = batch.at(-1);
      yield batch;
    }
  }
}

function measureVerification(events: number, streams: number): BytesInUse {
  const verifier = new Verifier(nodeCrypto, { keys: [] });
  const header = {
    format: EXPORT_FORMAT,
    organization_id: ORGANIZATION,
    installation: 'bench',
    exported_at: '',
  } as const;
  verifier.push(headerLine(header));
  let position = 0;
  let start = 0;
  for (const batch of history(events, streams)) {
    for (const event of batch) verifier.push(eventLine(++position, event));
    if (start === 0 && position >= FIRST_MEASUREMENT_EVENTS) start = bytesInUse();
  }
  const end = bytesInUse();
  if (verifier.finish().event_fault !== null) throw new Error('the bench’s history is not valid');
  return { start, end };
}

async function measureExport(events: number): Promise<BytesInUse> {
  let start = 0;
  let eventCount = 0;
  async function* readAll(): AsyncGenerator<StoredEvent[]> {
    for (const batch of history(events, 50)) {
      yield batch.map((event) => ({ ...event, storePosition: String(++eventCount) as StoredEvent['storePosition'] }));
      if (start === 0 && eventCount >= FIRST_MEASUREMENT_EVENTS) start = bytesInUse();
    }
  }
  const parts = { events: { readAll }, organizationId: ORGANIZATION, installation: 'bench', now: () => new Date() };
  let characters = 0;
  for await (const lines of exportLines(parts)) for (const line of lines) characters += line.length;
  if (characters < events * NEW_EVENT.data.text.length)
    throw new Error('the bench’s history was not exported completely');
  return { start, end: bytesInUse() };
}
