/** Identity on stores in a temporary folder, with a clock that the test sets. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { AccountNames } from '../../../src/identity/accounts/account-names.ts';
import type { InstallationOptions } from '../../../src/identity/installation/installation.ts';
import { Sweeper } from '../../../src/identity/installation/sweeper.ts';
import { Tokens } from '../../../src/identity/tokens/tokens.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { openStores, type StoreSettings, type Stores } from '../../../src/stores/open.ts';
import { rememberClock } from '../clock.ts';

const DAY_MS = 86_400_000;

/** A clock that stops until the test moves it. */
export class TestClock {
  private time = Date.parse('2026-03-01T09:00:00.000Z');
  /** False while the machine's clock is in doubt. */
  trusted = true;
  now = (): Date => new Date(this.time);
  isTrusted = (): boolean => this.trusted;
  wait(ms: number): void {
    this.time += ms;
  }
  waitDays(days: number): void {
    this.wait(days * DAY_MS);
  }
}

export interface TestIdentity extends InstallationOptions, Stores {
  dataDir: string;
  clock: TestClock;
  handler: CommandHandler;
  names: AccountNames;
  tokens: Tokens;
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-identity-'));
  folders.push(folder);
  return folder;
}

const opened: TestIdentity[] = [];

type Databases = Pick<StoreSettings, 'eventStoreUrl' | 'mongodbUrl'>;
const EMBEDDED: Databases = { eventStoreUrl: null, mongodbUrl: null };

/** Opens everything that one process opens. With another process's folder, it acts as a second process. */
export async function open(
  dataDir = temporaryFolder(),
  clock = new TestClock(),
  databases = EMBEDDED,
): Promise<TestIdentity> {
  const stores = await openStores({ dataDir, ...databases });
  rememberClock(dataDir);
  const handler = new CommandHandler(stores.events, { now: clock.now, maxAcceptanceDays: 366, simulated: true });
  const tokens = new Tokens({ accounts: stores.accounts, handler, now: clock.now });
  const names = new AccountNames(stores.accounts);
  const identity = { ...stores, dataDir, clock, handler, names, tokens, log: stores.events, now: clock.now };
  opened.push(identity);
  return identity;
}

/** Closes everything that `open` opened. */
export async function closeAll(): Promise<void> {
  for (const { close } of opened.splice(0)) await close();
}

/** Removes expired records, as a service does every ten minutes. */
export function sweepExpired({ accounts, clock }: Pick<TestIdentity, 'accounts' | 'clock'>): Promise<void> {
  const log = { warn: (details: object) => assert.unreachable(JSON.stringify(details)) };
  return new Sweeper({ accounts, clock, log }).run();
}

/** Returns the identity with some methods of the account store replaced. */
export function withAccounts(identity: TestIdentity, overrides: Partial<AccountStore>): TestIdentity {
  return { ...identity, accounts: replaceMembers(identity.accounts, overrides) };
}

export function replaceMembers<T extends object>(object: T, overrides: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value = Reflect.get(name in overrides ? overrides : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Returns the error that a promise is rejected with. */
export async function rejectionError(promise: unknown): Promise<Error> {
  return Promise.resolve(promise).then(
    () => {
      throw new Error('should have been rejected');
    },
    (error: Error) => error,
  );
}
