import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccountRecord, AccountStore } from '../../src/stores/account-store.ts';

const token = (id: string, fields: Record<string, unknown> = {}): AccountRecord => ({
  id,
  account_id: 'acc_1',
  ...fields,
});

const ids = (records: readonly AccountRecord[]): string[] => records.map((record) => record.id).sort();

/** Tests the `AccountStore` port on an adapter. `open` returns an empty store. */
export function accountStoreContract(
  name: string,
  open: () => Promise<{ store: AccountStore; close(): Promise<void> }>,
) {
  const test = suite(`account store: ${name}`);

  const check = (title: string, body: (store: AccountStore) => Promise<void>) =>
    test(title, async () => {
      const { store, close } = await open();
      try {
        await body(store);
      } finally {
        await close();
      }
    });

  check('a record is read back unchanged', async (store) => {
    const record = {
      id: 'acc_1',
      name: 'Zoë \u{1f600} "quoted" \\ \n\u0000',
      none: null,
      yes: true,
      numbers: [0, -1, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER],
      roles: { org_a: 'OWNER', org_b: [] },
      record: 'a name the store might use itself',
      _id: 'another',
    };
    assert.ok(await store.insert('accounts', record));
    assert.equal(await store.get('accounts', 'acc_1'), record);
    assert.equal(await store.all('accounts'), [record]);
    assert.is(await store.get('accounts', 'nobody'), null);
  });

  check('changing an inserted or returned object does not change the store', async (store) => {
    const record = { id: 'acc_1', roles: { org_a: 'OWNER' } };
    await store.insert('accounts', record);
    record.roles.org_a = 'changed';
    const answered = (await store.get<typeof record>('accounts', 'acc_1')) ?? record;
    assert.is(answered.roles.org_a, 'OWNER');
    answered.roles.org_a = 'changed';
    assert.is((await store.get<typeof record>('accounts', 'acc_1'))?.roles.org_a, 'OWNER');
  });

  check('a taken id or unique value is refused, and nothing is written', async (store) => {
    assert.ok(await store.insert('tokens', token('tok_1', { hash: 'h1' })));
    assert.not(await store.insert('tokens', token('tok_1', { hash: 'h2' })));
    assert.not(await store.insert('tokens', token('tok_2', { hash: 'h1' })));
    assert.equal(await store.all('tokens'), [token('tok_1', { hash: 'h1' })]);
    assert.equal(await store.find('tokens', 'hash', 'h2'), []);
    assert.ok(await store.insert('tokens', token('tok_2', { hash: 'h2' })));
  });

  check('many records may have an absent or null unique value', async (store) => {
    assert.ok(await store.insert('tokens', token('tok_1')));
    assert.ok(await store.insert('tokens', token('tok_2')));
    assert.ok(await store.insert('tokens', token('tok_3', { hash: null })));
    assert.ok(await store.insert('tokens', token('tok_4', { hash: 'tok_1' })));
    assert.equal(ids(await store.all('tokens')), ['tok_1', 'tok_2', 'tok_3', 'tok_4']);
  });

  check('finds by unique and by look-up fields', async (store) => {
    await store.insert('tokens', token('tok_1', { hash: 'h1' }));
    await store.insert('tokens', token('tok_2', { hash: 'h2' }));
    await store.insert('tokens', token('tok_3', { hash: 'h3', account_id: 'acc_2' }));
    assert.equal(await store.find('tokens', 'hash', 'h2'), [token('tok_2', { hash: 'h2' })]);
    assert.equal(ids(await store.find('tokens', 'account_id', 'acc_1')), ['tok_1', 'tok_2']);
    assert.equal(await store.find('tokens', 'account_id', 'acc'), []);
  });

  check('equal ids in two tables are separate records', async (store) => {
    assert.ok(await store.insert('secrets', { id: 'same', of: 'secrets' }));
    assert.ok(await store.insert('accounts', { id: 'same', of: 'accounts' }));
    assert.is((await store.get('secrets', 'same'))?.of, 'secrets');
    assert.ok(await store.remove('secrets', 'same'));
    assert.is((await store.get('accounts', 'same'))?.of, 'accounts');
  });

  check('an update changes only the named fields of one record', async (store) => {
    await store.insert('tokens', token('tok_1', { hash: 'h1', note: 'kept', deep: { a: 1, b: 2 } }));
    await store.insert('tokens', token('tok_2', { hash: 'h2' }));
    assert.ok(await store.update('tokens', 'tok_1', { hash: 'h9', account_id: 'acc_2', deep: { c: 3 }, none: null }));
    const changedFields = { hash: 'h9', note: 'kept', account_id: 'acc_2', deep: { c: 3 }, none: null };
    assert.equal(await store.get('tokens', 'tok_1'), token('tok_1', changedFields));
    assert.equal(await store.get('tokens', 'tok_2'), token('tok_2', { hash: 'h2' }));
    assert.equal(await store.find('tokens', 'hash', 'h1'), []);
    assert.equal(ids(await store.find('tokens', 'hash', 'h9')), ['tok_1']);
    assert.equal(ids(await store.find('tokens', 'account_id', 'acc_2')), ['tok_1']);
    assert.ok(await store.insert('tokens', token('tok_3', { hash: 'h1' })), 'the old value is free');
    assert.not(await store.update('tokens', 'nobody', { note: 'x' }));
  });

  check('an update to a taken unique value is refused and changes nothing; clearing it frees it', async (store) => {
    await store.insert('tokens', token('tok_1', { hash: 'h1' }));
    await store.insert('tokens', token('tok_2', { hash: 'h2' }));
    assert.not(await store.update('tokens', 'tok_2', { hash: 'h1', note: 'x' }));
    assert.equal(await store.get('tokens', 'tok_2'), token('tok_2', { hash: 'h2' }));
    assert.ok(await store.update('tokens', 'tok_1', { hash: null }));
    assert.ok(await store.update('tokens', 'tok_2', { hash: 'h1' }));
  });

  check('an update happens only when the fields have the values it expects', async (store) => {
    await store.insert('accounts', { id: 'acc_1', version: 1, name: 'a' });
    assert.not(await store.update('accounts', 'acc_1', { name: 'b' }, { version: 2 }));
    assert.not(await store.update('accounts', 'acc_1', { name: 'b' }, { version: 1, name: 'z' }));
    assert.not(await store.update('accounts', 'acc_1', { name: 'b' }, { version: null }));
    assert.is((await store.get('accounts', 'acc_1'))?.name, 'a');
    assert.ok(await store.update('accounts', 'acc_1', { revoked_at: 'now' }, { version: 1, revoked_at: null }));
    assert.not(await store.update('accounts', 'acc_1', { revoked_at: 'later' }, { revoked_at: null }));
    assert.is((await store.get('accounts', 'acc_1'))?.revoked_at, 'now');
  });

  check('a removed record frees its unique value', async (store) => {
    await store.insert('tokens', token('tok_1', { hash: 'h1' }));
    assert.ok(await store.remove('tokens', 'tok_1'));
    assert.not(await store.remove('tokens', 'tok_1'));
    assert.equal(await store.find('tokens', 'account_id', 'acc_1'), []);
    assert.ok(await store.insert('tokens', token('tok_2', { hash: 'h1' })));
  });

  check('put inserts, then replaces the whole record', async (store) => {
    await store.put('tokens', token('tok_1', { hash: 'h1', note: 'gone' }));
    await store.put('tokens', token('tok_1', { hash: 'h2' }));
    assert.equal(await store.all('tokens'), [token('tok_1', { hash: 'h2' })]);
    assert.equal(await store.find('tokens', 'hash', 'h1'), []);
    assert.ok(await store.insert('tokens', token('tok_2', { hash: 'h1' })), 'the old value is free');
    let thrown: unknown;
    await store.put('tokens', token('tok_3', { hash: 'h1' })).catch((error: unknown) => {
      thrown = error;
    });
    assert.instance(thrown, Error);
    assert.equal(ids(await store.all('tokens')), ['tok_1', 'tok_2']);
  });

  check('pages list the records of one look-up value by descending id', async (store) => {
    const entry = (id: string, organization_id = 'org_a') => ({ id, organization_id });
    for (const id of ['3', '1', '5', '2', '4']) await store.insert('access', entry(id));
    await store.insert('access', entry('35', 'org_b'));
    const page = async (range: object) =>
      (await store.page('access', { field: 'organization_id', value: 'org_a', limit: 10, ...range })).map(
        ({ id }) => id,
      );
    assert.equal(await page({}), ['5', '4', '3', '2', '1']);
    assert.equal(await page({ limit: 2 }), ['5', '4']);
    assert.equal(await page({ limit: 2, below: '4' }), ['3', '2']);
    assert.equal(await page({ from: '2', below: '4' }), ['3', '2']);
    assert.equal(await page({ value: 'org_c' }), []);
  });

  check('a sweep removes records with a lower value, and keeps those without the field', async (store) => {
    const session = (id: string, expires_at?: string | null) => ({ id, account_id: 'acc_1', expires_at });
    await store.insert('sessions', session('a', '2026-01-01T00:00:00.000Z'));
    await store.insert('sessions', session('b', '2026-01-02T00:00:00.000Z'));
    await store.insert('sessions', session('c', null));
    assert.is(await store.sweep('sessions', 'expires_at', '2026-01-02T00:00:00.000Z'), 1);
    assert.equal(ids(await store.all('sessions')), ['b', 'c']);
    assert.is(await store.sweep('sessions', 'expires_at', '2026-01-02T00:00:00.000Z'), 0);
  });

  check('of several concurrent writes, exactly one gets an id, a unique value or an expected state', async (store) => {
    const winners = async (attempts: Promise<boolean>[]) => (await Promise.all(attempts)).filter((did) => did).length;
    const four = [1, 2, 3, 4];
    assert.is(await winners(four.map((n) => store.insert('secrets', { id: 'installation', n }))), 1);
    assert.is(await winners(four.map((n) => store.insert('tokens', token(`tok_${n}`, { hash: 'h' })))), 1);
    const claim = (n: number) => store.update('secrets', 'installation', { holder: n }, { holder: null });
    assert.is(await winners(four.map(claim)), 1);
  });

  return test;
}
