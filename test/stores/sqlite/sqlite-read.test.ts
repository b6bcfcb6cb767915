import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  CollectionSpec,
  Condition,
  DocumentQuery,
  ReadModels,
  StoredDocument,
} from '../../../src/stores/read-store.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { existingIndexes } from '../../../src/stores/sqlite/read-schema.ts';
import {
  countStatement,
  findStatement,
  type Statement,
  segments,
  simplify,
} from '../../../src/stores/sqlite/read-sql.ts';
import { openSqliteReadStore } from '../../../src/stores/sqlite/read-store.ts';
import { checkpoint, puts } from '../../contract/read-fixtures.ts';

/** Tests of the SQLite read store alone: plans, words, files. The contract tests what all read stores share. */
const test = suite('SQLite read store');

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-sqlite-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const VENDORS: CollectionSpec = {
  name: 'vendors',
  keys: { archived: 'number', status: 'text', name: 'text', due: 'text', reference: 'text' },
  indexes: [
    { keys: ['archived', 'name'], covers: ['status', 'due'] },
    { keys: ['archived', 'due'], covers: ['status'] },
    { keys: ['archived', 'status', 'name'] },
    { keys: ['archived'] },
    { keys: ['reference'], lookup: true },
  ],
  searchable: true,
};

const LIVE: Condition = { key: 'archived', op: 'eq', value: 0 };

/** 1,500 vendors. All have one word in common, and every 500th has another. */
const manyVendors = (): StoredDocument[] =>
  Array.from({ length: 1_500 }, (_, i) => ({
    id: `vnd_${String(i).padStart(4, '0')}`,
    organization_id: 'org_a',
    keys: {
      archived: 0,
      status: i % 2 ? 'ON' : 'OFF',
      name: `name ${i % 97}`,
      due: i % 3 ? null : `2026-01-${i % 28}`,
      reference: `r ${i}`,
    },
    words: ['everywhere', `number${i}`, ...(i % 500 === 0 ? ['seldom'] : [])],
    doc: { i },
  }));

const range = (first: number, length: number): number[] => Array.from({ length }, (_, i) => first + i);

const queryOf = (overrides: Partial<DocumentQuery>): DocumentQuery => ({
  collection: 'vendors',
  organizationId: 'org_a',
  where: [LIVE],
  order: { key: 'name', direction: 'ASC' },
  limit: 20,
  ...overrides,
});

async function withVendors(body: (models: ReadModels, folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const store = openSqliteReadStore(folder);
    const models = await store.open('g1', [VENDORS]);
    await models.commit({ checkpoint: checkpoint(1), puts: puts(manyVendors()) });
    await models.buildIndexes();
    await body(models, folder);
    await store.close();
  });
}

const ASC = { key: 'name', direction: 'ASC' } as const;
const DESC = { key: 'name', direction: 'DESC' } as const;
const byDue = (direction: 'ASC' | 'DESC') => ({ key: 'due', direction });

/** Queries, each with the index that it must use and the range that it reads. */
const PLANNED: [string, Partial<DocumentQuery>, string][] = [
  ['an order', {}, '(archived,name+status+due) (organization=? AND k_archived=?)'],
  [
    'filters beside it',
    { where: [LIVE, { key: 'status', op: 'in', values: ['ON', 'OFF'] }] },
    '(archived,name+status+due) (organization=? AND k_archived=?)',
  ],
  [
    'equality before it',
    { where: [LIVE, { key: 'status', op: 'in', values: ['ON'] }] },
    '(archived,status,name) (organization=? AND k_archived=? AND k_status=?)',
  ],
  ['a later page', { order: ASC, after: { key: 'name 5', id: 'v' } }, 'k_archived=? AND (k_name,id)>(?,?))'],
  [
    'a later page backwards',
    { order: DESC, after: { key: 'name 5', id: 'v' } },
    'k_archived=? AND k_name>? AND (k_name,id)<(?,?))',
  ],
  [
    'a later page of a range',
    {
      where: [LIVE, { key: 'due', op: 'range', gte: '2026-01-01', lt: '2026-01-20' }],
      order: byDue('ASC'),
      after: { key: '2026-01-05', id: 'v' },
    },
    '(archived,due+status) (organization=? AND k_archived=? AND (k_due,id)>(?,?) AND k_due<?)',
  ],
  [
    'what is present, from where it begins',
    { where: [LIVE, { key: 'due', op: 'present' }], order: byDue('ASC') },
    '(archived,due+status) (organization=? AND k_archived=? AND k_due>?)',
  ],
  [
    'what is empty, by id',
    { where: [LIVE, { key: 'due', op: 'empty' }], order: byDue('DESC'), after: { key: null, id: 'v' } },
    '(archived,due+status) (organization=? AND k_archived=? AND k_due=? AND id<?)',
  ],
  [
    'no order but the id',
    { order: { key: null, direction: 'ASC' }, after: { key: null, id: 'v' } },
    '(archived) (organization=? AND k_archived=? AND id>?)',
  ],
];

test('every page is read from an index, without a sort or a scan', () =>
  withVendors(async (_models, folder) => {
    const db = new SqliteConnection(join(folder, 'read-g1.db'), { synchronous: 'NORMAL' });
    const names = new Set(db.all('SELECT name FROM sqlite_master').map((row) => String(row[0])));
    const planOf = ({ sql, values }: Statement) =>
      db.all(`EXPLAIN QUERY PLAN ${sql}`, values).map((row) => String(row[3]));
    for (const [title, asked, expected] of PLANNED) {
      const query = queryOf(asked);
      const plans = segments({ ...query, where: simplify(query.where) }).map((segment) =>
        planOf(
          findStatement({ spec: VENDORS, indexes: existingIndexes(VENDORS, names) }, segment, { organization: 1 }),
        ),
      );
      for (const plan of plans) {
        assert.is(plan.length, 1, `${title}: ${plan}`);
        assert.match(plan[0]!, /^SEARCH vendors_documents USING INDEX vendors/, title);
      }
      assert.ok(plans[0]![0]!.includes(expected), `${title}: ${plans[0]}`);
    }
    const countQuery = countStatement(
      { spec: VENDORS, indexes: existingIndexes(VENDORS, names) },
      { organization: 1, where: [LIVE] },
      ['status'],
    );
    assert.match(planOf(countQuery)[0]!, /^SEARCH vendors_documents USING COVERING INDEX/);
    db.close();
  }));

test('documents with given values of a lookup are found one value after the other, whatever else is filtered', () =>
  withVendors(async (models, folder) => {
    const db = new SqliteConnection(join(folder, 'read-g1.db'), { synchronous: 'NORMAL' });
    const names = new Set(db.all('SELECT name FROM sqlite_master').map((row) => String(row[0])));
    const values = ['r 7', 'r 1203', 'r 8', 'r 4'];
    const query = queryOf({ where: [LIVE, { key: 'reference', op: 'in', values }] });
    const { sql, values: parameters } = findStatement(
      { spec: VENDORS, indexes: existingIndexes(VENDORS, names) },
      query,
      { organization: 1 },
    );
    const plan = db.all(`EXPLAIN QUERY PLAN ${sql}`, parameters).map((row) => String(row[3]));
    assert.match(
      plan[0]!,
      /^SEARCH vendors_documents USING INDEX vendors\(reference\) \(organization=\? AND k_reference=\?/,
    );
    db.close();
    assert.equal(
      (await models.find(query)).map(({ doc }) => doc.i),
      [1203, 4, 7, 8],
    );
    assert.equal(await models.count(query), [{ values: [], total: 4 }]);
  }));

test('finds rare and common words, alone and together', () =>
  withVendors(async (models) => {
    const findIds = async (...prefixes: string[]) =>
      (
        await models.find(queryOf({ where: [LIVE, { op: 'words', prefixes }], order: { key: null, direction: 'ASC' } }))
      ).map((hit) => hit.doc.i);
    for (const _twice of [1, 2]) {
      assert.equal(await findIds('seldom'), [0, 500, 1000]);
      assert.equal(await findIds('everyw', 'seld'), [0, 500, 1000]);
      assert.equal(await findIds('every'), range(0, 20));
      assert.equal(await findIds('every', 'number149'), [149, ...range(1490, 10)]);
      assert.equal(await findIds('every', 'nowhere'), []);
      assert.equal(await findIds('number149 '), [149]);
      assert.equal(await findIds('everywhere ', 'seldom '), [0, 500, 1000]);
      assert.equal(await findIds('everywher ', 'seldom '), []);
    }
  }));

test('finds any of several rare or common words', () =>
  withVendors(async (models) => {
    const findIds = async (...alternatives: string[][]) =>
      (
        await models.find(
          queryOf({ where: [{ op: 'anyWords', alternatives }], order: { key: null, direction: 'ASC' } }),
        )
      )
        .map((hit) => hit.doc.i as number)
        .sort((a, b) => a - b);
    for (const _twice of [1, 2]) {
      assert.equal(await findIds(['number149 '], ['seldom']), [0, 149, 500, 1000]);
      assert.equal(await findIds(['number149', 'every'], ['nowhere']), [149, ...range(1490, 10)]);
      assert.equal(await findIds(['number1499'], ['everywhere ']), range(0, 20));
    }
  }));

test('finds words added after the indexes, but not removed ones', () =>
  withVendors(async (models) => {
    const [first, second] = manyVendors();
    const changedDocuments = [
      { ...first!, words: ['seldomest'] },
      { ...second!, words: [...second!.words!, 'seldom'] },
      { ...first!, id: 'vnd_new', words: ['seldom', 'brand"new'], doc: { i: -1 } },
    ];
    await models.commit({ checkpoint: checkpoint(2), puts: puts(changedDocuments) });
    const findIds = async (prefix: string) =>
      (await models.find(queryOf({ where: [{ op: 'words', prefixes: [prefix] }] }))).map((hit) => hit.doc.i).sort();
    assert.equal(await findIds('seldome'), [0]);
    assert.equal(await findIds('seldom'), [-1, 0, 1, 1000, 500]);
    assert.equal(await findIds('brand"n'), [-1]);
    assert.equal(await findIds('number0'), []);
  }));

test('finds words of later documents while they are being added', () =>
  withVendors(async (models) => {
    const template = manyVendors()[0]!;
    for (let n = 2; n < 12; n++) {
      const documents = Array.from({ length: 40 }, (_, i) => ({
        ...template,
        id: `vnd_later_${n}_${i}`,
        words: ['everywhere', `batch${n}x`],
      }));
      await models.commit({ checkpoint: checkpoint(n), puts: puts(documents) });
      for (let batch = 2; batch <= n; batch++) {
        const where: Condition[] = [{ op: 'words', prefixes: [`batch${batch}x`] }];
        assert.is((await models.count({ collection: 'vendors', organizationId: 'org_a', where }))[0]?.total, 40);
      }
    }
  }));

test('an existing generation is opened and read while another connection writes to it', () =>
  withVendors(async (_models, folder) => {
    const writer = new SqliteConnection(join(folder, 'read-g1.db'), { synchronous: 'NORMAL' });
    writer.exec('BEGIN IMMEDIATE');
    const reader = openSqliteReadStore(folder);
    const models = await reader.open('g1', [VENDORS]);
    assert.is((await models.find(queryOf({}))).length, 20);
    await reader.close();
    writer.exec('ROLLBACK');
    writer.close();
  }));

test('dropping a generation removes its files', () =>
  inFolder(async (folder) => {
    const store = openSqliteReadStore(folder);
    await store.open('g/1', [VENDORS]);
    assert.equal(await store.generations(), ['g/1']);
    await store.drop('g/1');
    for (const suffix of ['', '-wal', '-shm']) assert.not(existsSync(join(folder, `read-g%2F1.db${suffix}`)));
    await store.close();
  }));

test.run();
