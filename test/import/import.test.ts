import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { countsOf, errorsOf, expectRefusedImport, logLength, runImport, suppliers } from '../support/mcp/imports.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

/* Roles and sizes are those of every tool: test/tools/roles.test.ts and test/tools/input. */

const test = registerSuite('importRecords', 'EACH');

async function record({ call }: TestRegister, id: string): Promise<Answer> {
  const { records } = (await call('getRecords', { ids: [id], include: ['ARCHIVED'] })) as { records: Answer[] };
  return records[0]!;
}

test('imported records can be read at once, and repeating the import adds none', async ({ register }) => {
  const rows = suppliers(5);
  const first = await runImport(register, 'VENDOR', rows, { reason: 'last year’s list', idempotency_key: 'a' });
  assert.equal(countsOf(first), [5, 0, 0]);
  assert.equal(
    first.rows.map(({ row, result }) => [row, result]),
    [0, 1, 2, 3, 4].map((row) => [row, 'CREATED']),
  );
  assert.is((await record(register, first.rows[3]!.id!)).name, 'Supplier 3');
  const { total } = await register.call('listVendors', { organization_id: ORGANIZATION, view: 'COUNT' });
  assert.is(total, 5);
  const length = await logLength(register);
  for (const extraInput of [{}, { idempotency_key: 'a' }, { idempotency_key: 'b', reason: 'another' }]) {
    const repeated = await runImport(register, 'VENDOR', rows.toReversed(), extraInput);
    assert.equal(countsOf(repeated), [0, 0, 5], JSON.stringify(extraInput));
    assert.equal(
      repeated.rows.map(({ id }) => id).reverse(),
      first.rows.map(({ id }) => id),
    );
  }
  assert.is(await logLength(register), length);
});

test('an imported row is compared with the row that added the record, not with its current state', async ({
  register,
}) => {
  const rows = [{ reference_id: 'R-1', name: 'Flood', category: 'site' }];
  const id = (await runImport(register, 'RISK', rows)).rows[0]!.id!;
  await register.call('updateRisk', { id, name: 'Flooding' });
  assert.equal(countsOf(await runImport(register, 'RISK', rows)), [0, 0, 1]);
  await register.call('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'sold the site' });
  assert.equal(countsOf(await runImport(register, 'RISK', rows)), [0, 0, 1]);
  const { name, archived_at } = await record(register, id);
  assert.is(name, 'Flooding');
  assert.ok(archived_at);
});

test('different content under an existing reference_id is an error that names the record', async ({ register }) => {
  const id = (await runImport(register, 'RISK', [{ reference_id: 'R-1', name: 'Flood' }])).rows[0]!.id!;
  const length = await logLength(register);
  const rows = [
    { reference_id: 'R-2', name: 'Fire' },
    { reference_id: 'R-1', name: 'Flooding' },
  ];
  const answer = await runImport(register, 'RISK', rows, { idempotency_key: 'new' });
  assert.equal(
    [countsOf(answer), errorsOf(answer)],
    [
      [0, 0, 0],
      [null, ['reference_id']],
    ],
  );
  assert.is(answer.rows[1]!.id, undefined);
  assert.match(answer.rows[1]!.errors![0]!.message, id);
  assert.is(await logLength(register), length);
});

test('rows with equal content are one record, despite spaces, empty cells and order', async ({ register }) => {
  const plain = { name: 'Café', description: 'two\nlines', last_reviewed: '2026-01-02' };
  const first = await runImport(register, 'VENDOR', [plain]);
  const spelled = {
    last_reviewed: '2026-01-02T00:00:00Z',
    country: null,
    category: '',
    id: null,
    description: ' two\r\nlines ',
    name: 'Cafe\u0301',
  };
  assert.equal(countsOf(await runImport(register, 'VENDOR', [spelled])), [0, 0, 1]);
  // An explicit default is other content, because rows are compared without defaults.
  const withDefault = await runImport(register, 'VENDOR', [{ ...plain, status: 'PENDING_REVIEW' }]);
  assert.equal(countsOf(withDefault), [1, 0, 0]);
  assert.is.not(withDefault.rows[0]!.id, first.rows[0]!.id);
});

test('equal rows in one import are one record, and contradicting rows are all invalid', async ({ register }) => {
  const [a, b] = suppliers(2) as [object, object];
  const answer = await runImport(register, 'VENDOR', [a, b, a]);
  assert.equal(countsOf(answer), [2, 0, 1]);
  assert.is(answer.rows[2]!.id, answer.rows[0]!.id);
  const length = await logLength(register);
  const risks = [{ reference_id: 'R', name: 'One' }, { name: 'Fine' }, { reference_id: 'R', name: 'Two' }];
  const rivals = await runImport(register, 'RISK', risks);
  assert.equal(errorsOf(rivals), [['reference_id'], null, ['reference_id']]);
  const id = answer.rows[0]!.id;
  const changes = [
    { id, country: 'FR' },
    { id, country: 'IT' },
  ];
  assert.equal(errorsOf(await runImport(register, 'VENDOR', changes)), [['id'], ['id']]);
  assert.is(await logLength(register), length);
});

test('an import checks all rows before the first write, and lists all errors', async ({ register }) => {
  const length = await logLength(register);
  const rows = [
    { name: 'Right' },
    { nome: 'Misspelt', criticality: 'GRAVE' },
    { name: 'No member', owner_id: randomId('acc') },
    { name: 'Reviewed', reviewed_by: 'J. Smith' },
    { name: 'Without reason', status: 'SUSPENDED' },
    { name: 'Not yet', last_reviewed: '2999-01-01' },
    { id: randomId('vnd'), name: 'Nowhere' },
    { id: randomId('rsk'), name: 'Of another kind' },
  ];
  const invalidRows = [
    null,
    ['name', 'criticality', 'nome'],
    ...[['owner_id'], ['reviewed_by'], ['reason'], ['last_reviewed'], ['id'], ['id']],
  ];
  for (const dry_run of [false, true]) {
    const answer = await runImport(register, 'VENDOR', rows, { dry_run });
    assert.equal(errorsOf(answer), invalidRows);
    assert.equal(countsOf(answer), dry_run ? [1, 0, 0] : [0, 0, 0]);
    const { error } = answer as { error?: { code: string; message: string } };
    assert.is(error?.code, dry_run ? undefined : 'invalid_input');
    if (error) assert.match(error.message, /^Nothing was written\. /);
    assert.ok(answer.rows.every(({ id, errors }) => (id === undefined) === (errors !== undefined)));
    assert.match(JSON.stringify(answer.rows[1]), 'Did you mean name?');
  }
  assert.is(await logLength(register), length);
  const unreasoned = [rows[4]!, { ...rows[4], reason: 'bankrupt' }];
  const { rows: refusedRows } = await runImport(register, 'VENDOR', unreasoned, { dry_run: true });
  for (const { errors } of refusedRows) {
    assert.match(JSON.stringify(errors), 'Give one reason for the whole import, outside its rows.');
  }
  assert.is((await runImport(register, 'VENDOR', [rows[4]!], { reason: 'bankrupt' })).created, 1);
});

test('a row’s errors of input, references and rules come in one round', async ({ register }) => {
  const rows = [
    { name: 'A', website_url: 'x', owner_id: randomId('acc'), last_reviewed: '2999-01-01', status: 'APPROVED' },
    { name: 'B', criticality: 'GRAVE', last_reviewed: '2999-01-01' },
    { name: 'C', status: 'GRAVE', last_reviewed: '2999-01-01' },
  ];
  const answer = await runImport(register, 'VENDOR', rows, { dry_run: true });
  // A wrong state ends the search, because other fields may be wrong only without it.
  assert.equal(
    errorsOf(answer).map((fields) => fields?.sort()),
    [['last_reviewed', 'owner_id', 'website_url'], ['criticality', 'last_reviewed'], ['status']],
  );
});

test('a dry run shows an import’s result and writes nothing', async ({ register }) => {
  const [a, b, c, d] = suppliers(4) as [object, object, object, object];
  const { rows } = await runImport(register, 'VENDOR', [a, b, c]);
  const length = await logLength(register);
  const all = [a, { id: rows[1]!.id, country: 'FR' }, { id: rows[2]!.id, country: 'DE' }, d];
  const dry = await runImport(register, 'VENDOR', all, { dry_run: true });
  assert.equal(countsOf(dry), [1, 1, 2]);
  assert.is(await logLength(register), length);
  const result = await runImport(register, 'VENDOR', all);
  assert.equal(countsOf(result), [1, 1, 2]);
  assert.equal(result.rows, dry.rows);
});

test('an import names records and rows with the same name or reference_id', async ({ register }) => {
  const { rows } = await runImport(register, 'RISK', [{ reference_id: 'R-1', name: 'Flood' }]);
  const inputs = [
    { reference_id: 'R-2', name: 'flood' },
    { name: 'Fire' },
    { name: 'FIRE', category: 'site' },
    { reference_id: 'R-1', name: 'Flood' },
    { name: 'Storm' },
  ];
  const dry = await runImport(register, 'RISK', inputs, { dry_run: true });
  assert.equal(
    dry.rows.map(({ result, similar }) => [result, similar]),
    [
      ['CREATED', [{ id: rows[0]!.id, name: 'Flood' }]],
      ['CREATED', [{ id: dry.rows[2]!.id, name: 'FIRE' }]],
      ['CREATED', [{ id: dry.rows[1]!.id, name: 'Fire' }]],
      ['UNCHANGED', undefined],
      ['CREATED', undefined],
    ],
  );
  const written = await runImport(register, 'RISK', inputs);
  assert.equal(
    written.rows.map(({ similar }) => similar),
    dry.rows.map(({ similar }) => similar),
  );
});

test('a row’s date that means no end leaves the field empty, and the row says so each time', async ({ register }) => {
  const rows = [{ name: 'Endless', contract_until: '9999-12-31' }, { name: 'Plain' }];
  for (const counts of [
    [2, 0, 0],
    [0, 0, 2],
  ]) {
    const answer = await runImport(register, 'VENDOR', rows);
    assert.equal(countsOf(answer), counts);
    assert.equal(
      answer.rows.map(({ no_end }) => no_end),
      [['contract_until'], undefined],
    );
  }
});

test('rows with an id change records, once per key', async ({ register }) => {
  const { rows } = await runImport(register, 'VENDOR', suppliers(2));
  const [firstId, secondId] = rows.map(({ id }) => id!) as [string, string];
  const changes = [
    { id: firstId, country: null },
    { id: secondId, country: 'DE' },
  ];
  const first = await runImport(register, 'VENDOR', changes, { idempotency_key: 'k' });
  assert.equal(
    first.rows.map(({ result }) => result),
    ['UPDATED', 'UNCHANGED'],
  );
  await register.call('updateVendor', { id: firstId, country: 'FR' });
  assert.equal(countsOf(await runImport(register, 'VENDOR', changes, { idempotency_key: 'k' })), [0, 0, 2]);
  const { country, revision } = await record(register, firstId);
  assert.equal([country, revision], ['FR', 3]);
  const length = await logLength(register);
  const otherRows = [{ name: 'New' }, { id: firstId, country: 'IT' }];
  const error = await expectRefusedImport(register, { type: 'VENDOR', rows: otherRows, idempotency_key: 'k' });
  assert.equal([error.code, error.field], ['idempotency_conflict', 'idempotency_key']);
  assert.is(await logLength(register), length, 'nor was the new one written');
});

test('an import’s answer stays within its limit with any number of errors', async ({ register }) => {
  const bad = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${'\u0007"é'.repeat(40)}${n}`, 1]));
  const rows = Array.from({ length: 200 }, (_, row) => ({ ...bad, [`row ${row}`]: 1 }));
  const answer = await runImport(register, 'VENDOR', rows);
  assert.ok(JSON.stringify(answer).length <= 60_000, `${JSON.stringify(answer).length} characters`);
  assert.ok(answer.rows.every(({ errors }) => errors!.length > 0));
  assert.is(answer.rows[199]!.errors!.length + answer.rows[199]!.more_errors!, 22);
});

test.run();
