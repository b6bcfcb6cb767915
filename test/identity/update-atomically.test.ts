import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updateAtomically } from '../../src/identity/update-atomically.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { openSqliteAccountStore } from '../../src/stores/sqlite/account-store.ts';
import { rejectionError, temporaryFolder } from '../support/identity/identity.ts';

const test = suite<{ accounts: AccountStore }>('updateAtomically');

test.before.each((context) => {
  context.accounts = openSqliteAccountStore(temporaryFolder());
});
test.after.each(({ accounts }) => accounts.close());

test('retries after another writer, and creates a missing record', async ({ accounts }) => {
  const appendItem = (item: string, concurrentWrite: () => Promise<unknown>) =>
    updateAtomically(accounts, 'attempts', 'a', async (record) => {
      const list = [...((record?.list as string[] | undefined) ?? []), item];
      if (!list.includes('other')) await concurrentWrite();
      return { list };
    });
  const insertConcurrently = () => accounts.insert('attempts', { id: 'a', list: ['other'], more: 1 });
  assert.equal(await appendItem('x', insertConcurrently), { id: 'a', list: ['other', 'x'], more: 1 });
  await accounts.remove('attempts', 'a');
  assert.equal(await appendItem('y', async () => undefined), { id: 'a', list: ['y'] });
  const last = await appendItem('z', () => accounts.update('attempts', 'a', { list: ['other'] }));
  assert.equal(last, { id: 'a', list: ['other', 'z'] });
  assert.equal(await accounts.get('attempts', 'a'), { id: 'a', list: ['other', 'z'] });
});

test('writes nothing without a change, and gives up if other writers always win', async ({ accounts }) => {
  await accounts.insert('attempts', { id: 'a', count: 0 });
  assert.is(await updateAtomically(accounts, 'attempts', 'a', () => null), null);
  const update = updateAtomically(accounts, 'attempts', 'a', async (record) => {
    await accounts.update('attempts', 'a', { count: Number(record!.count) + 1 });
    return { count: -1 };
  });
  assert.instance(await rejectionError(update), StoreUnavailable);
  assert.is.not((await accounts.get('attempts', 'a'))!.count, -1);
});

test.run();
