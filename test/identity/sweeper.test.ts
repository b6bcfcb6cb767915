import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Sweeper } from '../../src/identity/installation/sweeper.ts';
import { ACCOUNT_TABLES, type AccountTableName } from '../../src/stores/account-store.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { closeAll, open, sweepExpired, withAccounts } from '../support/identity/identity.ts';

const test = suite('sweeper');

test.after.each(closeAll);

const TABLES = Object.keys(ACCOUNT_TABLES) as AccountTableName[];

test('deletes expired records from every table, and nothing else', async () => {
  const identity = await open();
  const { accounts, clock } = identity;
  const expiredAt = clock.now().toISOString();
  clock.wait(1);
  const timestamp = clock.now().toISOString();
  for (const table of TABLES) {
    await accounts.insert(table, { id: 'over', expires_at: expiredAt });
    await accounts.insert(table, { id: 'good', expires_at: timestamp });
    await accounts.insert(table, { id: 'for ever' });
  }
  await sweepExpired(identity);
  const remaining = await Promise.all(TABLES.map(async (table) => [table, (await accounts.all(table)).length]));
  const lasting = remaining.filter(([, count]) => count === 3).map(([table]) => table);
  assert.equal(lasting, [
    'secrets',
    'accounts',
    'names',
    'imported_names',
    'tokens',
    'passkeys',
    'domains',
    'value_words',
  ]);
  assert.equal(new Set(remaining.map(([, count]) => count)), new Set([2, 3]));
});

test('deletes nothing while the clock is in doubt', async () => {
  const identity = await open();
  const { accounts, clock } = identity;
  await accounts.insert('sessions', { id: 'over', expires_at: clock.now().toISOString() });
  clock.wait(1);
  clock.trusted = false;
  await sweepExpired(identity);
  assert.is((await accounts.all('sessions')).length, 1);
  clock.trusted = true;
  await sweepExpired(identity);
  assert.equal(await accounts.all('sessions'), []);
});

test('sweeps at the start, and tries again after an outage', async () => {
  const identity = await open();
  const { clock, accounts } = identity;
  const warned: string[] = [];
  let away = true;
  const flaky = withAccounts(identity, {
    sweep: (...where) => (away ? Promise.reject(new StoreUnavailable('away')) : accounts.sweep(...where)),
  });
  const sweeper = new Sweeper({ ...flaky, log: { warn: (_, message) => warned.push(message) } });
  await accounts.insert('sessions', { id: 'over', expires_at: clock.now().toISOString() });
  clock.wait(1);
  sweeper.start();
  await sweeper.stop();
  assert.is(warned.length, 1);
  assert.is((await accounts.all('sessions')).length, 1);
  away = false;
  await sweeper.run();
  assert.is(warned.length, 1);
  assert.equal(await accounts.all('sessions'), []);
});

test.run();
