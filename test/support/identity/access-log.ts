/** Opens an access log on a separate store, with a clock that tests can set. */

import type { Caller } from '../../../src/commands/organization/caller.ts';
import { AccessLog, type AccessLogOptions } from '../../../src/identity/access-log/access-log.ts';
import type { AccessLogRow } from '../../../src/identity/access-log/access-log-row.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { openSqliteAccountStore } from '../../../src/stores/sqlite/account-store.ts';
import { TestClock, temporaryFolder } from './identity.ts';

export const HOUR_MS = 3_600_000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const CLIENT_INFO = { address: '203.0.113.7', agent: FIREFOX };
/** Ada is a member of two organizations, everybody else of one. */
const organizationsOf = async (id: string) => (id === 'acc_ada' ? ['org_a', 'org_b'] : ['org_a']);
export const CALLER: Caller = {
  account_id: 'acc_ada',
  token_id: 'tok_1',
  client: null,
  roles: new Map([
    ['org_a', 'OWNER'],
    ['org_b', 'VIEWER'],
  ]),
  members: new Map([
    ['org_a', 'OWNER'],
    ['org_b', 'VIEWER'],
  ]),
  read_only: false,
};

export interface AccessContext {
  accounts: AccountStore;
  clock: TestClock;
  warned: string[];
  log: AccessLog;
  /** Opens another access log on the same store, or with other options. */
  openAnother(options?: Partial<AccessLogOptions>): AccessLog;
  rows(organizationId: string): Promise<AccessLogRow[]>;
}

/** Opens an access log. Call it in a test's `before.each`, and close the store afterwards. */
export function openAccessLog(): AccessContext {
  const accounts = openSqliteAccountStore(temporaryFolder());
  const clock = new TestClock();
  const warned: string[] = [];
  const another = (options: Partial<AccessLogOptions> = {}) =>
    new AccessLog({
      accounts,
      organizationsOf,
      now: clock.now,
      log: { warn: (_, message) => warned.push(message) },
      ...options,
    });
  const rows = (value: string) =>
    accounts.page<AccessLogRow>('access', { field: 'organization_id', value, limit: 20_000 });
  return { accounts, clock, warned, log: another(), openAnother: another, rows };
}
