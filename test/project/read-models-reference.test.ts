/** docs/read-models.md is generated from the definitions. Its instructions give the same records as the tools. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeReadModelsReference } from '../../scripts/reference/read-models-reference.ts';
import { ALL_TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { writeSmallRegister } from '../support/histories/small-register.ts';
import { openPublished, type PublishedRow, type PublishedViews, VIEWS } from '../support/mcp/published.ts';
import { until } from '../support/run/wait.ts';
import { type ServedPair, serve, startPairs } from '../support/stores/pairs.ts';

const { page, path } = makeReadModelsReference();
const KINDS = new Map(ALL_TOOLS.flatMap(({ record }) => (record ? [[record.plural, record]] : [])));
/** Fields of answers that depend on the day, are in another store, or have their own view. */
const NOT_STORED = ['owner', 'truncated', 'overdue', 'expired', 'valid_evidence_count', 'record_ids', 'record_count'];
/** Columns that no answer has. */
const NOT_ANSWERED = ['position', 'from_position', 'until_position'];

const pairs = await startPairs();

const documents = suite('docs/read-models.md');

documents('docs/read-models.md equals what the definitions generate', () => {
  assert.is(readFileSync(path, 'utf8') === page, true, 'run npm run docs, and read what has changed');
});

documents('docs/read-models.md keeps every field that was ever published', () => {
  const promised = JSON.parse(readFileSync(new URL('../fixtures/read-models.json', import.meta.url), 'utf8')) as {
    [view: string]: string[];
  };
  const now = new Map(VIEWS.map(({ view }) => [view.name, view.columns.map(({ name }) => name)]));
  for (const [view, columns] of Object.entries(promised)) {
    assert.equal(
      columns.filter((column) => !now.get(view)?.includes(column)),
      [],
      `${view}: what is promised stays; what changes is a new column, or a new view`,
    );
  }
  for (const [view, columns] of now) {
    assert.equal(
      columns.filter((column) => !promised[view]?.includes(column)),
      [],
      `${view}: add it to the promised ones`,
    );
  }
});

documents('docs/read-models.md names the tools’ fields and no other', () => {
  assert.is(KINDS.size, FAMILY_DESCRIPTIONS.length);
  for (const [plural, { full }] of KINDS) {
    const { columns } = VIEWS.find(({ view }) => view.name === plural)!.view;
    const names = columns.map(({ name }) => name).filter((name) => !NOT_ANSWERED.includes(name));
    const fields = Object.keys(full.shape).filter((name) => !NOT_STORED.includes(name));
    assert.equal([...names].sort(), [...fields].sort(), plural);
  }
});

documents.run();

interface Context extends ServedPair {
  published: PublishedViews;
  /** A position before the register's last changes. */
  before: string;
}

const historyQuery = /```sql\n(SELECT \* FROM risks_history.*?)\n```/s.exec(page)![1]!;
const find = /```sql\n(SELECT 'read-.*?)\n```/s.exec(page)![1]!;

for (const pair of pairs) {
  const test = suite<Context>(`the read models as published, on ${pair.name}`);

  test.before(async (context) => {
    const served = await serve(pair);
    const { owner, organizationId: organization_id } = served;
    await writeSmallRegister(owner, organization_id);
    const { risks } = (await owner.ok('listRisks', { organization_id })) as unknown as { risks: { id: string }[] };
    const [accepted, archived] = risks.map(({ id }) => id) as [string, string];
    const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const answer = await owner.ok('decideRisk', { id: accepted, decision: 'ACCEPT', until, reason: 'It costs more' });
    await owner.ok('archiveRecords', { ids: [archived], action: 'ARCHIVE', reason: 'It is another’s' });
    const published = await openPublished(pair.env, find);
    Object.assign(context, served, { published, before: String(answer.position) });
  });

  test.after(async ({ published, close }) => {
    await published.close();
    await close();
  });

  test('the view of each family equals the answer of its list tool', async ({ owner, organizationId, published }) => {
    for (const plural of KINDS.keys()) {
      const rows = await published.rows(plural);
      const records =
        plural === 'evidence' ? await readEvidence(owner, organizationId) : await all(owner, plural, organizationId);
      assert.ok(records.length > 0, plural);
      compare(plural, rows, records);
    }
  });

  test('the history of each family at a position equals its list as of that position', async (context) => {
    const { owner, organizationId, published, before } = context;
    for (const plural of [...KINDS.keys()].filter((name) => name !== 'evidence')) {
      const rows = (await published.rows(`${plural}_history`)).filter(
        ({ from_position, until_position }) =>
          Number(from_position) <= Number(before) &&
          (until_position === null || Number(until_position) > Number(before)),
      );
      const records = await all(owner, plural, organizationId, { as_of: before });
      assert.ok(records.length > 0, plural);
      compare(plural, rows, records);
    }
    const rows = published.query?.(historyQuery, { organization: organizationId, p: Number(before) }) ?? null;
    const asOf = await all(owner, 'risks', organizationId, { as_of: before });
    if (rows) assert.equal(rows.map(({ id }) => id).sort(), asOf.map(({ id }) => id).sort());
    const versions = await published.rows('risks_history');
    assert.ok(versions.some(({ until_position }) => until_position !== null));
  });

  test('the view of changes equals the answer of listChanges', async ({ owner, organizationId, published }) => {
    const changes = (await owner.walk('listChanges', 'changes', {
      organization_id: organizationId,
      size: 100,
    })) as unknown as PublishedRow[];
    const rows = (await published.rows('changes')).sort((a, b) => Number(b.position) - Number(a.position));
    assert.is(rows.length, changes.length);
    for (const [index, row] of rows.entries()) {
      const { position, record, linked, actor, ...change } = changes[index]! as PublishedRow & {
        record: PublishedRow;
        linked?: PublishedRow;
      };
      assert.equal([row.position, row.record_id, row.record_type], [Number(position), record.id, record.type]);
      assert.equal([row.record_name, row.linked_id], [record.name, linked?.id ?? null]);
      for (const field of ['event_type', 'revision', 'recorded_at', 'reason', 'changes']) {
        assert.equal(row[field], change[field], `${field} at ${position}`);
      }
    }
  });

  test('the view of links has each pair from both sides', async ({ published }) => {
    const links = await published.rows('links');
    const linkedPairs = new Set(links.map(({ record_id, other_id }) => `${record_id} ${other_id}`));
    assert.ok(linkedPairs.size > 0);
    for (const { record_id, other_id } of links) assert.ok(linkedPairs.has(`${other_id} ${record_id}`));
    assert.equal([...new Set(links.map(({ until_position }) => until_position))], [null]);
  });

  test('the view of progress is at or after every projected event', async ({ organizationId, published }) => {
    const positions = (await published.rows('changes')).map(({ position }) => Number(position));
    const [progress, ...others] = await published.rows('progress');
    assert.equal([others, progress!.organization_id, progress!.parked], [[], organizationId, 0]);
    assert.ok(Number(progress!.position) >= Math.max(...positions));
    const [organization] = await published.rows('organizations');
    assert.equal(Object.values(organization!.members as object), ['OWNER']);
    const tokens = Object.entries(organization!.tokens as Record<string, PublishedRow>);
    assert.ok(tokens.length > 0 && tokens.every(([id, { role }]) => id.startsWith('tok_') && role !== undefined));
    const versions = await published.rows('organizations_history');
    const newest = versions.find(({ until_position }) => until_position === null)!;
    const maps = ['members', 'membership_ends', 'tokens', 'domains'] as const;
    for (const map of maps) assert.equal(newest[map], organization![map], map);
    const first = versions.find(({ revision }) => revision === 1)!;
    assert.equal(
      maps.map((map) => first[map]),
      maps.map(() => ({})),
    );
    assert.equal(await published.rows('parked'), []);
  });

  test('a seal’s row names the events that it covers', async ({ published }) => {
    // A seal is made as soon as the register's audits are completed, with a key that was introduced before.
    const seals = await until(async () => {
      const rows = await published.rows('seals');
      return rows.some(({ type }) => type === 'LogSealed') && rows;
    });
    assert.is(seals.filter(({ type }) => type === 'SealKeyIntroduced').length, 1);
    for (const { type, size } of seals) {
      if (type === 'LogSealed') assert.ok(Number(size) > 0);
      else assert.is(size, null, String(type));
    }
  });

  test.run();
}

/** Returns every record of a family, including archived ones. */
async function all(owner: ServedPair['owner'], plural: string, organization_id: string, more = {}) {
  const tool = `list${plural[0]!.toUpperCase()}${plural.slice(1)}`;
  const input = { organization_id, filter: { include_archived: true }, view: 'FULL', size: 100, ...more };
  const records: PublishedRow[] = [];
  let cursor: unknown;
  do {
    const answer = await owner.ok(tool, cursor === undefined ? input : { ...input, cursor });
    const page = answer as unknown as Record<string, PublishedRow[]>;
    records.push(...page[plural]!);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return records;
}

/** Returns all evidence. It has no list, so its ids come from the changes. */
async function readEvidence(owner: ServedPair['owner'], organization_id: string): Promise<PublishedRow[]> {
  const changes = await owner.walk('listChanges', 'changes', { organization_id, size: 100 });
  const additions = (changes as unknown as PublishedRow[]).filter(({ event_type }) => event_type === 'EvidenceAdded');
  const answer = await owner.ok('getRecords', { ids: additions.map(({ record }) => (record as PublishedRow).id) });
  return (answer as unknown as { records: PublishedRow[] }).records;
}

function compare(plural: string, rows: readonly PublishedRow[], records: readonly PublishedRow[]): void {
  assert.is(rows.length, records.length, plural);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const record of records) {
    const row = byId.get(record.id)!;
    for (const [column, value] of Object.entries(row)) {
      if (NOT_ANSWERED.includes(column)) assert.ok(value === null || Number.isSafeInteger(value), column);
      else assert.equal(value, asStored(record[column]), `${plural}.${column}`);
    }
  }
}

/** Returns an answer's value as a row has it, without values that depend on the day. */
function asStored(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'expired'));
}
