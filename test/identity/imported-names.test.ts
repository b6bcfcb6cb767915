import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idPrefix, isHashedId, randomId } from '../../src/commands/engine/ids.ts';
import { ImportedNames } from '../../src/identity/imported-names.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import { openSqliteAccountStore } from '../../src/stores/sqlite/account-store.ts';
import { ORGANIZATION, temporaryFolder } from '../support/register.ts';

const test = suite<{ folder: string; accounts: AccountStore; names: ImportedNames }>('imported names');

test.before((context) => {
  context.folder = temporaryFolder();
  context.accounts = openSqliteAccountStore(context.folder);
  context.names = new ImportedNames(context.accounts);
});
test.after(async ({ folder, accounts }) => {
  await accounts.close();
  rmSync(folder, { recursive: true });
});

const shown = async (names: ImportedNames, id: string) => (await names.read(ORGANIZATION, [id])).get(id);

test('a name that somebody changes in the account store is told', async ({ accounts, names }) => {
  const id = await names.idOf(ORGANIZATION, 'Eva Extern');
  assert.equal([idPrefix(id), isHashedId(id)], ['nam', true]);
  assert.is(await names.idOf(ORGANIZATION, ' Eva Extern '), id, 'the same name has the same id');
  assert.is(await shown(names, id), 'Eva Extern');
  const { salt } = (await accounts.get<{ id: string; salt: string }>('imported_names', id))!;
  for (const change of [{ name: 'Forged Reviewer' }, { salt: '00'.repeat(16) }, { salt: null }, { salt: undefined }]) {
    await accounts.update('imported_names', id, change);
    assert.is(await shown(names, id), 'altered name', JSON.stringify(change));
    assert.is((await names.list(ORGANIZATION)).find((listed) => listed.id === id)?.name, 'altered name');
    await accounts.update('imported_names', id, { name: 'Eva Extern', salt });
    assert.is(await shown(names, id), 'Eva Extern');
  }
});

test('an erased name leaves no salt to guess it by', async ({ accounts, names }) => {
  const id = await names.idOf(ORGANIZATION, 'Emil Erased');
  assert.is(await names.erase(ORGANIZATION, id), true);
  assert.is(await shown(names, id), 'erased name');
  assert.is((await accounts.get<{ id: string; salt: string | null }>('imported_names', id))!.salt, null);
  assert.is.not(await names.idOf(ORGANIZATION, 'Emil Erased'), id);
});

test('a name of an earlier version, with a random id, is shown and found as before', async ({ accounts, names }) => {
  const id = randomId('nam');
  const name = 'Olga Old';
  await accounts.insert('imported_names', {
    id,
    organization_id: ORGANIZATION,
    name,
    organization_name: `${ORGANIZATION} ${name}`,
  });
  assert.is(isHashedId(id), false);
  assert.equal([await names.idOf(ORGANIZATION, name), await shown(names, id)], [id, name]);
});

test('random ids are never taken for hashes', () => {
  for (let n = 0; n < 1_000; n += 1) assert.is(isHashedId(randomId('nam')), false);
});

test.run();
