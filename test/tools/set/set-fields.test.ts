import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import type { ImportAnswer } from '../../../src/import/import-answer.ts';
import { countsOf, logLength, runImport, suppliers } from '../../support/mcp/imports.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('importRecords with set', 'EACH');

interface Refused {
  code: string;
  message: string;
  field?: string;
  hint?: string;
  allowed?: string[];
  retryable: boolean;
  issues?: { field: string }[];
}
type SetAnswer = ImportAnswer & { error?: Refused };

const set = ({ call }: TestRegister, input: object, caller = callerAs()) =>
  call<SetAnswer>('importRecords', { organization_id: ORGANIZATION, reason: 'Reorganized', ...input }, caller);

/** Makes the dry run of a call, then writes with its selection. */
async function dryRunAndWrite(register: TestRegister, input: object) {
  const dryRun = await set(register, { ...input, dry_run: true });
  assert.is(dryRun.error, undefined, JSON.stringify(dryRun));
  return { dryRun, written: await set(register, { ...input, selection: dryRun.selection }) };
}

async function vendors(register: TestRegister, count: number): Promise<string[]> {
  return (await runImport(register, 'VENDOR', suppliers(count))).rows.map(({ id }) => id!);
}

async function addMember({ handler }: TestRegister): Promise<string> {
  const member = randomId('acc');
  const command = { type: 'AddMember', account_id: member, role: 'EDITOR' } as const;
  await handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
  return member;
}

async function recordOf({ call }: TestRegister, id: string): Promise<Answer> {
  const { records } = await call<{ records: Answer[] }>('getRecords', { ids: [id], include: ['ARCHIVED'] });
  return records[0]!;
}

test('a dry run names the records that match, and the write changes exactly those', async ({ register }) => {
  const ids = await vendors(register, 3);
  await register.call('updateVendor', { id: ids[2], country: 'FR' });
  const length = await logLength(register);
  const filter = { query: 'supplier', missing: ['OWNER'] };
  const input = { type: 'VENDOR', filter, set: { country: 'FR' }, reason: 'moved' };
  const dryRun = await set(register, { ...input, dry_run: true });
  assert.equal(countsOf(dryRun), [0, 2, 1]);
  assert.equal(
    dryRun.rows.map(({ id, name, result }) => [id, name, result]).sort(),
    [
      [ids[0], 'Supplier 0', 'UPDATED'],
      [ids[1], 'Supplier 1', 'UPDATED'],
      [ids[2], 'Supplier 2', 'UNCHANGED'],
    ].sort(),
  );
  assert.is(await logLength(register), length, 'a dry run writes nothing');
  const written = await set(register, { ...input, selection: dryRun.selection });
  assert.equal(countsOf(written), [0, 2, 1]);
  assert.is(written.selection, undefined);
  assert.is(await logLength(register), length + 2);
  assert.is((await recordOf(register, ids[0]!)).country, 'FR');
  const changesOfRecord = { organization_id: ORGANIZATION, filter: { record_id: [ids[0]] } };
  const { changes } = await register.call<{ changes: { reason: string }[] }>('listChanges', changesOfRecord);
  assert.is(changes[0]!.reason, 'moved');
});

test('everything of one person goes to another in two calls, whatever the type', async ({ register }) => {
  const { call } = register;
  const [anna, ben] = [await addMember(register), await addMember(register)];
  const [vendor] = await vendors(register, 1);
  await call('updateVendor', { id: vendor, owner_id: anna });
  const added = await Promise.all([
    call('addRisk', { organization_id: ORGANIZATION, name: 'Fire', owner_id: anna }),
    call('addMeasure', { organization_id: ORGANIZATION, name: 'Hose', owner_id: anna }),
    call('addObligation', { organization_id: ORGANIZATION, requirement: 'Exits', owner_id: anna }),
    call('addNonconformity', { organization_id: ORGANIZATION, description: 'Blocked exit', owner_id: anna }),
    call('addRisk', { organization_id: ORGANIZATION, name: 'Not hers', owner_id: ben }),
  ]);
  const controls = [{ section_title: 'A.1', name: 'Fire doors' }];
  const adopted = await call('addFramework', { organization_id: ORGANIZATION, name: 'House rules', controls });
  const framework = (adopted.framework as { id: string }).id;
  const { controls: listed } = await call<{ controls: { id: string }[] }>('listControls', {
    organization_id: ORGANIZATION,
  });
  added.push(
    await call('updateControl', { id: listed[0]!.id, owner_id: anna }),
    await call('addAudit', { organization_id: ORGANIZATION, framework_id: framework, name: 'Visit', owner_id: anna }),
  );
  assert.ok(added.every(({ error }) => error === undefined));
  const input = { filter: { owner_id: [anna] }, set: { owner_id: ben } };
  const { dryRun, written } = await dryRunAndWrite(register, input);
  const names = ['A.1 Fire doors', 'Blocked exit', 'Exits', 'Fire', 'Hose', 'Supplier 0', 'Visit'];
  assert.equal(dryRun.rows.map(({ name }) => name).sort(), names);
  assert.equal(countsOf(written), [0, 7, 0]);
  for (const { id } of written.rows) assert.is((await recordOf(register, id!)).owner_id, ben);
  const again = await set(register, { ...input, dry_run: true });
  assert.equal([again.rows, countsOf(again)], [[], [0, 0, 0]]);
});

test('ME stands for the caller, in set and in the filter', async ({ register }) => {
  const ids = await vendors(register, 2);
  const mine = { type: 'VENDOR', ids, set: { owner_id: 'ME' } };
  const { written } = await dryRunAndWrite(register, mine);
  assert.equal(countsOf(written), [0, 2, 0]);
  const { dryRun } = await dryRunAndWrite(register, { filter: { owner_id: ['ME'] }, set: { owner_id: null } });
  assert.equal(dryRun.rows.map(({ id }) => id).sort(), ids.toSorted());
  assert.is((await recordOf(register, ids[0]!)).owner_id, null);
});

test('owners can be named, in set and in the filter', async ({ register }) => {
  const ids = await vendors(register, 2);
  const { dryRun } = await dryRunAndWrite(register, { ids, set: { owner_id: 'Olivia Owner' } });
  assert.is(dryRun.rows[0]!.owner_id, register.accountId);
  const { written } = await dryRunAndWrite(register, {
    filter: { owner_id: ['olivia owner'] },
    set: { owner_id: null },
  });
  assert.equal(countsOf(written), [0, 2, 0]);
  const { error } = await set(register, { filter: { owner_id: ['Nobody'] }, set: { owner_id: 'ME' }, dry_run: true });
  assert.equal([error?.code, error?.field], ['invalid_input', 'filter.owner_id.0']);
});

test('ids of one type need no type; equal ids are one record', async ({ register }) => {
  const [id] = await vendors(register, 2);
  const { written } = await dryRunAndWrite(register, { ids: [id, id], set: { criticality: 'HIGH' } });
  assert.equal([countsOf(written), written.rows.length], [[0, 1, 0], 1]);
});

test('a write is a conflict if a record was changed after the dry run, or another one matches', async ({
  register,
}) => {
  const ids = await vendors(register, 3);
  const byFilter = { type: 'VENDOR', filter: { query: 'supplier' }, set: { criticality: 'HIGH' } };
  const byIds = { type: 'VENDOR', ids: ids.slice(0, 2), set: { criticality: 'HIGH' } };
  const changes: [object, () => Promise<unknown>][] = [
    [byFilter, () => register.call('updateVendor', { id: ids[1], country: 'FR' })],
    [byIds, () => register.call('updateVendor', { id: ids[1], country: 'IT' })],
    [byFilter, () => register.call('addVendor', { organization_id: ORGANIZATION, name: 'Supplier 4' })],
    [byFilter, () => register.call('archiveRecords', { ids: [ids[2]], action: 'ARCHIVE', reason: 'gone' })],
  ];
  for (const [input, change] of changes) {
    const { selection } = await set(register, { ...input, dry_run: true });
    await change();
    const length = await logLength(register);
    const { error } = await set(register, { ...input, selection });
    assert.equal(
      [error?.code, error?.field, error?.retryable],
      ['conflict', 'selection', false],
      JSON.stringify(error),
    );
    assert.match(error!.message, /Make the dry run again/);
    assert.is(await logLength(register), length);
  }
  const { written } = await dryRunAndWrite(register, byFilter);
  assert.equal(countsOf(written), [0, 3, 0]);
});

test('a selection of another call, an invented one and none are refused', async ({ register }) => {
  const ids = await vendors(register, 2);
  const input = { type: 'VENDOR', ids, set: { country: 'FR' }, reason: 'moved' };
  const { selection } = await set(register, { ...input, dry_run: true });
  const [body, signature] = selection!.split('.');
  const [position, ...rest] = JSON.parse(Buffer.from(body!, 'base64url').toString()) as [number, ...string[]];
  const forged = Buffer.from(JSON.stringify([position - 1, ...rest])).toString('base64url');
  const colleague = callerAs('OWNER', { account_id: await addMember(register) });
  assert.is((await set(register, { ...input, selection }, colleague)).error?.code, 'conflict');
  for (const wrong of [
    { ...input, set: { country: 'IT' }, selection },
    { ...input, set: { country: 'FR', category: 'IT' }, selection },
    { ...input, reason: undefined, selection },
    { ...input, reason: 'sold', selection },
    { ...input, selection: body },
    { ...input, selection: `${forged}.${signature}` },
    { ...input, ids: ids.slice(1), selection },
    { ...input, ids: undefined, filter: { query: 'Supplier 1' }, selection },
    { ...input, selection: 'nonsense' },
  ]) {
    assert.is((await set(register, wrong)).error?.code, 'conflict', JSON.stringify(wrong));
  }
  const { error } = await set(register, input);
  assert.equal([error?.code, error?.field], ['invalid_input', 'selection']);
  assert.match(error!.message, /dry_run first/);
  const reordered = { reason: 'moved', set: input.set, ids, selection, type: 'VENDOR' };
  assert.equal(countsOf(await set(register, reordered)), [0, 2, 0]);
});

test('more than 200 matches are too large, never the first 200', async ({ register }) => {
  await vendors(register, 200);
  const input = { type: 'VENDOR', filter: { query: 'supplier' }, set: { country: 'FR' } };
  assert.is((await set(register, { ...input, dry_run: true })).rows.length, 200);
  await register.call('addRisk', { organization_id: ORGANIZATION, name: 'A supplier fails' });
  const { type: _type, ...allTypes } = input;
  const { error: ofAll } = await set(register, { ...allTypes, set: { owner_id: 'ME' }, dry_run: true });
  await register.call('addVendor', { organization_id: ORGANIZATION, name: 'Supplier 201' });
  const { error } = await set(register, { ...input, dry_run: true });
  assert.equal([error?.code, ofAll?.code, error?.retryable], ['too_large', 'too_large', false]);
  assert.match(error!.message, /more conditions, or list the records and give their ids/);
});

test('a filter without an effective condition is refused', async ({ register }) => {
  await vendors(register, 1);
  for (const filter of [
    {},
    { query: '' },
    { include_archived: true },
    { include_archived: false, missing: [] },
    { owner_id: null },
  ]) {
    for (const type of ['VENDOR', undefined]) {
      const { error } = await set(register, { type, filter, set: { owner_id: 'ME' }, dry_run: true });
      assert.equal([error?.code, error?.field], ['invalid_input', 'filter'], JSON.stringify([filter, error]));
    }
  }
});

test('a search for signs only changes nothing', async ({ register }) => {
  await vendors(register, 1);
  const input = { type: 'VENDOR', filter: { query: ' .,- ' }, set: { owner_id: 'ME' }, dry_run: true };
  assert.equal((await set(register, input)).rows, []);
});

test('inputs that do not fit together are refused, with the next step', async ({ register }) => {
  const [id] = await vendors(register, 1);
  const risk = (
    await register.call<{ risk: { id: string } }>('addRisk', { organization_id: ORGANIZATION, name: 'Fire' })
  ).risk.id;
  const change = { set: { country: 'FR' }, dry_run: true };
  const cases: [object, string, RegExp][] = [
    [{}, 'rows', /or give set/],
    [{ type: 'VENDOR' }, 'rows', /or give set/],
    [{ rows: [{ name: 'A' }] }, 'type', /one of RISK/],
    [{ type: 'VENDOR', rows: [{ name: 'A' }], ...change, ids: [id] }, 'rows', /either rows or set/],
    [{ type: 'VENDOR', rows: [{ name: 'A' }], ids: [id] }, 'ids', /needs set/],
    [{ type: 'VENDOR', rows: [{ name: 'A' }], filter: { query: 'x' } }, 'filter', /needs set/],
    [{ type: 'VENDOR', ids: [id] }, 'ids', /needs set/],
    [{ type: 'VENDOR', ...change }, 'filter', /needs ids, or a filter/],
    [{ type: 'VENDOR', ...change, ids: [id], filter: { query: 'x' } }, 'filter', /either ids or filter/],
    [{ type: 'VENDOR', ids: [id], set: {} }, 'ids', /needs set/],
    [{ type: 'VENDOR', ids: [id, risk], ...change }, 'ids.1', /vnd_…/],
    [{ ids: [risk, id], ...change }, 'ids.1', /^ids must be of one type, and these are of RISK and VENDOR\. Make/],
    [{ type: 'EVIDENCE', filter: { query: 'x' }, ...change }, 'set.country', /not a known property/],
    [{ type: 'VENDOR', ids: [id], set: { criticality: 'GRAVE' }, dry_run: true }, 'set.criticality', /CRITICAL/],
    [{ type: 'VENDOR', ids: [id], set: { contry: 'FR' }, dry_run: true }, 'set.contry', /not a known property/],
    [{ type: 'RISK', ids: [risk], set: { score: 5 }, dry_run: true }, 'set.score', /can't be set here: it follows/],
    [{ type: 'VENDOR', ids: [id], set: { id }, dry_run: true }, 'set.id', /not a known property/],
    [{ type: 'VENDOR', filter: { stat: ['APPROVED'] }, ...change }, 'filter.stat', /not a known property/],
    [{ filter: { query: 'x' }, ...change }, 'set.country', /not a known property/],
  ];
  const length = await logLength(register);
  for (const [input, field, message] of cases) {
    const { error } = await set(register, input);
    assert.equal([error?.code, error?.field], ['invalid_input', field], JSON.stringify([input, error]));
    assert.match(error!.message, message);
  }
  const { error } = await set(register, { filter: { query: 'x' }, ...change });
  assert.match(error!.hint!, /give the type/);
  assert.is(await logLength(register), length);
});

test('a set that one record would refuse writes nothing, and names the record', async ({ register }) => {
  const ids = await vendors(register, 2);
  await register.call('archiveRecords', { ids: [ids[1]], action: 'ARCHIVE', reason: 'gone' });
  const input = { type: 'VENDOR', ids, set: { country: 'FR' } };
  const length = await logLength(register);
  const { dryRun, written } = await dryRunAndWrite(register, input);
  for (const { rows } of [dryRun, written]) {
    const wrong = rows.find(({ id }) => id === ids[1])!;
    assert.match(wrong.errors![0]!.message, /archived/);
    assert.is(wrong.name, 'Supplier 1');
  }
  assert.equal(countsOf(dryRun), [0, 1, 0]);
  assert.equal([written.error?.code, written.error?.field], ['invalid_input', 'set']);
  assert.match(written.error!.message, /^Nothing was written\. .*dry run again/);
  assert.is(await logLength(register), length);
});

test('a role that may not write, and records of another organization, are refused', async ({ register }) => {
  const ids = await vendors(register, 1);
  const input = { type: 'VENDOR', ids, set: { country: 'FR' }, dry_run: true };
  for (const role of ['VIEWER', 'AUDITOR'] as const) {
    assert.is((await set(register, input, callerAs(role))).error?.code, 'forbidden');
  }
  assert.equal(countsOf(await set(register, input, callerAs('EDITOR'))), [0, 1, 0]);
  const elsewhere = randomId('org');
  const stranger = callerAs('OWNER', { roles: new Map([[elsewhere, 'OWNER']]) });
  assert.is((await set(register, input, stranger)).error?.code, 'not_found');
  const { error } = await set(register, { ...input, ids: [...ids, randomId('vnd')] });
  assert.equal([error?.code, error?.field], ['not_found', 'ids']);
});

test('a repeat with the same key writes nothing, and answers also after others have changed', async ({ register }) => {
  const ids = await vendors(register, 3);
  const input = { type: 'VENDOR', filter: { missing: ['OWNER'] }, set: { owner_id: 'ME' }, idempotency_key: 'k' };
  const { dryRun, written } = await dryRunAndWrite(register, input);
  assert.equal(countsOf(written), [0, 3, 0]);
  await register.call('updateVendor', { id: ids[0], country: 'FR' });
  await register.call('addVendor', { organization_id: ORGANIZATION, name: 'New' });
  const length = await logLength(register);
  const repeated = await set(register, { ...input, selection: dryRun.selection });
  assert.equal(countsOf(repeated), [0, 0, 3]);
  const other = await set(register, { ...input, set: { owner_id: 'ME', country: 'IT' }, selection: dryRun.selection });
  assert.is(other.error?.code, 'conflict');
  const withoutKey = await set(register, { ...input, idempotency_key: undefined, selection: dryRun.selection });
  assert.is(withoutKey.error?.code, 'conflict');
  assert.is(await logLength(register), length);
});

test('a repeat names a member in its filter who has left since', async ({ register }) => {
  const member = await addMember(register);
  await register.stores.accounts.insert('accounts', { id: member, name: 'Lee Leaver' });
  await register.names.recordFirst(member, 'Lee Leaver');
  const [id] = await vendors(register, 1);
  await register.call('updateVendor', { id, owner_id: member });
  const input = { filter: { owner_id: ['Lee Leaver'] }, set: { owner_id: 'ME' }, idempotency_key: 'leaving' };
  const { dryRun, written } = await dryRunAndWrite(register, input);
  assert.equal(countsOf(written), [0, 1, 0]);
  const command = { type: 'RemoveMember', account_id: member } as const;
  await register.handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
  await register.projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
  const repeated = await set(register, { ...input, selection: dryRun.selection });
  assert.equal(countsOf(repeated), [0, 0, 1]);
  for (const idempotency_key of ['another', undefined]) {
    const { error } = await set(register, { ...input, idempotency_key, selection: dryRun.selection });
    assert.is(error?.code, 'conflict', 'the records have another owner by now');
  }
});

test('everything of one person is handed over, at most 200 records a call', async ({ register }) => {
  const [leaving, staying] = [await addMember(register), await addMember(register)];
  const owner_id = leaving;
  const add = async (tool: string, fields: object) => {
    const answer = await register.call<Answer>(tool, { organization_id: ORGANIZATION, owner_id, ...fields });
    assert.is(answer.error, undefined, `${tool} ${JSON.stringify(answer)}`);
    return answer[tool.slice(3).toLowerCase()] as Answer;
  };
  const controls = [{ section_title: 'H.1', name: 'Handed over' }];
  const framework = await add('addFramework', { name: 'House rules', controls });
  const vendor = await add('addVendor', { name: 'In use' });
  const gone = await add('addVendor', { name: 'Gone', status: 'OFFBOARDED', reason: 'r' });
  const closed = await add('addAudit', {
    framework_id: framework.id,
    name: 'Called off',
    state: 'REJECTED',
    reason: 'r',
  });
  const evidence = await add('addEvidence', { name: 'Photo', text: 't', record_ids: [vendor.id] });
  const audit = await add('addAudit', { framework_id: framework.id, name: 'Planned' });
  const rows = suppliers(200).map((supplier) => ({ ...supplier, owner_id }));
  await runImport(register, 'VENDOR', rows);
  const input = { filter: { owner_id: [leaving], unfinished: true }, set: { owner_id: staying }, reason: 'leaves' };
  const first = await dryRunAndWrite(register, input);
  assert.equal([countsOf(first.dryRun), first.dryRun.remaining], [[0, 200, 0], 4]);
  assert.equal([countsOf(first.written), first.written.remaining], [[0, 200, 0], 4]);
  const second = await dryRunAndWrite(register, input);
  assert.equal([countsOf(second.written), second.written.remaining], [[0, 4, 0], undefined]);
  const none = await set(register, { ...input, dry_run: true });
  assert.equal([countsOf(none), none.remaining], [[0, 0, 0], undefined]);
  for (const { id } of [framework, vendor, evidence, audit])
    assert.is((await recordOf(register, String(id))).owner_id, staying);
  for (const { id } of [gone, closed])
    assert.is((await recordOf(register, String(id))).owner_id, leaving, 'it is finished');
  const { changes } = await register.call<{ changes: { event_type: string; reason: string }[] }>('listChanges', {
    organization_id: ORGANIZATION,
    filter: {
      record_id: [evidence.id, framework.id],
      event_types: ['EvidenceOwnerAssigned', 'FrameworkOwnerAssigned'],
    },
  });
  assert.equal(
    changes.map(({ reason }) => reason),
    ['leaves', 'leaves'],
  );
  const others = { ids: [evidence.id], set: { name: 'Another' }, dry_run: true };
  assert.is((await set(register, others)).error?.field, 'set.name', 'only the owner of evidence changes');
  const all = await dryRunAndWrite(register, { ...input, filter: { owner_id: [leaving] } });
  assert.equal(countsOf(all.written), [0, 2, 0]);
});

test.run();
