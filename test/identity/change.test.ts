import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updateAtomically } from '../../src/identity/update-atomically.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { openSqliteAccountStore } from '../../src/stores/sqlite/account-store.ts';
import { rejection, temporaryFolder } from '../support/identity.ts';

const test = suite<{ accounts: AccountStore }>('changing a record by what it is');

test.before.each((context) => {
  context.accounts = openSqliteAccountStore(temporaryFolder());
});
test.after.each(({ accounts }) => accounts.close());

test('looks again where another writer came between, and makes what is not there', async ({ accounts }) => {
  const add = (by: string, meanwhile: () => Promise<unknown>) =>
    updateAtomically(accounts, 'attempts', 'a', async (found) => {
      const list = [...((found?.list as string[] | undefined) ?? []), by];
      if (!list.includes('other')) await meanwhile();
      return { list };
    });
  const other = () => accounts.insert('attempts', { id: 'a', list: ['other'], more: 1 });
  assert.equal(await add('x', other), { id: 'a', list: ['other', 'x'], more: 1 });
  await accounts.remove('attempts', 'a');
  assert.equal(await add('y', async () => undefined), { id: 'a', list: ['y'] });
  const last = await add('z', () => accounts.update('attempts', 'a', { list: ['other'] }));
  assert.equal(last, { id: 'a', list: ['other', 'z'] });
  assert.equal(await accounts.get('attempts', 'a'), { id: 'a', list: ['other', 'z'] });
});

test('leaves it where nothing is to change, and gives up where others are always faster', async ({ accounts }) => {
  await accounts.insert('attempts', { id: 'a', count: 0 });
  assert.is(await updateAtomically(accounts, 'attempts', 'a', () => null), null);
  const racing = updateAtomically(accounts, 'attempts', 'a', async (found) => {
    await accounts.update('attempts', 'a', { count: Number(found!.count) + 1 });
    return { count: -1 };
  });
  assert.instance(await rejection(racing), StoreUnavailable);
  assert.is.not((await accounts.get('attempts', 'a'))!.count, -1);
});

test.run();
