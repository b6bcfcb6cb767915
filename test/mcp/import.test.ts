import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES } from '../../src/commands/families.ts';
import { randomId } from '../../src/commands/ids.ts';
import { importedId } from '../../src/commands/imported.ts';
import type { Imported } from '../../src/mcp/import-answer.ts';
import { type Answer, callerAs, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';

interface Context {
  register: TestRegister;
}

const test = suite<Context>('importRecords');

test.before.each(async (context) => {
  context.register = await startRegister();
});
test.after.each(({ register }) => register.stop());

const suppliers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Supplier ${n}`, country: 'DE' }));

async function imported({ call }: TestRegister, type: string, rows: object[], more: object = {}): Promise<Imported> {
  const answer = await call('importRecords', { organization_id: ORGANIZATION, type, rows, ...more });
  assert.not('error' in answer, JSON.stringify(answer));
  return answer as unknown as Imported;
}

async function refused({ call }: TestRegister, args: object, caller = callerAs()) {
  const { error } = await call('importRecords', { organization_id: ORGANIZATION, ...args }, caller);
  return error as { code: string; field: string; message: string };
}

const countsOf = ({ created, updated, unchanged }: Imported) => [created, updated, unchanged];
const errorsOf = ({ rows }: Imported) => rows.map(({ errors }) => errors?.map(({ field }) => field) ?? null);

/** All that is in the log: what was refused must not change it. */
async function logLength({ stores }: TestRegister): Promise<number> {
  let length = 0;
  for await (const events of stores.events.readAll(null)) length += events.length;
  return length;
}

async function record({ call }: TestRegister, id: string): Promise<Answer> {
  const { records } = (await call('getRecords', { ids: [id], include: ['ARCHIVED'] })) as { records: Answer[] };
  return records[0]!;
}

test('makes records that can be read at once, and the same again makes none', async ({ register }) => {
  const rows = suppliers(5);
  const first = await imported(register, 'VENDOR', rows, { reason: 'last year’s list', idempotency_key: 'a' });
  assert.equal(countsOf(first), [5, 0, 0]);
  assert.equal(
    first.rows.map(({ row, result }) => [row, result]),
    [0, 1, 2, 3, 4].map((row) => [row, 'CREATED']),
  );
  assert.is((await record(register, first.rows[3]!.id!)).name, 'Supplier 3');
  const { total } = await register.call('listVendors', { organization_id: ORGANIZATION, view: 'COUNT' });
  assert.is(total, 5);
  const length = await logLength(register);
  for (const more of [{}, { idempotency_key: 'a' }, { idempotency_key: 'b', reason: 'another' }]) {
    const again = await imported(register, 'VENDOR', rows.toReversed(), more);
    assert.equal(countsOf(again), [0, 0, 5], JSON.stringify(more));
    assert.equal(
      again.rows.map(({ id }) => id).reverse(),
      first.rows.map(({ id }) => id),
    );
  }
  assert.is(await logLength(register), length);
});

test('a row is compared with the one that made the record, not with what it is today', async ({ register }) => {
  const rows = [{ reference_id: 'R-1', name: 'Flood', category: 'site' }];
  const id = (await imported(register, 'RISK', rows)).rows[0]!.id!;
  await register.call('updateRisk', { id, name: 'Flooding' });
  assert.equal(countsOf(await imported(register, 'RISK', rows)), [0, 0, 1]);
  await register.call('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'sold the site' });
  assert.equal(countsOf(await imported(register, 'RISK', rows)), [0, 0, 1]);
  const { name, archived_at } = await record(register, id);
  assert.is(name, 'Flooding');
  assert.ok(archived_at);
});

test('another content under one reference_id is an error that names the record', async ({ register }) => {
  const id = (await imported(register, 'RISK', [{ reference_id: 'R-1', name: 'Flood' }])).rows[0]!.id!;
  const length = await logLength(register);
  const rows = [
    { reference_id: 'R-2', name: 'Fire' },
    { reference_id: 'R-1', name: 'Flooding' },
  ];
  const answer = await imported(register, 'RISK', rows, { idempotency_key: 'new' });
  assert.equal(
    [countsOf(answer), errorsOf(answer)],
    [
      [0, 0, 0],
      [null, ['reference_id']],
    ],
  );
  assert.is(answer.rows[1]!.id, id);
  assert.match(answer.rows[1]!.errors![0]!.message, id);
  assert.is(await logLength(register), length);
});

test('what says the same is the same: spelling of the row, empty cells, order', async ({ register }) => {
  const plain = { name: 'Café', description: 'two\nlines', last_reviewed: '2026-01-02' };
  const first = await imported(register, 'VENDOR', [plain]);
  const spelled = {
    last_reviewed: '2026-01-02T00:00:00Z',
    country: null,
    category: '',
    id: null,
    description: ' two\r\nlines ',
    name: 'Cafe\u0301',
  };
  assert.equal(countsOf(await imported(register, 'VENDOR', [spelled])), [0, 0, 1]);
  // A default that is said is another content: the row is taken as it was given.
  const said = await imported(register, 'VENDOR', [{ ...plain, status: 'PENDING_REVIEW' }]);
  assert.equal(countsOf(said), [1, 0, 0]);
  assert.is.not(said.rows[0]!.id, first.rows[0]!.id);
});

test('equal rows in one call are one record, rows that contradict each other are all wrong', async ({ register }) => {
  const [a, b] = suppliers(2) as [object, object];
  const answer = await imported(register, 'VENDOR', [a, b, a]);
  assert.equal(countsOf(answer), [2, 0, 1]);
  assert.is(answer.rows[2]!.id, answer.rows[0]!.id);
  const length = await logLength(register);
  const risks = [{ reference_id: 'R', name: 'One' }, { name: 'Fine' }, { reference_id: 'R', name: 'Two' }];
  const rivals = await imported(register, 'RISK', risks);
  assert.equal(errorsOf(rivals), [['reference_id'], null, ['reference_id']]);
  const id = answer.rows[0]!.id;
  const changes = [
    { id, country: 'FR' },
    { id, country: 'IT' },
  ];
  assert.equal(errorsOf(await imported(register, 'VENDOR', changes)), [['id'], ['id']]);
  assert.is(await logLength(register), length);
});

test('all rows are judged before the first is written, and all that is wrong is told', async ({ register }) => {
  const length = await logLength(register);
  const rows = [
    { name: 'Right' },
    { nome: 'Misspelt', criticality: 'GRAVE' },
    { name: 'No member', owner_id: randomId('acc') },
    { name: 'Reviewed', status: 'APPROVED' },
    { name: 'Without reason', status: 'SUSPENDED' },
    { name: 'Not yet', last_reviewed: '2999-01-01' },
    { id: randomId('vnd'), name: 'Nowhere' },
    { id: randomId('rsk'), name: 'Of another kind' },
  ];
  const wrong = [
    null,
    ['name', 'criticality', 'nome'],
    ...[['owner_id'], ['status'], ['reason'], ['last_reviewed'], ['id'], ['id']],
  ];
  for (const dry_run of [false, true]) {
    const answer = await imported(register, 'VENDOR', rows, { dry_run });
    assert.equal(errorsOf(answer), wrong);
    assert.equal(countsOf(answer), dry_run ? [1, 0, 0] : [0, 0, 0]);
    assert.is('message' in answer, !dry_run);
    assert.match(JSON.stringify(answer.rows[1]), 'Did you mean name?');
  }
  assert.is(await logLength(register), length);
  assert.is((await imported(register, 'VENDOR', [rows[4]!], { reason: 'bankrupt' })).created, 1);
});

test('a dry run says what would be done, and does nothing', async ({ register }) => {
  const [a, b, c, d] = suppliers(4) as [object, object, object, object];
  const { rows } = await imported(register, 'VENDOR', [a, b, c]);
  const length = await logLength(register);
  const all = [a, { id: rows[1]!.id, country: 'FR' }, { id: rows[2]!.id, country: 'DE' }, d];
  const dry = await imported(register, 'VENDOR', all, { dry_run: true });
  assert.equal(countsOf(dry), [1, 1, 2]);
  assert.is(await logLength(register), length);
  const done = await imported(register, 'VENDOR', all);
  assert.equal(countsOf(done), [1, 1, 2]);
  assert.equal(done.rows, dry.rows);
});

test('rows with id change records, once for one key', async ({ register }) => {
  const { rows } = await imported(register, 'VENDOR', suppliers(2));
  const [one, two] = rows.map(({ id }) => id!) as [string, string];
  const changes = [
    { id: one, country: null },
    { id: two, country: 'DE' },
  ];
  const first = await imported(register, 'VENDOR', changes, { idempotency_key: 'k' });
  assert.equal(
    first.rows.map(({ result }) => result),
    ['UPDATED', 'UNCHANGED'],
  );
  await register.call('updateVendor', { id: one, country: 'FR' });
  assert.equal(countsOf(await imported(register, 'VENDOR', changes, { idempotency_key: 'k' })), [0, 0, 2]);
  const { country, revision } = await record(register, one);
  assert.equal([country, revision], ['FR', 3]);
  const length = await logLength(register);
  const others = [{ name: 'New' }, { id: one, country: 'IT' }];
  const error = await refused(register, { type: 'VENDOR', rows: others, idempotency_key: 'k' });
  assert.equal([error.code, error.field], ['idempotency_conflict', 'idempotency_key']);
  assert.is(await logLength(register), length, 'nor was the new one written');
});

test('who may write may import, and only where', async ({ register }) => {
  const rows = suppliers(1);
  for (const caller of [callerAs('VIEWER'), callerAs('AUDITOR'), callerAs('OWNER', { read_only: true })]) {
    assert.is((await refused(register, { type: 'VENDOR', rows, dry_run: true }, caller)).code, 'forbidden');
  }
  const nowhere = await refused(register, { organization_id: randomId('org'), type: 'VENDOR', rows });
  assert.equal([nowhere.code, nowhere.field], ['not_found', 'organization_id']);
  const args = { organization_id: ORGANIZATION, type: 'VENDOR', rows };
  assert.is((await register.call('importRecords', args, callerAs('EDITOR'))).created, 1);
});

test('takes 1 to 200 rows that are objects, of a type that can be imported', async ({ register }) => {
  for (const [rows, field] of [
    [[], 'rows'],
    [suppliers(201), 'rows'],
    [[suppliers(1)[0], 'Acme'], 'rows.1'],
  ] as const) {
    const error = await refused(register, { type: 'VENDOR', rows });
    assert.equal([error.code, error.field], ['invalid_input', field]);
  }
  assert.is((await refused(register, { type: 'FRAMEWORK', rows: suppliers(1) })).field, 'type');
});

test('an answer keeps its bound however much is wrong', async ({ register }) => {
  const bad = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${'\u0007"é'.repeat(40)}${n}`, 1]));
  const rows = Array.from({ length: 200 }, (_, row) => ({ ...bad, [`row ${row}`]: 1 }));
  const answer = await imported(register, 'VENDOR', rows);
  assert.ok(JSON.stringify(answer).length <= 60_000, `${JSON.stringify(answer).length} characters`);
  assert.ok(answer.rows.every(({ errors }) => errors!.length > 0));
  assert.is(answer.rows[199]!.errors!.length + answer.rows[199]!.more_errors!, 22);
});

test('evidence is attached to its records, and never changed', async ({ register }) => {
  const { rows } = await imported(register, 'VENDOR', suppliers(1));
  const vendor = rows[0]!.id!;
  const evidence = { name: 'Certificate', url: 'https://example.org/c.pdf', record_ids: [vendor] };
  const first = await imported(register, 'EVIDENCE', [evidence]);
  assert.equal(countsOf(first), [1, 0, 0]);
  assert.equal(countsOf(await imported(register, 'EVIDENCE', [evidence])), [0, 0, 1]);
  const wrong = [
    { name: 'Of nothing', text: 'seen' },
    { id: first.rows[0]!.id, name: 'Changed' },
    { ...evidence, record_ids: [randomId('vnd')] },
  ];
  assert.equal(errorsOf(await imported(register, 'EVIDENCE', wrong)), [['record_ids'], ['id'], ['record_ids']]);
});

test('controls are changed in bulk, and only so', async ({ register }) => {
  const controls = [1, 2, 3].map((n) => ({ section_title: `A.${n}`, name: `Control ${n}` }));
  const adopted = await register.call('addFramework', { organization_id: ORGANIZATION, name: 'Own', controls });
  const framework = (adopted.framework as { id: string }).id;
  const listed = await register.call('listControls', { organization_id: ORGANIZATION });
  const ids = (listed.controls as { id: string }[]).map(({ id }) => id);
  const excluded = { status: 'EXCLUDED', exclusion_justification: 'no such thing here' };
  const rows = [
    { id: ids[0], ...excluded },
    { id: ids[1], name: 'Renamed' },
  ];
  assert.equal(countsOf(await imported(register, 'CONTROL', rows)), [0, 2, 0]);
  assert.equal(countsOf(await imported(register, 'CONTROL', rows)), [0, 0, 2]);
  const wrong = [
    { section_title: 'A.9', name: 'New' },
    { id: ids[2], status: 'EXCLUDED' },
  ];
  const answer = await imported(register, 'CONTROL', wrong);
  assert.equal(errorsOf(answer), [['id'], ['exclusion_justification']]);
  await register.call('archiveRecords', { ids: [framework], action: 'ARCHIVE', reason: 'left' });
  const late = await imported(register, 'CONTROL', [{ id: ids[2], name: 'Late' }]);
  assert.match(late.rows[0]!.errors![0]!.hint!, framework);
});

test('every type of the contract whose family there is can be imported', async ({ register }) => {
  const types = ['RISK', 'VENDOR', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE', 'CONTROL'];
  for (const type of types.filter((known) => known in FAMILIES)) {
    const { rows } = await imported(register, type, [{}], { dry_run: true });
    assert.ok(rows[0]!.errors!.length > 0, type);
  }
});

test('ids follow from organization, type and reference_id or content, and from the key', () => {
  const vendor = { prefix: 'vnd', type: 'VENDOR' };
  const id = (fields: object, key = 'k', organization = 'org_1', family = vendor) =>
    importedId(family, key, organization, fields as Record<string, unknown>);
  assert.is(id({ name: 'A' }), 'vnd_2KE1948PPQGS18DWKZTW7KD1WT');
  assert.is(id({ reference_id: 'R', name: 'A' }), id({ reference_id: 'R', name: 'B' }));
  const all = [
    id({ name: 'A' }),
    id({ name: 'B' }),
    id({ name: 'A', reference_id: 'R' }),
    id({ name: 'A', reference_id: 'S' }),
    id({ name: 'A' }, 'other key'),
    id({ name: 'A' }, 'k', 'org_2'),
    id({ name: 'A' }, 'k', 'org_1', { prefix: 'vnd', type: 'OTHER' }),
  ];
  assert.is(new Set(all).size, all.length);
});

test.run();
