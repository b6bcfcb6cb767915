import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { type AccessLogRow, ALL_ORGANIZATIONS } from '../../../src/identity/access-log/access-log-row.ts';
import { readCredentialUses } from '../../../src/identity/access-log/credential-uses.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { openMongoAccountStore } from '../../../src/stores/mongodb/account-store.ts';
import { type AccessContext, CALLER, CLIENT_INFO, HOUR_MS, openAccessLog } from '../../support/identity/access-log.ts';
import { replaceMembers } from '../../support/identity/identity.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const test = suite<AccessContext>('access log, counting');

test.before.each((context) => {
  Object.assign(context, openAccessLog());
});
test.after.each(({ accounts }) => accounts.close());

test('counts a flood of refusals in one row an hour, without naming anybody', async ({
  log,
  rows,
  clock,
  accounts,
}) => {
  for (let i = 0; i < 50_000; i += 1) {
    log.recordRefusal({
      event_type: 'TOKEN_REFUSED',
      actor_id: null,
      clientInfo: { address: `198.51.100.${i}`, agent: `${i}` },
    });
    if (i % 10_000 === 0) await log.flush();
  }
  clock.wait(HOUR_MS);
  log.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
  await log.flush();
  const refusals = await rows(ALL_ORGANIZATIONS);
  assert.equal(
    refusals.map(({ count, address, client, actor_id, account_id }) => [count, address, client, actor_id, account_id]),
    [
      [1, null, null, null, null],
      [50_000, null, null, null, null],
    ],
  );
  assert.is((await accounts.all('access')).length, 2);
});

test('counts refusals of an existing account by account and reason, with the last address', async ({
  log,
  rows,
  clock,
}) => {
  const recordRefusal = (
    address: string,
    reason: 'WRONG_PASSWORD' | 'THROTTLED',
    account_id: string | null = 'acc_ada',
  ) => log.record({ type: 'SIGN_IN_REFUSED', account_id, reason, clientInfo: { ...CLIENT_INFO, address } });
  recordRefusal('192.0.2.1', 'WRONG_PASSWORD');
  clock.wait(1_000);
  recordRefusal('192.0.2.2', 'WRONG_PASSWORD');
  recordRefusal('192.0.2.3', 'THROTTLED');
  recordRefusal('192.0.2.4', 'WRONG_PASSWORD', null);
  await log.flush();
  for (const organization of ['org_a', 'org_b']) {
    const refusals = (await rows(organization)).map((row) => [
      row.details.reason,
      row.count,
      row.address,
      row.actor_id,
      row.account_id,
    ]);
    assert.equal(refusals.sort(), [
      ['THROTTLED', 1, '192.0.2.3', null, 'acc_ada'],
      ['WRONG_PASSWORD', 2, '192.0.2.2', null, 'acc_ada'],
    ]);
  }
  const [unknown] = await rows(ALL_ORGANIZATIONS);
  assert.equal([unknown!.count, unknown!.address, unknown!.details], [1, null, {}]);
});

test('writes a bounded number of rows when somebody tries many accounts', async ({ log, rows }) => {
  for (let i = 0; i < 15_000; i += 1) {
    log.recordRefusal({
      event_type: 'SIGN_IN_REFUSED',
      actor_id: null,
      account_id: `acc_${i}`,
      clientInfo: CLIENT_INFO,
    });
  }
  await log.flush();
  const refusals = await rows('org_a');
  assert.is(refusals.length, 21);
  const strangers = refusals.find(({ account_id }) => account_id === null)!;
  assert.equal([strangers.count, strangers.address], [10_000 - 20, null]);
  assert.equal(
    (await rows(ALL_ORGANIZATIONS)).map(({ count }) => count),
    [5_000],
    'accounts without an organization still count',
  );
});

test('counts a token’s uses in one row a day for each organization', async ({ log, rows, clock }) => {
  const first = clock.now().toISOString();
  for (let i = 0; i < 3; i += 1) {
    log.recordTokenUse(CALLER, 'Claude');
    clock.wait(HOUR_MS);
    await log.flush();
  }
  const last = new Date(clock.now().getTime() - HOUR_MS).toISOString();
  clock.waitDays(1);
  log.recordTokenUse(CALLER);
  await log.flush();
  for (const organization of ['org_a', 'org_b']) {
    const [next, day, ...none] = await rows(organization);
    assert.equal(none, []);
    assert.equal([day!.at, day!.last_at, day!.count, day!.client], [first, last, 3, 'Claude']);
    assert.equal([day!.actor_id, day!.account_id, day!.address], ['tok_1', 'acc_ada', null]);
    assert.equal([next!.count, next!.actor_id], [1, 'tok_1']);
  }
});

test('writes a token’s use at the start of its day, then once a minute', async ({ log, rows, clock }) => {
  const counts = async () => {
    await log.writeDue();
    return (await rows('org_a')).map(({ count }) => count);
  };
  log.recordTokenUse(CALLER);
  assert.equal(await counts(), [1]);
  clock.wait(59_000);
  for (let use = 0; use < 2; use += 1) log.recordTokenUse(CALLER);
  assert.equal(await counts(), [1]);
  clock.wait(1_000);
  assert.equal(await counts(), [3]);
  log.recordTokenUse(CALLER);
  clock.waitDays(1);
  log.recordTokenUse(CALLER);
  assert.equal(await counts(), [1, 4], 'each day by itself');
});

/** Starts instances that count in the same rows at the same time. */
async function countTogether(
  { openAnother: another, rows }: AccessContext,
  stores: readonly AccountStore[],
): Promise<void> {
  const logs = stores.map((accounts) => another({ accounts }));
  for (let round = 0; round < 10; round += 1) {
    for (const log of logs) {
      log.recordTokenUse(CALLER);
      log.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
    }
    await Promise.all(logs.map((log) => log.flush()));
  }
  for (const organization of ['org_a', 'org_b', ALL_ORGANIZATIONS]) {
    assert.equal(
      (await rows(organization)).map(({ count }) => count),
      [10 * logs.length],
      organization,
    );
  }
}

test('several instances count in the same rows without losing any', async (context) => {
  const { accounts } = context;
  // SQLite answers synchronously. This delay lets other instances write between a read and its write.
  const get: AccountStore['get'] = async (table, id) => {
    const record = await accounts.get(table, id);
    await turn();
    return record as never;
  };
  const slow = replaceMembers(accounts, { get });
  await countTogether(context, [slow, slow, slow]);
});

const mongo = await startMongo();
if (mongo) {
  test(`on ${mongo.name} too`, async (context) => {
    const stores: AccountStore[] = [];
    try {
      for (let i = 0; i < 3; i += 1) stores.push(await openMongoAccountStore(mongo.url));
      const rows = (value: string) =>
        stores[0]!.page<AccessLogRow>('access', { field: 'organization_id', value, limit: 9 });
      await countTogether({ ...context, rows }, stores);
    } finally {
      for (const store of stores) await store.close();
    }
  });
  test.after(mongo.close);
}

test('after 200 downloads an account’s further ones of a day share a row for each file and token', async ({
  log,
  rows,
  clock,
}) => {
  const download = (account_id: string, index: number, type: string) =>
    log.record({
      type: 'EXPORT_DOWNLOADED',
      caller: { ...CALLER, account_id },
      download: { organization_id: 'org_a', type, format: 'csv', position: String(index) },
    });
  for (let index = 0; index < 500; index += 1) download('acc_ada', index, index % 2 ? 'vendors' : 'risks');
  download('acc_bob', 1, 'vendors');
  await log.flush();
  clock.wait(1_000);
  download('acc_ada', 501, 'risks');
  await log.flush();
  const found = await rows('org_a');
  const ofAda = found.filter(({ actor_id }) => actor_id === 'acc_ada');
  const counted = ofAda.filter(({ details }) => details.position === undefined);
  assert.is(ofAda.length, 202);
  const facts = counted.map(({ count, details }) => [details, count]).sort((a, b) => Number(a[1]) - Number(b[1]));
  assert.equal(facts, [
    [{ type: 'vendors', format: 'csv', token_id: 'tok_1', scope: 'ALL' }, 150],
    [{ type: 'risks', format: 'csv', token_id: 'tok_1', scope: 'ALL' }, 151],
  ]);
  assert.equal(
    found.filter(({ actor_id }) => actor_id === 'acc_bob').map(({ count, details }) => [count, details.position]),
    [[1, '1']],
    'another account’s have their own rows',
  );
});

test('many small downloads don’t hide one of all, nor one with another token', async ({ log, rows }) => {
  const download = (token_id: string, more: object = {}) =>
    log.record({
      type: 'EXPORT_DOWNLOADED',
      caller: { ...CALLER, token_id },
      download: { organization_id: 'org_a', type: 'changes', format: 'csv', position: '9', ...more },
    });
  for (let index = 0; index < 210; index += 1) download('tok_1', { from: '1', to: '1' });
  download('tok_1');
  download('tok_2', { from: '1', to: '1' });
  await log.flush();
  const counted = (await rows('org_a')).filter(({ details }) => details.position === undefined);
  const facts = counted.map(({ count, details: { token_id, scope } }) => [token_id, scope, count]);
  assert.equal(facts.sort(), [
    ['tok_1', 'ALL', 1],
    ['tok_1', 'PART', 10],
    ['tok_2', 'PART', 1],
  ]);
});

test('each act on another’s account has a row, however many there are', async ({ log, rows }) => {
  const link = (account_id: string) =>
    log.record({
      type: 'ACCOUNT_LINK_CREATED',
      kind: 'RESET',
      account_id,
      organization_id: 'org_a',
      by: 'acc_ada',
      clientInfo: CLIENT_INFO,
    });
  for (let index = 0; index < 210; index += 1) link('acc_bob');
  link('acc_eve');
  await log.flush();
  const found = await rows('org_a');
  assert.equal([found.length, found.filter(({ account_id }) => account_id === 'acc_eve').length], [211, 1]);
});

test('counts the calls and refusals of each credential on one day of UTC, for those who may know', async (context) => {
  const { accounts, clock, log } = context;
  for (const [id, name, account_id] of [
    ['tok_1', 'Weekly', 'acc_ada'],
    ['tok_2', 'Desk', 'acc_bob'],
    ['tok_3', 'Idle', 'acc_bob'],
  ])
    await accounts.insert('tokens', { id: id!, name, account_id, hash: `hash of ${id}` });
  const bob = { ...CALLER, account_id: 'acc_bob', token_id: 'tok_2' };
  const at = (time: string) => clock.wait(Date.parse(`2026-03-${time}Z`) - clock.now().getTime());
  const refuse = (caller = CALLER) => log.record({ type: 'CALL_REFUSED', caller, reason: 'FORBIDDEN' });
  const use = (caller = CALLER) => log.recordTokenUse(caller);
  at('01T23:59:59.999');
  for (const record of [use, refuse]) record();
  at('02T00:00:00.000');
  for (const record of [use, use, refuse]) record();
  await log.flush();
  at('02T23:59:59.999');
  for (const record of [use, refuse]) record();
  log.record({ type: 'CALL_REFUSED', caller: CALLER, reason: 'RATE_LIMITED' });
  log.record({ type: 'TOKEN_REFUSED', caller: bob, readAddress: undefined });
  use(bob);
  at('03T00:00:00.000');
  for (const record of [use, refuse]) record();
  log.record({ type: 'SIGN_IN_REFUSED', account_id: 'acc_bob', reason: 'WRONG_PASSWORD', clientInfo: CLIENT_INFO });
  await log.flush();
  const usesOf = async (account_id: string, role: Role, day: string, ids: string[] = []) => {
    const reader = { account_id, roles: new Map([['org_a', role]]) };
    const uses = await readCredentialUses(accounts, reader, { organizationId: 'org_a', day, ids });
    return uses.map(({ id, calls, refused }) => [id, calls, refused]);
  };
  const all = [
    ['tok_2', 1, 1],
    ['tok_1', 3, 3],
  ];
  assert.equal(await usesOf('acc_eve', 'AUDITOR', '2026-03-02'), all);
  assert.equal(await usesOf('acc_bob', 'EDITOR', '2026-03-02', ['tok_1', 'tok_3', 'tok_unknown']), [
    ['tok_2', 1, 1],
    ['tok_3', 0, 0],
  ]);
  assert.equal(await usesOf('acc_ada', 'VIEWER', '2026-03-01'), [['tok_1', 1, 1]]);
  assert.equal(await usesOf('acc_ada', 'OWNER', '2026-03-03'), [['tok_1', 1, 1]]);
  const elsewhere = { account_id: 'acc_ada', roles: new Map<string, Role>() };
  const day = { organizationId: 'org_a', day: '2026-03-02', ids: [] };
  assert.equal((await readCredentialUses(accounts, elsewhere, day)).length, 1, 'without a role only one’s own');
});

test.run();
