import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegister, type Register, type RegisterOptions } from '../../src/app/create-register.ts';
import { ServiceClock } from '../../src/clock/service-clock.ts';
import type { CommandEnvelope } from '../../src/commands/engine/handler.ts';
import { derivedId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import type { Caller, Role } from '../../src/commands/organization/caller.ts';
import { AccountNames } from '../../src/identity/accounts/account-names.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteAccountStore } from '../../src/stores/sqlite/account-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { rememberClock } from './clock.ts';

export interface Stores {
  events: EventStore;
  reads: ReadStore;
  accounts: AccountStore;
}

/** A tool's answer as JSON. `error` is set for a refusal. */
export type Answer = Record<string, unknown>;

export const INSTALLATION_ID = 'test-installation';
export const SILENT_LOG = { info: () => undefined, warn: () => undefined };

/** Ids of the test register's organization and its OWNER. They are constant, so that a folder can be reopened. */
export const ORGANIZATION = derivedId('org', 'a0a4b1e5-6a39-4d43-9f70-3c5f2f0a1c11');
export const OWNER = derivedId('acc', '0a6a3f0e-5c52-4f0d-9a77-5d3f3c0b7b22');

export interface TestRegister
  extends Pick<Register, 'handler' | 'projections' | 'tools' | 'proposals' | 'reader' | 'recordFiles'> {
  folder: string;
  stores: Stores;
  names: AccountNames;
  organizationId: string;
  accountId: string;
  /** Calls a tool, by default as the OWNER, and returns the answer. */
  call<T extends object = Answer>(tool: string, args?: object, caller?: Caller): Promise<T>;
  /** Stops everything, and removes the folder unless the caller passed it. */
  stop(): Promise<void>;
}

/** Returns a caller with a role in the test organization. */
export function callerAs(role: Role = 'OWNER', overrides: Partial<Caller> = {}): Caller {
  const roles = overrides.roles ?? new Map([[ORGANIZATION, role]]);
  return { account_id: OWNER, token_id: null, client: null, roles, members: roles, read_only: false, ...overrides };
}

/** Returns a new command envelope, with overrides. */
export function envelopeFor(overrides: Partial<CommandEnvelope> = {}): CommandEnvelope {
  return {
    organization_id: ORGANIZATION,
    actor_id: OWNER,
    token_id: null,
    client: { name: 'test', version: '1' },
    role: 'OWNER',
    command_id: crypto.randomUUID(),
    correlation_id: crypto.randomUUID(),
    input: {},
    ...overrides,
  };
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'veritrail-test-'));
}

export function openStores(folder: string): Stores {
  rememberClock(folder);
  return {
    events: openSqliteEventStore(folder, { pollMs: 10 }),
    reads: openSqliteReadStore(folder),
    accounts: openSqliteAccountStore(folder),
  };
}

export async function closeStores(stores: Stores): Promise<void> {
  await stores.events.close();
  await stores.reads.close();
  await stores.accounts.close();
}

/**
 * Starts the whole register in this process on SQLite, with one organization and its OWNER, and waits until it has
 * caught up.
 */
export async function startRegister(
  folder?: string,
  options: Pick<RegisterOptions, 'maxEventsVerified'> = {},
): Promise<TestRegister> {
  const home = folder ?? temporaryFolder();
  const stores = openStores(home);
  const names = new AccountNames(stores.accounts);
  const { handler, projections, tools, proposals, reader, recordFiles } = createRegister({
    ...stores,
    names,
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
    ...options,
  });
  await stores.accounts.insert('accounts', { id: OWNER, name: 'Olivia Owner' });
  await names.recordFirst(OWNER, 'Olivia Owner');
  await handler.execute(
    organizationAggregate(ORGANIZATION),
    {
      type: 'CreateOrganization',
      name: 'Acme',
      import_key: 'an import key',
      installation: INSTALLATION_ID,
      owner_id: OWNER,
    },
    envelopeFor(),
  );
  await projections.start(INSTALLATION_ID);
  await projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
  return {
    handler,
    projections,
    tools,
    proposals,
    reader,
    recordFiles,
    folder: home,
    stores,
    names,
    organizationId: ORGANIZATION,
    accountId: OWNER,
    async call<T extends object = Answer>(tool: string, args: object = {}, caller: Caller = callerAs()): Promise<T> {
      const { json } = await tools.call(tool, args, { caller });
      return JSON.parse(json) as T;
    },
    async stop() {
      await projections.stop();
      await closeStores(stores);
      if (folder === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Returns all documents of these organizations, by collection. Tests compare two generations with it. */
export async function dumpDocuments(
  models: ReadModels,
  organizations = [ORGANIZATION],
): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const { name } of COLLECTIONS) {
    const documents: unknown[] = [];
    for (const organizationId of organizations) {
      const order = { key: null, direction: 'ASC' } as const;
      const rows = await models.find({ collection: name, organizationId, where: [], order, limit: 1_000_000 });
      documents.push(...rows.map(({ doc }) => doc));
    }
    all[name] = documents;
  }
  return all;
}
