import * as assert from 'uvu/assert';
import { ImportedNames } from '../../src/identity/imported-names.ts';
import { countsOf, errorsOf, logLength, runImport } from '../support/mcp/imports.ts';
import { type Answer, callerAs, ORGANIZATION, OWNER, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('importRecords of past decisions', 'EACH');

const APPROVED = { name: 'Acme', status: 'APPROVED', last_reviewed: '2025-03-03', reviewed_by: 'J. Smith' };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

async function record({ call }: TestRegister, id: string, caller = callerAs()): Promise<Answer> {
  const { records } = (await call('getRecords', { ids: [id], include: ['HISTORY'] }, caller)) as { records: Answer[] };
  return records[0]!;
}

async function logText({ stores }: TestRegister): Promise<string> {
  const texts: string[] = [];
  for await (const events of stores.events.readAll(null)) texts.push(JSON.stringify(events));
  return texts.join('\n');
}

test('an approved vendor comes in approved, with its review, once', async ({ register }) => {
  const dry = await runImport(register, 'VENDOR', [APPROVED], { dry_run: true });
  assert.equal(countsOf(dry), [1, 0, 0]);
  assert.equal(await new ImportedNames(register.stores.accounts).list(ORGANIZATION), []);
  const { rows } = await runImport(register, 'VENDOR', [APPROVED]);
  assert.is(rows[0]!.id, dry.rows[0]!.id);
  const vendor = await record(register, rows[0]!.id!);
  assert.equal(
    [vendor.status, vendor.last_reviewed, vendor.next_review_due, vendor.revision],
    ['APPROVED', '2025-03-03', null, 2],
  );
  assert.equal(vendor.review, {
    ...{ outcome: 'APPROVED', findings: null, conditions: null },
    ...{ reviewed_by: null, reviewed_at: '2025-03-03' },
  });
  const { changes } = vendor.history as unknown as { changes: Answer[] };
  assert.equal(
    changes.map(({ event_type, effective_at }) => [event_type, effective_at]),
    [
      ['VendorReviewImported', '2025-03-03'],
      ['VendorAdded', undefined],
    ],
  );
  const length = await logLength(register);
  assert.equal(countsOf(await runImport(register, 'VENDOR', [APPROVED])), [0, 0, 1]);
  assert.is(await logLength(register), length);
});

test('a name from a file is shown in the history, is not in the log, and can be erased', async ({ register }) => {
  const names = new ImportedNames(register.stores.accounts);
  const inputs = [APPROVED, { ...APPROVED, name: 'Birch' }, { ...APPROVED, name: 'Cedar', reviewed_by: 'ME' }];
  const { rows } = await runImport(register, 'VENDOR', inputs);
  assert.not.match(await logText(register), /Smith/);
  const [stored, ...others] = await names.list(ORGANIZATION);
  assert.equal([stored!.name, others], ['J. Smith', []], 'one name for both vendors');
  const importedBy = async (id: string) => {
    const { history } = await record(register, id);
    const [{ changes }] = (history as unknown as { changes: [Answer] }).changes;
    const { to } = (changes as unknown as { field: string; to: Answer }[]).find(({ field }) => field === 'imported')!;
    return to;
  };
  assert.equal(await importedBy(rows[1]!.id!), { name_id: stored!.id, source: null, name: 'J. Smith' });
  assert.equal(await importedBy(rows[2]!.id!), { name_id: null, source: null });
  assert.is(((await record(register, rows[2]!.id!)).review as Answer).reviewed_by, OWNER);

  assert.is(await names.erase('org_00000000000000000000000000', stored!.id), false);
  assert.ok(await names.erase(ORGANIZATION, stored!.id));
  assert.equal((await importedBy(rows[1]!.id!)).name, 'erased name');
  assert.equal(countsOf(await runImport(register, 'VENDOR', inputs)), [0, 0, 3]);
  assert.equal(await names.list(ORGANIZATION), [], 'importing the rows again doesn’t bring the name back');
});

test('a name in a file is no word of the service, no role and no look-alike of a member', async ({ register }) => {
  const member = 'Olivia Owner';
  const lookalike = member.replace('a', 'а');
  const names = ['SYSTEM', 'Erased  name', 'altered name', 'Veritrail', 'Owner', lookalike, member, 'J. Smith'];
  const rows = names.map((reviewed_by, index) => ({ ...APPROVED, name: `Vendor ${index}`, reviewed_by }));
  const refused = await runImport(register, 'VENDOR', rows);
  assert.is(refused.created, 0);
  const wrong = refused.rows.filter(({ errors }) => errors !== undefined);
  assert.equal(
    wrong.map(({ row, errors }) => [names[row], errors!.map(({ field }) => field)]),
    names.slice(0, 6).map((name) => [name, ['reviewed_by']]),
  );
  assert.is((await runImport(register, 'VENDOR', rows.slice(6))).created, 2);
});

test('“me” is the caller in any case, not the name of somebody', async ({ register }) => {
  const { rows } = await runImport(register, 'VENDOR', [{ ...APPROVED, reviewed_by: 'me' }]);
  assert.is(((await record(register, rows[0]!.id!)).review as Answer).reviewed_by, OWNER);
  assert.equal(await new ImportedNames(register.stores.accounts).list(ORGANIZATION), []);
});

test('an account that is no member makes no review', async ({ register }) => {
  const answer = await runImport(register, 'VENDOR', [
    { ...APPROVED, reviewed_by: 'acc_00000000000000000000000000' },
    { ...APPROVED, name: 'Birch', reviewed_by: 'acc_Smith' },
    { ...APPROVED, name: 'Cedar', status: 'PENDING_REVIEW' },
    { name: 'Dogwood', findings: 'none' },
  ]);
  assert.equal(errorsOf(answer), [['reviewed_by'], ['reviewed_by'], ['reviewed_by'], ['findings']]);
});

test('only rows of new records bring decisions', async ({ register }) => {
  const { rows } = await runImport(register, 'VENDOR', [{ name: 'Acme' }, { name: 'Birch' }]);
  const [first, second] = rows.map(({ id }) => id);
  const answer = await runImport(register, 'VENDOR', [
    { id: first, status: 'APPROVED' },
    { id: second, reviewed_by: 'J. Smith' },
  ]);
  assert.equal(errorsOf(answer), [['status'], ['reviewed_by']]);
});

const ACCEPTED = { name: 'Old lift', status: 'ACCEPTED', acceptance_reason: 'Seldom used', accepted_by: 'The board' };

test('an EDITOR imports reviews, and an ADMIN also acceptances', async ({ register }) => {
  const rowsOf = (type: string, row: object, role: 'EDITOR' | 'ADMIN' | 'AUDITOR' | 'VIEWER') =>
    register.call('importRecords', { organization_id: ORGANIZATION, type, rows: [row] }, callerAs(role));
  const accepted = { ...ACCEPTED, accepted_until: inDays(30) };
  assert.equal((await rowsOf('VENDOR', APPROVED, 'EDITOR')).created, 1);
  const refused = (await rowsOf('RISK', accepted, 'EDITOR')) as unknown as Parameters<typeof errorsOf>[0];
  assert.match(JSON.stringify(refused.rows), /ADMIN/);
  assert.equal(errorsOf(refused), [['status']]);
  for (const role of ['AUDITOR', 'VIEWER'] as const) {
    assert.is(((await rowsOf('VENDOR', { ...APPROVED, name: role }, role)).error as Answer).code, 'forbidden');
  }
  const { rows } = (await rowsOf('RISK', accepted, 'ADMIN')) as unknown as { rows: { id: string }[] };
  const { status, treatment, acceptance } = await record(register, rows[0]!.id);
  assert.equal([status, treatment], ['ACCEPTED', 'ACCEPTED']);
  assert.equal(acceptance, {
    ...{ approver_id: null, recorded_by: OWNER, accepted_at: null, until: inDays(30) },
    ...{ reason: 'Seldom used', expired: false },
  });
  assert.not.match(await logText(register), /The board/);
});

test('an acceptance that has ended is expired, and one that ends too late is refused', async ({ register }) => {
  const import_ = (accepted_until: string) => runImport(register, 'RISK', [{ ...ACCEPTED, accepted_until }]);
  assert.equal(errorsOf(await import_(inDays(367))), [['accepted_until']]);
  const { rows } = await import_(inDays(-10));
  const { status, acceptance } = await record(register, rows[0]!.id!);
  assert.equal([status, (acceptance as Answer).expired], ['ACCEPTED', true]);
  const { total } = await register.call('listRisks', {
    organization_id: ORGANIZATION,
    filter: { acceptance_expired: true },
    view: 'COUNT',
  });
  assert.is(total, 1);
});

const CLOSED = {
  ...{ description: 'Restores are not tested', root_cause: 'No owner', corrective_action: 'A monthly test' },
  ...{ effectiveness_check: 'Three tests passed', status: 'CLOSED' },
};

test('adding a record in a past state sets the time of now, which only rows can state', async ({ register }) => {
  const added = (await register.call('addNonconformity', { organization_id: ORGANIZATION, ...CLOSED })) as {
    nonconformity: Answer & { id: string };
  };
  const { id, closed_at, created_at } = added.nonconformity;
  assert.is(closed_at, created_at);
  const states: [tool: string, input: object, field: string][] = [
    ['addObligation', { requirement: 'Keep records', status: 'COMPLIANT' }, 'last_review_date'],
    ['addMeasure', { name: 'Locks', state: 'IMPLEMENTED' }, 'implemented_at'],
    ['addRisk', { name: 'Fire', inherent_likelihood: 2 }, 'last_assessed_at'],
  ];
  for (const [tool, input, field] of states) {
    const [record] = Object.values(await register.call(tool, { organization_id: ORGANIZATION, ...input }));
    assert.ok((record as Answer)[field], tool);
  }
  const dated = await runImport(register, 'NONCONFORMITY', [{ ...CLOSED, closed_at: '2024-03-20' }]);
  const { history } = await record(register, dated.rows[0]!.id!);
  assert.is((history as { changes: Answer[] }).changes[0]!.effective_at, '2024-03-20');
  const empty = await runImport(register, 'NONCONFORMITY', [{ id, closed_at: '' }]);
  assert.equal(countsOf(empty), [0, 0, 1]);
  const { error } = await register.call('updateNonconformity', { id, closed_at: '2026-03-21' });
  assert.is((error as unknown as { field: string }).field, 'closed_at');
});

test.run();
