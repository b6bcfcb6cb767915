import { exportLines } from '../../../src/queries/files/export-lines.ts';
import { SealKeys } from '../../../src/seal/seal-keys.ts';
import { Sealer, type SealerOptions } from '../../../src/seal/sealer.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import type { Verdict } from '../../../src/trail/check/verdict.ts';
import { chainEvents } from '../../../src/trail/hash.ts';
import { readPublicKey, Verifier } from '../../../src/trail/index.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';
import { makeSeal, sealStream, type TreeHead } from '../../../src/trail/seals/seal-events.ts';
import { callerAs, INSTALLATION_ID, ORGANIZATION, type TestRegister } from '../register.ts';
import { withOverrides } from '../with-overrides.ts';

export interface Sealing {
  sealer: Sealer;
  keys: SealKeys;
  warnings: string[];
  /** Moves the sealer's clock forward and runs it once. */
  waitAndSeal(ms: number): Promise<void>;
}

/** The parts of a register that a sealer needs. */
interface SealableRegister {
  stores: Pick<TestRegister['stores'], 'events' | 'reads' | 'accounts'>;
  projections: TestRegister['projections'];
}

/** Returns projections that have caught up by a clock which is ahead. */
export function projectionsAhead<T extends Pick<TestRegister['projections'], 'progress'>>(
  projections: T,
  aheadMs: () => number,
): T {
  const overrides = {
    get progress() {
      const { progress } = projections;
      return withOverrides(progress, { caughtUpAt: progress.caughtUpAt + aheadMs() });
    },
  };
  return withOverrides(projections, overrides as Partial<T>);
}

/** Starts a sealer on a register, with a test clock. */
export function sealing(register: SealableRegister, overrides: Partial<SealerOptions> = {}): Sealing {
  let passed = 0;
  const now = () => new Date(Date.now() + passed);
  const { events, reads, accounts } = register.stores;
  const keys = new SealKeys(accounts, now);
  const warnings: string[] = [];
  const log = { warn: (_details: object, message: string) => void warnings.push(message) };
  const isClockTrusted = () => true;
  const projections = projectionsAhead(overrides.projections ?? register.projections, () => passed);
  const sealer = new Sealer({ events, reads, keys, now, isClockTrusted, log, ...overrides, projections });
  return {
    sealer,
    keys,
    warnings,
    async waitAndSeal(ms) {
      passed += ms;
      await sealer.checkAll();
    },
  };
}

export async function addVendors(register: TestRegister, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await register.call('addVendor', { organization_id: ORGANIZATION, name: `Vendor ${n}` }, callerAs());
  }
}

export async function sealsOf(events: EventStore): Promise<string[]> {
  return (await events.readStream(sealStream(ORGANIZATION))).map(({ type }) => type);
}

/** Returns the log's events, in order. */
export async function allEvents(events: EventStore): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of events.readAll(null)) all.push(...batch);
  return all;
}

/** Verifies an export of the log with these keys. */
export async function verdictOf(events: EventStore, keys: readonly string[]): Promise<Verdict> {
  const verifier = new Verifier({ keys: keys.map(readPublicKey) });
  const parts = { events, organizationId: ORGANIZATION, installation: INSTALLATION_ID, now: () => new Date() };
  for await (const lines of exportLines(parts)) for (const line of lines) verifier.push(line);
  return verifier.finish();
}

/** Appends a seal without any check, as the sealer of an earlier version did, and waits until it can be read. */
export async function appendSeal(register: SealableRegister, { keys }: Sealing, head: TreeHead): Promise<void> {
  const { events } = register.stores;
  const stream = sealStream(ORGANIZATION);
  const sealEvents = await events.readStream(stream);
  const [last, lastSeal] = [sealEvents.at(-1)!, sealEvents.findLast(({ type }) => type === 'LogSealed')!];
  const { salt, data_hash, previous_hash, hash, input_hash, schema_version, ...metadata } = last.metadata;
  const recorded_at = new Date().toISOString();
  const seal = { ...head, sealed_at: recorded_at, previous_seal: lastSeal.metadata.hash };
  const { type, data } = makeSeal(ORGANIZATION, seal, await keys.currentKey());
  const newEvents = chainEvents(nodeCrypto, {
    stream,
    revision: last.revision,
    previousHash: hash,
    metadata: { ...metadata, recorded_at },
    input: {},
    newEvents: [{ type, data: { ...data } }],
    schemaVersion: () => 1,
  });
  const storePosition = await events.append(stream, newEvents, last.revision);
  await register.projections.waitUntilProjected(ORGANIZATION, storePosition, 5_000);
}
