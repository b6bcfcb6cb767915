import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { HistoryAppender } from '../src/cli/history/history-appender.ts';
import { openEventStoreDb } from '../src/stores/eventstoredb/event-store.ts';
import { readable } from '../test/support/histories/readable.ts';
import { startEventStoreProcess } from '../test/support/stores/event-store-server.ts';
import { type BenchRegister, createBenchRegister } from './bench-register.ts';
import { atLeast, atMost, compareTimes, countPerSecond, type Figure, figure, median, medianMs } from './measure.ts';

const VENDORS = 1_000;
const CHANGES = 100;
const ROUNDS = 5;
const RESTORED_VENDORS = 5_000;
const MAX_VERIFY_MS = 160;
const MIN_RESTORED_PER_SECOND = 2_000;

/**
 * Measures the service on EventStoreDB, with embedded read models. The server is a process of its own: the one of
 * EVENTSTORE_COMMAND, else the fake. Only the ratios of rows on the fake mean something.
 */
export async function eventStoreFigures(ms: number): Promise<Figure[]> {
  const server = await startEventStoreProcess();
  const [onServer, embedded] = [
    await createBenchRegister(VENDORS, 1, { eventStoreUrl: server.url }),
    await createBenchRegister(VENDORS, 1),
  ];
  const figures = [
    ...(await measureWrites(onServer, embedded, server.url, ms)),
    await measureVerification(onServer),
    await measureRestore(),
  ];
  await onServer.close();
  await embedded.close();
  await server.close();
  return figures.map((row) => ({ ...row, figure: `${server.name}: ${row.figure}` }));
}

/** Compares writes with appends by the client, whose batching shares one call, and with writes on embedded stores. */
async function measureWrites(
  onServer: BenchRegister,
  embedded: BenchRegister,
  url: string,
  ms: number,
): Promise<Figure[]> {
  const client = EventStoreDBClient.connectionString(url);
  const event = { type: 'VendorAdded', data: { name: 'Added 1' }, metadata: { text: 'm'.repeat(800) } };
  const append = () => client.appendToStream(`bench-${randomUUID()}`, jsonEvent({ ...event, id: randomUUID() }));
  const alone = await compareTimes(Math.round(ms / 4), addVendorTo(onServer), append);
  const writes: number[] = [];
  const appends: number[] = [];
  const cpu = { value: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    appends.push(await countPerSecond(ms / 3, 64, append));
    const written = await withCpu(() => countPerSecond(ms / 3, 64, addVendorTo(onServer)), ms / 3);
    writes.push(written.perSecond);
    cpu.value.push(written.cpuUs);
    cpu.baseline.push((await withCpu(() => countPerSecond(ms / 3, 64, addVendorTo(embedded)), ms / 3)).cpuUs);
  }
  await client.dispose();
  return [
    figure(
      'addVendor, one at a time, until readable, p50; baseline: one append, with the client’s batching',
      'µs',
      alone.value,
      alone.baseline,
      atMost(2.5),
    ),
    figure(
      'addVendor, 64 concurrent, until readable; baseline: the client’s appends, 64 concurrent',
      '1/s',
      median(writes),
      median(appends),
      atLeast(0.33),
    ),
    figure(
      'addVendor, 64 concurrent, CPU of the service for each; baseline: on embedded stores',
      'µs',
      median(cpu.value),
      median(cpu.baseline),
      atMost(1.8),
    ),
  ];
}

function addVendorTo({ call, organizationId: organization_id }: BenchRegister): () => Promise<unknown> {
  return () => call('addVendor', { organization_id, name: `Added ${randomUUID()}`, description: 'Does a thing' });
}

/** Runs work that counts its calls per second, and adds this process's CPU time for each call. */
async function withCpu(work: () => Promise<number>, ms: number): Promise<{ perSecond: number; cpuUs: number }> {
  const before = process.cpuUsage();
  const perSecond = await work();
  const { user, system } = process.cpuUsage(before);
  return { perSecond, cpuUs: (user + system) / ((perSecond * ms) / 1_000) };
}

/** Verifies 100 changes, each of another stream. */
async function measureVerification(benchRegister: BenchRegister): Promise<Figure> {
  const { call, organizationId: organization_id } = benchRegister;
  const filter = { from: String(VENDORS - CHANGES + 1), to: String(VENDORS) };
  const verify = async () => {
    const { verification } = await call('listChanges', { organization_id, filter, view: 'COUNT', verify: true });
    const { verdict, streams } = verification as { verdict: string; streams: number };
    if (verdict !== 'VALID' || streams !== CHANGES) throw new Error(`${verdict}: ${streams} streams were verified`);
  };
  const name = `listChanges verify of ${CHANGES} changes in as many streams; baseline: its limit`;
  return figure(name, 'ms', await medianMs(ROUNDS * 4, verify), MAX_VERIFY_MS, atMost(1));
}

/** Restores a history in which hardly any two events of a stream stand together, as in real ones. */
async function measureRestore(): Promise<Figure> {
  const source = await createBenchRegister(RESTORED_VENDORS, 2);
  const server = await startEventStoreProcess();
  const events = openEventStoreDb(server.url);
  const history = new HistoryAppender(events, () => true);
  const startedAt = performance.now();
  for await (const batch of source.stores.events.readAll(null)) {
    for (const { id, stream, revision, type, data, metadata } of readable(batch)) {
      await history.take({ id, stream, revision, type, data, metadata });
    }
  }
  await history.end();
  const perSecond = (history.appended * 1_000) / (performance.now() - startedAt);
  await events.close();
  await server.close();
  await source.close();
  const name = `restoring ${history.appended.toLocaleString('en')} events; baseline: its limit`;
  return figure(name, '1/s', perSecond, MIN_RESTORED_PER_SECOND, atLeast(1));
}
