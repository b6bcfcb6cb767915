import { rmSync } from 'node:fs';
import { createRegister, type Register } from '../../../src/app/create-register.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { vendor } from '../../../src/commands/vendor.ts';
import { AccountNames } from '../../../src/identity/accounts/account-names.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { SealKeys } from '../../../src/seal/seal-keys.ts';
import { Sealer } from '../../../src/seal/sealer.ts';
import { openStores, type StoreSettings, type Stores } from '../../../src/stores/open.ts';
import { rememberClock } from '../clock.ts';
import { envelopeFor, SILENT_LOG, temporaryFolder } from '../register.ts';
import { projectionsAhead } from '../trail/sealing.ts';

/** Stores after a first start, with read models and a sealer in this process. */
export interface InstalledRegister {
  settings: StoreSettings;
  stores: Stores;
  register: Register;
  keys: SealKeys;
  installation: string;
  organizationId: string;
  addVendors(count: number, organizationId?: string): Promise<void>;
  /** Seals all events. */
  seal(): Promise<void>;
  /** Closes the stores; their data stay. */
  stop(): Promise<void>;
}

const BEGAN_AGO_MS = 10 * 60_000;

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns a temporary folder, which is removed when the process ends. */
export function folderOfTest(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

export function embeddedSettings(dataDir = folderOfTest()): StoreSettings {
  rememberClock(dataDir);
  return { dataDir, eventStoreUrl: null, mongodbUrl: null };
}

export async function install(settings = embeddedSettings()): Promise<InstalledRegister> {
  const stores = await openStores(settings);
  const { accounts, events, reads } = stores;
  // Each seal moves this register's clock forward. It begins in the past, because commands wait if events are in the future.
  let addedMs = 0;
  const now = () => new Date(Date.now() - BEGAN_AGO_MS + addedMs);
  const clock = Object.assign(new ServiceClock(), {
    now: Object.assign(now, { refuseDoubtful: () => undefined }),
    requireTrust: () => undefined,
    isTrusted: () => true,
  });
  const handler = new CommandHandler(events, { now, maxAcceptanceDays: 366 });
  const { installation, organizationId } = await firstStart({ accounts, log: events, handler, now });
  const extraSettings = {
    names: new AccountNames(accounts),
    clock,
    exclusive: true,
    cursorKey: Buffer.alloc(32),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  };
  const register = createRegister({ ...stores, ...extraSettings });
  await register.projections.start(installation);
  await register.projections.progress.waitUntilCaughtUp(now().getTime(), 10_000);
  const keys = new SealKeys(accounts, now);
  const sealer = new Sealer({
    events,
    reads,
    projections: projectionsAhead(register.projections, () => addedMs),
    keys,
    now,
    isClockTrusted: () => true,
    log: SILENT_LOG,
  });
  const actor_id = firstOwnerId(installation);
  return {
    settings,
    stores,
    register,
    keys,
    installation,
    organizationId,
    async addVendors(count, organization_id = organizationId) {
      for (let n = 0; n < count; n += 1) {
        const command = { type: 'AddVendor', fields: { name: `Vendor ${n}` } } as const;
        const stream = `vendor-vnd_${crypto.randomUUID().replaceAll('-', '').slice(0, 26).toUpperCase()}`;
        await register.handler.execute(
          { stream, decider: vendor },
          command,
          envelopeFor({ organization_id, actor_id }),
        );
      }
      await register.projections.progress.waitUntilCaughtUp(now().getTime(), 10_000);
    },
    async seal() {
      await register.projections.progress.waitUntilCaughtUp(now().getTime(), 10_000);
      await sealer.checkAll();
      addedMs += 61_000;
      await sealer.checkAll();
    },
    async stop() {
      await register.projections.stop();
      await stores.close();
    },
  };
}
