import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegister, type Register } from '../src/app/create-register.ts';
import { startProjectionThread } from '../src/app/threads/start-projection-thread.ts';
import { writeInThread } from '../src/app/threads/writes-in-thread.ts';
import { ServiceClock } from '../src/clock/service-clock.ts';
import { derivedId } from '../src/commands/engine/ids.ts';
import { FAMILIES, organizationStream, recordAggregate } from '../src/commands/families.ts';
import type { Caller } from '../src/commands/organization/caller.ts';
import { AccountNames } from '../src/identity/accounts/account-names.ts';
import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openStores, type StoreSettings, type Stores } from '../src/stores/open.ts';
import { chainEvents, type NewEvent } from '../src/trail/hash.ts';
import { nodeCrypto } from '../src/trail/node/node-crypto.ts';

/** The times of a record's five versions, the oldest first. The third was current a year ago. */
const YEAR_MS = 365 * 86_400_000;
const VERSION_TIMES_MS = [-3, -2, -1.5, -0.5, -0.1].map((years) => Date.now() + years * YEAR_MS);
export const ONE_YEAR_AGO = new Date(Date.now() - YEAR_MS).toISOString().slice(0, 10);

const STATUSES = ['APPROVED', 'CONDITIONAL', 'REJECTED'] as const;
const CRITICALITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
const WORDS =
  'cloud payroll hosting backup analytics mail identity network print travel legal storage video survey'.split(' ');

/** More would not get an answer from EventStoreDB in time. */
const APPENDS_AT_ONCE = 100;

/** The service's address, so that answers name their page as in a running service. */
export const PUBLIC_URL = 'https://grc.example.com';

export interface BenchRegister {
  folder: string;
  stores: Stores;
  register: Register;
  organizationId: string;
  caller: Caller;
  call(tool: string, args: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'veritrail-bench-'));
}

/**
 * Creates stores with this many vendors, by batch appends and a rebuild, and a register that serves them.
 * @param urls databases that replace embedded stores
 */
export async function createBenchRegister(
  vendors: number,
  versions: number,
  urls: Partial<StoreSettings> = {},
): Promise<BenchRegister> {
  const folder = tempFolder();
  const settings = { dataDir: folder, eventStoreUrl: null, mongodbUrl: null, ...urls };
  const print = (details: object, message: string) => console.error(message, details);
  const log = { debug: () => undefined, info: () => undefined, warn: print, error: print };
  const stores = writeInThread(await openStores(settings), settings, log);
  const accountId = derivedId('acc', randomUUID());
  const organizationId = derivedId('org', randomUUID());
  await stores.accounts.insert('accounts', { id: accountId, name: 'Owner', organizations: [organizationId] });
  await appendVendorEvents(stores.events, organizationId, accountId, vendors, versions);
  await buildGeneration({ events: stores.events, reads: stores.reads, installation: 'bench' });
  const clock = new ServiceClock();
  const register = createRegister({
    ...stores,
    clock,
    projections: startProjectionThread({ stores: settings, timings: false, time: clock.shared.memory }, stores, log),
    names: new AccountNames(stores.accounts),
    exclusive: true,
    cursorKey: Buffer.alloc(32, 1),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log,
  });
  await register.projections.start('bench');
  await register.projections.progress.waitUntilCaughtUp(Date.now(), 60_000);
  const caller: Caller = {
    account_id: accountId,
    token_id: null,
    client: null,
    roles: new Map([[organizationId, 'OWNER']]),
    members: new Map([[organizationId, 'OWNER']]),
    read_only: false,
  };
  const call = async (tool: string, args: object) => {
    const { json, status } = await register.tools.call(tool, args, { caller, publicUrl: PUBLIC_URL });
    if (status !== 200) throw new Error(`${tool}: ${json}`);
    return JSON.parse(json) as Record<string, unknown>;
  };
  const close = async () => {
    await register.projections.stop();
    await stores.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, stores, register, organizationId, caller, call, close };
}

/** Appends version 1 of all vendors, then version 2 of all vendors, and so on, as in a register that grows. */
export async function appendVendorEvents(
  events: EventStore,
  organizationId: string,
  accountId: string,
  vendors: number,
  versions: number,
): Promise<void> {
  const heads = new Map<string, { revision: number; hash: string }>();
  const append = async (stream: string, drafts: readonly NewEvent[], at: number) => {
    const head = heads.get(stream);
    const batch = chainEvents(nodeCrypto, {
      stream,
      revision: head?.revision ?? -1,
      previousHash: head?.hash ?? null,
      input: {},
      newEvents: drafts,
      schemaVersion: () => 1,
      metadata: {
        organization_id: organizationId,
        actor_id: accountId,
        token_id: null,
        client: { name: 'bench', version: '1' },
        command_id: randomUUID(),
        correlation_id: randomUUID(),
        causation_id: null,
        recorded_at: new Date(at).toISOString(),
      },
    });
    heads.set(stream, { revision: batch.at(-1)!.revision, hash: batch.at(-1)!.metadata.hash });
    await events.append(stream, batch, head?.revision ?? -1);
  };
  await append(
    organizationStream(organizationId),
    [
      { type: 'OrganizationCreated', data: { name: 'Bench', import_key: 'bench', installation: 'bench' } },
      { type: 'MemberAdded', data: { account_id: accountId, role: 'OWNER' } },
    ],
    VERSION_TIMES_MS[0]!,
  );
  for (let version = 0; version < versions; version++) {
    const start = VERSION_TIMES_MS[version + VERSION_TIMES_MS.length - versions]!;
    // Appends made in one turn of the event loop share a transaction.
    for (let first = 0; first < vendors; first += APPENDS_AT_ONCE) {
      const batch = Array.from({ length: Math.min(APPENDS_AT_ONCE, vendors - first) }, (_, offset) => first + offset);
      await Promise.all(batch.map((index) => append(vendorStream(index), newEventsOf(index, version), start + index)));
    }
  }
}

export function vendorId(index: number): string {
  return derivedId(FAMILIES.VENDOR.prefix, '00000000-0000-4000-8000-000000000000', index);
}

function vendorStream(index: number): string {
  return recordAggregate(vendorId(index)).stream;
}

/** Mixes a number's bits (Murmur3's finaliser), so that a vendor's fields are independent of each other. */
function scatter(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function newEventsOf(index: number, version: number): NewEvent[] {
  const pick = <T>(list: readonly T[], salt: number): T => list[scatter(index * 16 + salt) % list.length]!;
  if (version === 0) {
    const name = `${pick(WORDS, 0)} ${pick(WORDS, 5)} ${String(index).padStart(6, '0')}`;
    const data = {
      name,
      description: `Provides ${pick(WORDS, 1)} and ${pick(WORDS, 2)} to the company`,
      country: pick(['DE', 'FR', 'US'], 4),
      criticality: pick(CRITICALITIES, 3),
    };
    return [{ type: 'VendorAdded', data }];
  }
  const reviewed_at = new Date(VERSION_TIMES_MS[version]! - 1_000).toISOString();
  const data = {
    outcome: pick(STATUSES, version),
    findings: null,
    conditions: null,
    reviewed_by: 'acc',
    reviewed_at,
    next_review_due: reviewed_at.slice(0, 10),
  };
  return [{ type: 'VendorReviewed', data }];
}
