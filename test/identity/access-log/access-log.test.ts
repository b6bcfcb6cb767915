import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { ACCESS_LOG_DAYS, ALL_ORGANIZATIONS } from '../../../src/identity/access-log/access-log-row.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { type AccessContext, CALLER, CLIENT_INFO, HOUR_MS, openAccessLog } from '../../support/identity/access-log.ts';
import { replaceMembers, sweepExpired } from '../../support/identity/identity.ts';
import { until } from '../../support/run/wait.ts';

const test = suite<AccessContext>('access log');

test.before.each((context) => {
  Object.assign(context, openAccessLog());
});
test.after.each(({ accounts }) => accounts.close());

test('writes an action to each of the person’s organizations at once', async ({ log, rows, clock }) => {
  log.recordAccess({
    event_type: 'SIGNED_IN',
    actor_id: 'acc_ada',
    clientInfo: CLIENT_INFO,
    details: { factor: 'TOTP' },
  });
  await until(async () => (await rows('org_b')).length > 0);
  const { id, expires_at, ...row } = (await rows('org_a'))[0]!;
  const time = clock.now().toISOString();
  assert.ok(id.startsWith(`${time}~`));
  assert.is(Date.parse(expires_at) - Date.parse(time), ACCESS_LOG_DAYS * 86_400_000);
  assert.equal(row, {
    organization_id: 'org_a',
    event_type: 'SIGNED_IN',
    at: time,
    last_at: time,
    count: 1,
    actor_id: 'acc_ada',
    account_id: 'acc_ada',
    client: 'Firefox on Linux',
    address: '203.0.113.7',
    details: { factor: 'TOTP' },
  });
});

test('orders rows by time', async ({ log, rows, clock }) => {
  for (const event_type of ['SIGNED_IN', 'PASSWORD_CHANGED', 'SIGNED_OUT'] as const) {
    log.recordAccess({ event_type, actor_id: 'acc_bob', clientInfo: CLIENT_INFO });
    clock.wait(1);
  }
  assert.ok(await log.flush());
  assert.equal(
    (await rows('org_a')).map(({ event_type }) => event_type),
    ['SIGNED_OUT', 'PASSWORD_CHANGED', 'SIGNED_IN'],
  );
});

test('buffers entries while the store is down, and writes them later with their original times', async ({
  openAnother: another,
  accounts,
  rows,
  clock,
  warned,
}) => {
  let away = true;
  const insert: AccountStore['insert'] = async (table, record) => {
    if (away) throw new StoreUnavailable('gone', true);
    return accounts.insert(table, record);
  };
  const log = another({ accounts: replaceMembers(accounts, { insert }) });
  const firstUseAt = clock.now().toISOString();
  for (let round = 0; round < 3; round += 1) {
    log.recordAccess({ event_type: 'SIGNED_IN', actor_id: 'acc_bob', clientInfo: CLIENT_INFO });
    log.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
    log.recordTokenUse(CALLER);
    assert.not.ok(await log.flush());
    clock.wait(1_000);
  }
  assert.is(warned.length, 1, 'warned once');
  away = false;
  await log.close();
  const entries = await rows('org_a');
  assert.is(entries.filter(({ event_type }) => event_type === 'SIGNED_IN').length, 3);
  const used = entries.find(({ event_type }) => event_type === 'TOKEN_USED')!;
  assert.equal([used.at, used.count], [firstUseAt, 3]);
  assert.equal(
    (await rows(ALL_ORGANIZATIONS)).map(({ count }) => count),
    [3],
  );
  assert.is(warned.length, 1);
});

test('bounds the buffer, and reports how many entries were lost', async ({
  openAnother: another,
  accounts,
  warned,
}) => {
  let away = true;
  let entryCount = 0;
  const insert = async () => {
    entryCount += 1;
    return true;
  };
  const log = another({
    accounts: replaceMembers(accounts, { insert }),
    organizationsOf: async () => {
      if (away) throw new Refusal('unavailable', 'The log is away.');
      return ['org_a'];
    },
  });
  for (let i = 0; i < 10_050; i += 1)
    log.recordAccess({ event_type: 'SIGNED_IN', actor_id: `acc_${i}`, clientInfo: CLIENT_INFO });
  assert.not.ok(await log.flush());
  away = false;
  assert.ok(await log.flush());
  assert.is(entryCount, 10_000);
  assert.match(warned.at(-1)!, /lost/);
});

test('continues after an entry that can never be written', async ({ openAnother: another, rows, warned }) => {
  const log = another({
    organizationsOf: async (id) => {
      if (id === 'acc_none') throw new Refusal('not_found', 'There is no such account.');
      return ['org_a'];
    },
  });
  for (const actor_id of ['acc_none', 'acc_bob']) log.recordAccess({ event_type: 'SIGNED_OUT', actor_id });
  assert.ok(await log.flush());
  assert.equal(
    (await rows('org_a')).map(({ actor_id }) => actor_id),
    ['acc_bob'],
  );
  assert.ok(warned.length > 0);
});

test('deletes rows after 400 days', async ({ openAnother: another, rows, clock, accounts }) => {
  const log = another();
  log.recordAccess({ event_type: 'SIGNED_IN', actor_id: 'acc_bob', clientInfo: CLIENT_INFO });
  log.recordTokenUse(CALLER);
  await log.flush();
  clock.waitDays(3);
  await sweepExpired({ accounts, clock });
  assert.is((await accounts.all('access')).length, 3);
  clock.waitDays(ACCESS_LOG_DAYS - 3);
  await sweepExpired({ accounts, clock });
  assert.is((await rows('org_a')).length, 2, 'on their last day');
  clock.wait(HOUR_MS);
  await sweepExpired({ accounts, clock });
  assert.equal(await accounts.all('access'), []);
});

test('stores a browser’s short name, never its User-Agent', async ({ log, accounts }) => {
  const agent = `vtr_0123456789 password=hunter2 \u202e${'x'.repeat(5_000)} Firefox/1`;
  log.recordAccess({ event_type: 'SIGNED_IN', actor_id: 'acc_bob', clientInfo: { address: '::1', agent } });
  log.recordAccess({
    event_type: 'ASSISTANT_ALLOWED',
    actor_id: 'acc_bob',
    client: `An\u202eother\u0000 ${'y'.repeat(500)}`,
  });
  await log.flush();
  const all = JSON.stringify(await accounts.all('access'));
  assert.not.match(all, /vtr_|hunter2|xxxx|\u202e|\\u0000|y{101}/);
  assert.match(all, /"Firefox"/);
});

test('records account events', async ({ log, rows }) => {
  const clientInfo = CLIENT_INFO;
  log.record({ type: 'SESSIONS_ENDED', account_id: 'acc_bob', count: 3, clientInfo });
  log.record({ type: 'RECOVERY_CODE_USED', account_id: 'acc_bob', left: 7, clientInfo });
  await log.flush();
  const entries = (await rows('org_a')).map(({ event_type, details, actor_id }) => [event_type, details, actor_id]);
  assert.equal(entries.sort(), [
    ['RECOVERY_CODE_USED', { left: 7 }, 'acc_bob'],
    ['SESSIONS_ENDED', { sessions: 3 }, 'acc_bob'],
  ]);
});

test('shows sessions that an owner ended in the owner’s organization only', async ({ log, rows }) => {
  const by = { actor_id: 'acc_ada', organization_id: 'org_c' };
  log.record({ type: 'SESSIONS_ENDED', account_id: 'acc_bob', count: 2, by, clientInfo: CLIENT_INFO });
  await log.flush();
  const entries = (await rows('org_c')).map(({ event_type, details, actor_id, account_id }) => [
    ...[event_type, details],
    ...[actor_id, account_id],
  ]);
  assert.equal(entries, [['SESSIONS_ENDED', { sessions: 2 }, 'acc_ada', 'acc_bob']]);
  assert.equal((await rows('org_a')).length, 0, 'Bob is a member there too');
});

test('records an erasure in the account’s former organizations, and the creator of each link', async ({
  openAnother: another,
  rows,
}) => {
  const log = another({ organizationsOf: async () => [] });
  log.record({
    type: 'ACCOUNT_ERASED',
    account_id: 'acc_bob',
    organizations: ['org_a'],
    clientInfo: CLIENT_INFO,
  });
  const invitation = { kind: 'INVITATION', account_id: null, organization_id: 'org_a' } as const;
  log.record({ type: 'ACCOUNT_LINK_CREATED', ...invitation, by: 'acc_ada' });
  log.record({ type: 'ACCOUNT_LINK_REVOKED', ...invitation, by: 'acc_ada' });
  await log.flush();
  const entries = (await rows('org_a')).map(({ event_type, details, actor_id }) => [event_type, details, actor_id]);
  assert.equal(entries.sort(), [
    ['ACCOUNT_ERASED', {}, 'acc_bob'],
    ['ACCOUNT_LINK_CREATED', { link: 'INVITATION' }, 'acc_ada'],
    ['ACCOUNT_LINK_REVOKED', { link: 'INVITATION' }, 'acc_ada'],
  ]);
});

test('waits for the membership of a new account', async ({ openAnother: another, rows, clock }) => {
  const organizations: string[] = [];
  const log = another({ organizationsOf: async () => organizations });
  log.record({ type: 'ACCOUNT_CREATED', account_id: 'acc_new', clientInfo: CLIENT_INFO });
  await log.flush();
  organizations.push('org_a');
  clock.wait(5_000);
  await log.flush();
  assert.equal((await rows('org_a')).length, 1);
  organizations.pop();
  log.record({ type: 'ACCOUNT_CREATED', account_id: 'acc_nowhere', clientInfo: CLIENT_INFO });
  await log.flush();
  clock.wait(30_000);
  await log.flush();
  organizations.push('org_a');
  await log.flush();
  assert.equal((await rows('org_a')).length, 1, 'but not forever');
});

test.run();
