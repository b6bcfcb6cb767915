/** docs/read-models.md, its schema for machines and the names in it. The names that were ever published are a promise. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeReportingReference } from '../../scripts/reference/reporting-reference.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { RECORD_TABLES } from '../../src/reporting/family-tables.ts';
import { REPORTING_SCHEMA } from '../../src/reporting/tables.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';

const test = suite('the reference of the reporting database');
const FIXTURE = new URL('../fixtures/reporting-schema.json', import.meta.url);
const RELATIONS = [...REPORTING_SCHEMA.tables, ...REPORTING_SCHEMA.views];

/** Fields of answers that depend on the day, are in another store, or are links. */
const NOT_STORED = ['owner', 'truncated', 'overdue', 'expired', 'valid_evidence_count', 'record_ids', 'record_count'];

/** Names that SQLite, DuckDB or PostgreSQL don't accept as a column without quotes. */
const KEYWORDS = [
  'all alter analyse analyze and any array as asc asymmetric between both',
  'by case cast check collate column commit constraint create cross current_date current_time',
  'current_timestamp default deferrable delete desc describe distinct do drop else end escape',
  'except exists false fetch for foreign from full glob grant group having',
  'in index initially inner insert intersect into is isnull join lateral leading',
  'left like limit localtime localtimestamp natural not notnull null offset on only',
  'or order outer pivot placing primary qualify references returning right select session_user',
  'set show similar some summarize symmetric table then to trailing transaction true',
  'union unique unpivot update user using values variadic when where window with',
];

for (const { page, path } of makeReportingReference()) {
  test(`${path.slice(path.lastIndexOf('/') + 1)} equals what the definitions generate`, () => {
    assert.is(readFileSync(path, 'utf8') === page, true, 'run npm run docs, and read what has changed');
  });
}

test('keeps every column that was ever published, with its type', () => {
  const promised = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<string, Record<string, string>>;
  const now = Object.fromEntries(
    RELATIONS.map(({ name, columns }) => [
      name,
      Object.fromEntries(columns.map((column) => [column.name, column.type])),
    ]),
  );
  for (const [table, columns] of Object.entries(promised)) {
    for (const [column, type] of Object.entries(columns))
      assert.is(now[table]?.[column], type, `${table}.${column} is promised; what changes is a new column`);
  }
  assert.equal(promised, now, 'add the new ones to test/fixtures/reporting-schema.json');
});

test('has no name that is a keyword of SQL', () => {
  const keywords = new Set(KEYWORDS.join(' ').split(' '));
  const names = RELATIONS.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  assert.equal(
    names.filter((name) => keywords.has(name) || !/^[a-z][a-z0-9_]*$/.test(name)),
    [],
  );
});

test('has each field of a family’s tools in a column, and no other', () => {
  for (const { type, plural } of FAMILY_DESCRIPTIONS) {
    const { record } = ALL_TOOLS.find((tool) => tool.record?.plural === plural)!;
    const { columns } = RECORD_TABLES.find(({ current }) => current.name === plural)!;
    const fields = new Set(columns.map(({ path }) => path[0]));
    const answered = Object.keys(record!.full.shape).filter((name) => !NOT_STORED.includes(name));
    assert.equal(
      [...fields, 'id', 'organization_id'].filter((name) => name !== 'position').sort(),
      answered.sort(),
      type,
    );
  }
});

test('describes every column with a sentence', () => {
  for (const { name, columns } of RELATIONS) {
    for (const column of columns) assert.match(column.description, /^\S.*\.$/s, `${name}.${column.name}`);
  }
});

test.run();
