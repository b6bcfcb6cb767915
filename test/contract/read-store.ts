import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Fenced } from '../../src/stores/errors.ts';
import type { StorePosition } from '../../src/stores/event-store.ts';
import type { Condition, ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { CASES, checkpoint, find, ids, KEYED, put, puts, SPECS, vendor, walk } from './read-fixtures.ts';
import { naiveCount, naiveFind, sortCounts } from './read-model.ts';
import { agreesWithNaive } from './read-property.ts';

/** Tests the `ReadStore` and `ReadModels` ports on an adapter. `open` returns an empty store. */
export function readStoreContract(name: string, open: () => Promise<{ store: ReadStore; close(): Promise<void> }>) {
  const test = suite(`read store: ${name}`);

  const check = (title: string, body: (models: ReadModels, store: ReadStore) => Promise<void>) =>
    test(title, async () => {
      const { store, close } = await open();
      try {
        const models = await store.open('g1', SPECS);
        await body(models, store);
        await models.close();
      } finally {
        await close();
      }
    });

  check('every condition finds its documents, alone and with others, with and without indexes', async (models) => {
    await put(models, 1, KEYED);
    for (const indexed of [false, true]) {
      if (indexed) await models.buildIndexes();
      for (const [title, condition, expected] of CASES) {
        const what = indexed ? `${title}, indexed` : title;
        assert.is(await ids(find(models, { where: [condition] })), expected, what);
        const conditions: Condition[] = [{ key: 'status', op: 'present' }, condition];
        assert.is(await ids(find(models, { where: conditions })), expected.replace(/ ?v5/, ''), `${what}, and another`);
      }
    }
    await models.buildIndexes();
  });

  check('sorts by key, then id; empty keys come first ascending and last descending', async (models) => {
    await put(models, 1, KEYED);
    const idsBy = (key: string | null, direction: 'ASC' | 'DESC') => ids(find(models, { order: { key, direction } }));
    assert.is(await idsBy('name', 'ASC'), 'v4 v2 v1 v3 v5');
    assert.is(await idsBy('name', 'DESC'), 'v5 v3 v1 v2 v4');
    assert.is(await idsBy('score', 'ASC'), 'v3 v4 v1 v2 v5');
    assert.is(await idsBy(null, 'DESC'), 'v5 v4 v3 v2 v1');
    const [first, second] = await find(models, { order: { key: 'score', direction: 'ASC' }, limit: 2 });
    assert.is(first?.key, null);
    assert.is(second?.key, -1.5);
  });

  check('pages contain each document once, even if many keys are equal or empty', async (models) => {
    const manyVendors = Array.from({ length: 60 }, (_, i) =>
      vendor(`v${i}`, { name: i % 3 ? 'same' : null, score: i % 2 ? 1 : i % 4 }),
    );
    await put(models, 1, manyVendors);
    for (const key of ['name', 'score', null]) {
      for (const direction of ['ASC', 'DESC'] as const) {
        const query = { order: { key, direction }, organizationId: 'org_a', where: [] };
        assert.equal(await walk(models, query, 7), naiveFind(manyVendors, query), `${key} ${direction}`);
      }
    }
  });

  check('counts in total, by one key and by two', async (models) => {
    await put(models, 1, KEYED);
    const count = async (where: Condition[], idsBy?: string[]) =>
      sortCounts(await models.count({ collection: 'vendors', organizationId: 'org_a', where }, idsBy));
    assert.equal(await count([]), [{ values: [], total: 5 }]);
    assert.equal(await count([{ key: 'name', op: 'eq', value: 'nobody' }]), [{ values: [], total: 0 }]);
    assert.equal(await count([{ key: 'name', op: 'eq', value: 'nobody' }], ['status']), []);
    assert.equal(await count([], ['status']), naiveCount(KEYED, { organizationId: 'org_a', where: [] }, ['status']));
    const both = naiveCount(KEYED, { organizationId: 'org_a', where: [] }, ['score', 'status']);
    assert.equal(await count([], ['score', 'status']), both);
  });

  check('finds a name in a list of names', async (models) => {
    const lists = { l1: ' due_date status ', l2: ' status ', l3: ' due_dates ', l4: null, l5: ' a.b ' };
    const documents = Object.entries(lists).map(([id, name]) => vendor(id, { name }));
    await put(models, 1, documents);
    for (const [value, expected] of Object.entries({
      status: 'l1 l2',
      due_date: 'l1',
      due: '',
      'a.b': 'l5',
      a_b: '',
    })) {
      assert.is(await ids(find(models, { where: [{ key: 'name', op: 'has', value }] })), expected, value);
    }
  });

  check('stops counting at the limit', async (models) => {
    await put(models, 1, KEYED);
    const count = async (limit: number, where: Condition[] = []) =>
      (await models.count({ collection: 'vendors', organizationId: 'org_a', where, limit }))[0]?.total;
    assert.equal([await count(4), await count(5), await count(6)], [4, 5, 5]);
    assert.is(await count(1, [{ op: 'words', prefixes: ['acme'] }]), 1);
    assert.is(await count(1, [{ key: 'name', op: 'eq', value: 'nobody' }]), 0);
    const groups = await models.count({ collection: 'vendors', organizationId: 'org_a', where: [], limit: 3 }, [
      'status',
    ]);
    assert.is(
      groups.reduce((sum, { total }) => sum + total, 0),
      3,
    );
  });

  check('counts the different values of a key, without empty ones', async (models) => {
    await put(models, 1, KEYED);
    for (const key of ['name', 'status', 'score']) {
      const grouped = naiveCount(KEYED, { organizationId: 'org_a', where: [] }, [key]);
      const total = grouped.filter(({ values }) => values[0] !== null).length;
      assert.ok(total > 0);
      const query = { collection: 'vendors', organizationId: 'org_a' };
      assert.is(await models.countDistinct({ ...query, where: [] }, key), total, key);
      assert.is(await models.countDistinct({ ...query, where: [], limit: total - 1 }, key), total - 1);
      assert.is(await models.countDistinct({ ...query, where: [], limit: total + 1 }, key), total);
      assert.is(await models.countDistinct({ ...query, where: [{ key, op: 'in', values: [] }] }, key), 0);
      assert.is(await models.countDistinct({ ...query, where: [{ key: 'name', op: 'eq', value: 'nobody' }] }, key), 0);
    }
    assert.is(await models.countDistinct({ collection: 'vendors', organizationId: 'org_b', where: [] }, 'name'), 0);
  });

  check('gets documents by id, without absent ones', async (models) => {
    await put(models, 1, KEYED);
    const documents = await models.get('vendors', ['v5', 'nobody', 'v1']);
    assert.equal(documents.map((hit) => hit.doc.id).sort(), ['v1', 'v5']);
    assert.equal(await models.get('vendors', []), []);
    assert.equal(await models.get('vendors_history', ['v1']), []);
  });

  check('returns documents as they were written, whatever ids and members they have', async (models) => {
    const docs = {
      'org_a@1': { id: 'org_a@1', from: 1, note: null },
      'org_a^1.2': { note: 'n', id: 'x', other: { of: ['it'] } },
      org_a: {},
      'org_ab@1': { from: 0, more: null },
      'v1@1': { id: 'v1', from: 2, note: ['a', { b: 1 }] },
    };
    const documents = Object.entries(docs).map(([id, doc], from) => ({
      id,
      organization_id: 'org_a',
      keys: { from },
      doc,
    }));
    const other = { id: 'org_b@1', organization_id: 'org_b', keys: { from: 0 }, doc: { id: 'b' } };
    await models.commit({ checkpoint: checkpoint(1), puts: puts(documents, 'vendors_history') });
    await models.commit({ checkpoint: checkpoint(1, 'org_b'), puts: puts([other], 'vendors_history') });
    const got = await models.get('vendors_history', [...Object.keys(docs), other.id]);
    assert.equal(Object.fromEntries(got.map(({ id, doc }) => [id, doc])), { ...docs, [other.id]: other.doc });
    const all = { collection: 'vendors_history', where: [], order: { key: 'from', direction: 'ASC' as const } };
    const found = await find(models, all);
    assert.equal(
      found.map(({ id, doc }) => [id, doc]),
      Object.entries(docs),
    );
    const after = { key: 0, id: 'org_a@1' };
    assert.equal(await find(models, { ...all, after }), found.slice(1));
    const byIds: Condition[] = [{ op: 'ids', ids: ['org_a@1', 'v1@1', 'org_b@1'] }];
    assert.is(await ids(find(models, { ...all, where: byIds })), 'org_a@1 v1@1');
    await models.commit({ checkpoint: checkpoint(2), puts: puts([{ ...documents[0]!, doc: {} }], 'vendors_history') });
    assert.equal((await models.get('vendors_history', ['org_a@1']))[0]?.doc, {});
  });

  check('find and count see one organization only', async (models) => {
    await put(models, 1, KEYED);
    await put(models, 1, [vendor('w1', { name: 'b' }, ['acme'], 'org_b')], 'org_b');
    assert.is(await ids(find(models, { organizationId: 'org_b' })), 'w1');
    assert.is(await ids(find(models, { where: [{ op: 'words', prefixes: ['acme'] }] })), 'v1 v5');
    assert.is(await ids(find(models, { where: [{ op: 'ids', ids: ['w1', 'v2'] }] })), 'v2');
    assert.equal(await models.count({ collection: 'vendors', organizationId: 'org_b', where: [] }), [
      { values: [], total: 1 },
    ]);
  });

  check('a document is read back unchanged', async (models) => {
    const doc = {
      id: 'inner',
      text: 'Zoë \u{1f600} \uffff "quoted" \\ \n\t\u0000',
      none: null,
      yes: true,
      numbers: [0, -1, 1.5, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, 1e300],
      nested: { list: [{ a: [] }, {}], keys: 'k', words: ['w'], n: 7 },
      when: '2026-01-02',
      absent: undefined,
    };
    await put(models, 1, [{ ...vendor('v1', { name: 'x' }), doc }]);
    const { absent: _absent, ...expected } = doc;
    assert.equal((await models.get('vendors', ['v1']))[0]?.doc, expected);
    assert.equal((await find(models))[0]?.doc, expected);
  });

  check('a put replaces fields, keys and words of a document', async (models) => {
    await put(models, 1, KEYED);
    await put(models, 2, [{ ...vendor('v1', { name: 'new' }, ['other']), doc: { only: 'this' } }]);
    assert.equal((await models.get('vendors', ['v1']))[0]?.doc, { only: 'this' });
    assert.is(await ids(find(models, { where: [{ key: 'score', op: 'eq', value: 5 }] })), 'v2');
    assert.is(await ids(find(models, { where: [{ op: 'words', prefixes: ['acme'] }] })), 'v5');
    assert.is(await ids(find(models, { where: [{ op: 'words', prefixes: ['other'] }] })), 'v1');
  });

  check('has one checkpoint per organization, also after it is opened again', async (models, store) => {
    assert.is(await models.checkpoint('org_a'), null);
    assert.equal(await models.checkpoints(), []);
    const place = { storePosition: 'p2' as StorePosition, events: 2 ** 40 };
    const newest = checkpoint(2, 'org_a', { bytes: 2 ** 41, parked: 3, outOfOrder: 4, position: 2 ** 40, place });
    await models.commit({ checkpoint: checkpoint(1), puts: [] });
    await models.commit({ checkpoint: newest, puts: puts(KEYED) });
    await models.commit({ checkpoint: checkpoint(1, 'org_b'), puts: [] });
    assert.equal(await models.checkpoint('org_a'), newest);
    const reopened = await store.open('g1', SPECS);
    await reopened.recover();
    const all = await reopened.checkpoints();
    assert.equal(all.map((checkpoint) => [checkpoint.organizationId, checkpoint.n, checkpoint.parked]).sort(), [
      ['org_a', 2, 3],
      ['org_b', 1, 0],
    ]);
    assert.is(await ids(find(reopened)), 'v1 v2 v3 v4 v5');
    await reopened.close();
  });

  check('refuses old batches as fenced, and batches out of order; neither writes anything', async (models) => {
    await put(models, 1, [vendor('v1', { name: 'one' })]);
    await put(models, 2, [vendor('v1', { name: 'two' })]);
    for (const old of [1, 2]) {
      const error = await put(models, old, [vendor('v1', { name: 'old' }), vendor('v9', {})]).catch((e: unknown) => e);
      assert.instance(error, Fenced);
    }
    const errorOfGap = await put(models, 4, [vendor('v4', {})]).catch((e: unknown) => e);
    assert.instance(errorOfGap, Error);
    assert.equal(
      (await find(models)).map((hit) => hit.doc.name),
      ['two'],
    );
    assert.is((await models.checkpoint('org_a'))?.n, 2);
    await put(models, 3, [vendor('v3', {})]);
  });

  check('of several concurrent commits of one batch, exactly one succeeds, completely', async (models) => {
    for (let n = 1; n <= 3; n++) {
      const commits = ['a', 'b', 'c'].map((who) =>
        put(models, n, [vendor('v1', { name: `${who}${n}` }), vendor(`v2${who}`, { score: n })]),
      );
      const outcomes = await Promise.allSettled(commits);
      const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? ['abc'[i]] : []));
      assert.is(won.length, 1);
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.instance(outcome.reason, Fenced);
      assert.is((await models.get('vendors', ['v1']))[0]?.doc.name, `${won[0]}${n}`);
      assert.is(await ids(find(models, { where: [{ key: 'score', op: 'eq', value: n }] })), `v2${won[0]}`);
    }
  });

  check('commits a large batch completely', async (models) => {
    const texts = Array.from({ length: 9 }, (_, i) => String(i).repeat(1 << 20));
    const large = texts.map((text, i) => ({ ...vendor(`large${i}`, { score: i }), doc: { text } }));
    const equalVendors = Array.from({ length: 1_500 }, (_, i) => vendor(`many${i}`, { score: 100 }));
    await models.commit({
      checkpoint: checkpoint(1),
      puts: [...puts(large), ...puts(equalVendors.slice(0, 750)), ...puts(equalVendors.slice(750), 'vendors_history')],
    });
    const count = (collection: string) => models.count({ collection, organizationId: 'org_a', where: [] });
    assert.is((await count('vendors'))[0]?.total, 759);
    assert.is((await count('vendors_history'))[0]?.total, 750);
    const expected = await find(models, { where: [{ key: 'score', op: 'range', lt: 100 }] });
    assert.ok(expected.every((hit, i) => hit.doc.text === texts[i]));
  });

  check('generations are independent, listed, and can be dropped', async (first, store) => {
    const second = await store.open('g2', SPECS);
    await put(first, 1, KEYED);
    await put(second, 1, [vendor('other', {})]);
    assert.is(await ids(find(second)), 'other');
    assert.equal((await store.generations()).sort(), ['g1', 'g2']);
    await second.close();
    await store.drop('g2');
    assert.equal(await store.generations(), ['g1']);
    assert.is(await ids(find(first)), 'v1 v2 v3 v4 v5');
    const anew = await store.open('g2', SPECS);
    assert.equal(await find(anew), []);
    assert.is(await anew.checkpoint('org_a'), null);
    await anew.close();
    await store.drop('never-made');
  });

  check('compareAndSet replaces a registered value if the version matches', async (_models, store) => {
    assert.is(await store.sharedEntry('lease'), null);
    assert.not(await store.compareAndSet('lease', 1, 'early'));
    assert.ok(await store.compareAndSet('lease', 0, { holder: 'a', until: null }));
    assert.not(await store.compareAndSet('lease', 0, { holder: 'b' }));
    const first = await store.sharedEntry<object>('lease');
    assert.equal(first?.value, { holder: 'a', until: null });
    assert.ok(await store.compareAndSet('lease', first?.version ?? -1, { holder: 'b' }));
    assert.not(await store.compareAndSet('lease', first?.version ?? -1, { holder: 'a' }));
    assert.ok(await store.compareAndSet('other', 0, 'text'));
    assert.equal((await store.sharedEntry('lease'))?.value, { holder: 'b' });
    assert.is((await store.sharedEntry('other'))?.value, 'text');
  });

  check('of several concurrent compareAndSet calls, exactly one succeeds', async (_models, store) => {
    for (let round = 0; round < 5; round++) {
      const version = (await store.sharedEntry('lease'))?.version ?? 0;
      const attempts = [0, 1, 2, 3].map((who) => store.compareAndSet('lease', version, who));
      const won = (await Promise.all(attempts)).flatMap((did, who) => (did ? [who] : []));
      assert.is(won.length, 1);
      assert.is((await store.sharedEntry('lease'))?.value, won[0]);
    }
  });

  check('finds and counts the same as the naive model', async (models) => {
    await agreesWithNaive(models);
  });

  return test;
}
