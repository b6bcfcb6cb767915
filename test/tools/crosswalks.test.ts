import * as assert from 'uvu/assert';
import { controlId, randomId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import { adopt, archive, assertRebuilt, expectRefusal, list, newest, ok, record } from '../support/controls.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

/* Crosswalks: many pairs of controls of two frameworks, linked by one event. */

type Adopted = Awaited<ReturnType<typeof adopt>>;

interface Context {
  register: TestRegister;
  iso: Adopted;
  csf: Adopted;
}

const test = registerSuite<Context>('crosswalks', 'EACH', async (register) => {
  return {
    iso: await adopt(register, 'ISO/IEC 27001:2022', ['A.5.1', 'A.5.2', 'A.5.10']),
    csf: await adopt(register, 'NIST CSF', ['GV.PO-01', 'GV.RR-02', 'PR.AA-05']),
  };
});

interface Row {
  from_control: string;
  to_control: string;
  relation: string;
  from_framework?: string;
  to_framework?: string;
}

const row = (from_control: string, relation: string, to_control: string): Row => ({
  from_control,
  to_control,
  relation,
});

interface ImportAnswer extends Answer {
  rows: Answer[];
  crosswalks: Answer[];
}

const importRows = ({ register }: Context, rows: readonly object[], more: object = {}) =>
  ok<ImportAnswer>(register, 'importRecords', { organization_id: ORGANIZATION, type: 'CROSSWALK', rows, ...more });

async function sharedControls({ register, iso, csf }: Context, options: object = {}) {
  const filter = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
  const controls = await list(register, filter, options);
  return controls.map(({ section_title, linked_controls }) => [
    section_title,
    ...(linked_controls as Answer[]).map((linked) => `${linked.relation} ${linked.section_title}`),
  ]);
}

async function changesOf({ register }: Context, filter: object, more: object = {}) {
  const answer = await ok<{ changes: Answer[] }>(register, 'listChanges', {
    organization_id: ORGANIZATION,
    filter,
    ...more,
  });
  return answer.changes;
}

const link = ({ register }: Context, from_id: string, to_id: string, relation: string | null) =>
  ok<{ links: Answer[] }>(register, 'linkRecords', {
    links: [{ from_id, to_id, ...(relation === null ? {} : { relation }) }],
    action: relation === null ? 'UNLINK' : 'LINK',
    reason: 'Found out',
  }).then(({ links }) => links[0]!.result);

const ROWS = [
  row('A.5.1', 'EQUIVALENT', 'GV.PO-01'),
  row('a.5.02', 'SUPPORTS', 'gv.rr-2'),
  row('PR.AA-05', 'PARTLY', 'A.5.1'),
];

test('links all pairs by one event, which both frameworks and every control show', async (context) => {
  const { register, iso, csf } = context;
  const before = await record(register, iso.ids['A.5.1']!);
  const answer = await importRows(context, ROWS, { reason: 'Mapping of 2026' });
  assert.equal([answer.created, answer.updated, answer.unchanged], [3, 0, 0]);
  assert.equal(
    answer.rows.map(({ result }) => result),
    ['CREATED', 'CREATED', 'CREATED'],
  );
  const [crosswalk, ...others] = answer.crosswalks;
  assert.equal(others, []);
  const { frameworks, ...counts } = crosswalk!;
  assert.equal(counts, { EQUIVALENT: 1, SUPPORTS: 1, PARTLY: 1, created: 3, updated: 0, unchanged: 0 });
  assert.equal((frameworks as { name: string }[]).map(({ name }) => name).sort(), ['ISO/IEC 27001:2022', 'NIST CSF']);
  assert.equal(await sharedControls(context), [
    ['A.5.1', 'EQUIVALENT GV.PO-01', 'PARTLY_COVERED_BY PR.AA-05'],
    ['A.5.2', 'SUPPORTS GV.RR-02'],
  ]);
  const [event, ...more] = await changesOf(context, { event_types: ['CrosswalkImported'] });
  assert.equal(more, [], 'one event');
  assert.equal(
    event!.changes,
    ['EQUIVALENT', 'SUPPORTS', 'PARTLY'].map((relation) => ({ field: `linked.${relation}`, from: null, to: 1 })),
  );
  const [ofControl] = await changesOf(context, { record_id: [iso.ids['A.5.1']!] });
  const { name } = ofControl!.linked as Answer;
  assert.equal([ofControl!.event_type, ofControl!.reason, name], ['CrosswalkImported', 'Mapping of 2026', 'NIST CSF']);
  assert.equal(ofControl!.changes, [
    { field: 'linked.GV.PO-01', from: null, to: 'EQUIVALENT' },
    { field: 'linked.PR.AA-05', from: null, to: 'PARTLY_COVERED_BY' },
  ]);
  for (const filter of [{ record_id: [csf.framework] }, { record_id: [iso.framework] }, { field: 'linked' }]) {
    assert.is((await changesOf(context, filter))[0]!.event_type, 'CrosswalkImported');
  }
  assert.is((await changesOf(context, { record_id: [iso.ids['A.5.10']!] }))[0]!.event_type, 'FrameworkAdopted');
  const after = await record(register, iso.ids['A.5.1']!);
  assert.equal([after.revision, after.updated_at], [before.revision, before.updated_at]);
  await assertRebuilt(register);
});

test('the same rows again write nothing, and later rows add and change pairs but end none', async (context) => {
  const { register } = context;
  await importRows(context, ROWS);
  const position = await newest(register);
  const again = await importRows(context, ROWS, { reason: 'Another reason' });
  assert.equal([again.created, again.updated, again.unchanged], [0, 0, 3]);
  const reversed = [row('GV.PO-01', 'EQUIVALENT', 'A.5.1'), row('GV.RR-02', 'SUPPORTED_BY', 'A.5.2')];
  assert.is((await importRows(context, reversed)).unchanged, 2, 'the same, read from the other side');
  assert.is(await newest(register), position);
  const later = [row('A.5.1', 'SUPPORTS', 'GV.PO-01'), row('A.5.10', 'EQUIVALENT', 'PR.AA-05')];
  const dryRun = await importRows(context, later, { dry_run: true });
  assert.equal([dryRun.created, dryRun.updated], [1, 1]);
  const keyed = { idempotency_key: 'later' };
  const { call_id } = await importRows(context, later, { dry_run: true, ...keyed });
  assert.is(await newest(register), position);
  assert.is((await importRows(context, later, keyed)).call_id, call_id);
  assert.equal(await sharedControls(context), [
    ['A.5.1', 'SUPPORTS GV.PO-01', 'PARTLY_COVERED_BY PR.AA-05'],
    ['A.5.2', 'SUPPORTS GV.RR-02'],
    ['A.5.10', 'EQUIVALENT PR.AA-05'],
  ]);
  assert.equal((await sharedControls(context, { as_of: position })).length, 2, 'the past stays');
  await assertRebuilt(register);
});

test('of a crosswalk and the link itself, the later in the log counts', async (context) => {
  const { register, iso, csf } = context;
  const [one, other] = [iso.ids['A.5.1']!, csf.ids['GV.PO-01']!];
  const count = async () => (await record(register, one, { include: ['LINKS'] })).links as Answer;
  assert.is(await link(context, one, other, 'PARTLY'), 'CREATED');
  await importRows(context, [row('A.5.1', 'PARTLY', 'GV.PO-01')]);
  assert.is((await count()).total, 2, 'the framework, and the control once');
  assert.is(await link(context, one, other, 'PARTLY'), 'UNCHANGED');
  await importRows(context, [row('A.5.1', 'EQUIVALENT', 'GV.PO-01')]);
  assert.is(await link(context, one, other, 'EQUIVALENT'), 'UNCHANGED', 'as the crosswalk says');
  assert.is(await link(context, other, one, 'SUPPORTS'), 'CHANGED');
  const [changed] = await changesOf(context, { record_id: [one], event_types: ['LinkRelationChanged'] });
  assert.equal(changed!.changes, [{ field: 'relation', from: 'EQUIVALENT', to: 'SUPPORTED_BY' }]);
  await importRows(context, [row('A.5.2', 'EQUIVALENT', 'GV.PO-01')]);
  assert.is(await link(context, other, one, 'SUPPORTS'), 'UNCHANGED', 'the newest import is about another pair');
  assert.is(await link(context, one, other, null), 'REMOVED');
  await importRows(context, [row('A.5.1', 'EQUIVALENT', 'GV.PO-01')]);
  assert.is((await count()).total, 1, 'the same import does not link again what was unlinked since');
  await importRows(context, [row('A.5.1', 'PARTLY', 'GV.PO-01')]);
  assert.is((await count()).total, 2, 'another relation is another statement');
  assert.is(await link(context, one, other, null), 'REMOVED');
  assert.is(await link(context, one, other, null), 'UNCHANGED');
  assert.equal(await sharedControls(context), [['A.5.2', 'EQUIVALENT GV.PO-01']]);
  const from = csf.ids['PR.AA-05']!;
  await importRows(context, [row('A.5.10', 'SUPPORTS', 'PR.AA-05')]);
  assert.is(await link(context, from, iso.ids['A.5.10']!, null), 'REMOVED', 'the first event of the link itself');
  await assertRebuilt(register);
});

const undo = ({ register }: Context, call_id: unknown, more: object = {}) =>
  ok(register, 'importRecords', { organization_id: ORGANIZATION, undo: { call_id }, ...more });

test('the same rows again bring back what an undo of their import ended, but nothing else', async (context) => {
  const { iso, csf } = context;
  const before = await importRows(context, [row('A.5.1', 'PARTLY', 'GV.PO-01')]);
  const imported = await importRows(context, ROWS);
  assert.is(await link(context, iso.ids['A.5.2']!, csf.ids['GV.RR-02']!, null), 'REMOVED');
  const undone = await undo(context, imported.call_id);
  assert.equal(await sharedControls(context), [['A.5.1', 'PARTLY GV.PO-01']]);
  const dryRun = await importRows(context, ROWS, { dry_run: true });
  assert.equal(
    dryRun.rows.map(({ result }) => result),
    ['UPDATED', 'UNCHANGED', 'CREATED'],
    'a person has ended the second',
  );
  await importRows(context, ROWS);
  const both = [['A.5.1', 'EQUIVALENT GV.PO-01', 'PARTLY_COVERED_BY PR.AA-05']];
  assert.equal(await sharedControls(context), both);
  assert.is((await importRows(context, ROWS)).unchanged, 3, 'once');
  assert.is((await undo(context, undone.call_id, { dry_run: true })).links, undefined, 'the undo is over');
  await undo(context, before.call_id);
  assert.equal(await sharedControls(context), both, 'the earlier import was changed since');
  await assertRebuilt(context.register);
});

test('more than five links get another relation only with a reason and the selection of the dry run', async (context) => {
  const { register } = context;
  const numbers = ['1', '2', '3', '4', '5', '6', '7', '8'];
  const [from, to] = ['Old', 'New'];
  for (const name of [from, to]) await adopt(register, name, numbers);
  const pairs = (relation: string, count = numbers.length) =>
    numbers.slice(0, count).map((number) => ({
      ...row(number, relation, number),
      from_framework: from,
      to_framework: to,
    }));
  assert.is((await importRows(context, pairs('PARTLY', 7))).created, 7, 'new ones need neither');
  assert.is((await importRows(context, pairs('SUPPORTS', 5))).updated, 5, 'nor do five changed ones');
  const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: pairs('EQUIVALENT') };
  for (const more of [{}, { dry_run: true }]) {
    const { code, field } = await expectRefusal(register, 'importRecords', { ...input, ...more });
    assert.equal([code, field], ['invalid_input', 'reason']);
  }
  const reason = 'Mapping of 2026';
  assert.is((await expectRefusal(register, 'importRecords', { ...input, reason })).field, 'selection');
  const position = await newest(register);
  const dryRun = await importRows(context, input.rows, { reason, dry_run: true });
  assert.equal([dryRun.created, dryRun.updated], [1, 7]);
  assert.is(await newest(register), position);
  const { selection } = dryRun;
  const other = { ...input, rows: pairs('PARTLY'), reason, selection };
  assert.is((await expectRefusal(register, 'importRecords', other)).code, 'conflict');
  const written = await importRows(context, input.rows, { reason, selection });
  assert.equal([written.created, written.updated, written.call_id], [1, 7, dryRun.call_id]);
  const again = await importRows(context, input.rows, { reason, selection });
  assert.equal([again.unchanged, again.call_id], [8, dryRun.call_id], 'a repeat');
});

test('verifies, for the organization, a framework and a control', async (context) => {
  const { register, iso, csf } = context;
  await link(context, iso.ids['A.5.1']!, csf.ids['GV.PO-01']!, 'PARTLY');
  await importRows(context, ROWS);
  await archive(register, iso.ids['A.5.1']!);
  for (const record_id of [undefined, [iso.framework], [iso.ids['A.5.1']!], [csf.ids['PR.AA-05']!, csf.framework]]) {
    const filter = record_id === undefined ? {} : { record_id };
    const input = { organization_id: ORGANIZATION, filter, verify: true };
    const { verification } = await ok<{ verification: Answer }>(register, 'listChanges', input);
    assert.equal([verification.verdict, verification.complete, verification.faults], ['VALID', true, []]);
  }
});

test('refuses all rows if one is wrong, and says why', async (context) => {
  const { register, iso, csf } = context;
  const other = await adopt(register, 'NIST CSF two', ['GV.PO-01', 'Z.1']);
  await archive(register, csf.ids['GV.RR-02']!);
  const wrong: [rows: object, field: string, message: RegExp][] = [
    [row('A.9', 'SUPPORTS', 'PR.AA-05'), 'from_control', /^No framework in use has a control A\.9\.$/],
    [row('A.5.1', 'SUPPORTS', 'GV.PO-01'), 'to_control', /NIST CSF .*NIST CSF two .*have a control GV\.PO-01/],
    [{ ...row('A.5.1', 'SUPPORTS', 'GV.PO-01'), to_framework: 'CSF' }, 'to_framework', /"CSF" could be NIST CSF/],
    [{ ...row('A.5.1', 'SUPPORTS', 'X.1'), to_framework: 'two' }, 'to_control', /^NIST CSF two has no control X\.1\.$/],
    [
      { ...row('A.5.1', 'SUPPORTS', 'X.1'), to_framework: 'SOC 2' },
      'to_framework',
      /No framework in use is called "SOC 2"/,
    ],
    [row('A.5.1', 'SUPPORTS', 'A.5.2'), 'to_control', /one framework/],
    [row('A.5.1', 'SUPPORTS', 'GV.RR-02'), 'control', /is archived/],
    [row('A.5.1', 'CONFLICTS', 'PR.AA-05'), 'relation', /EQUIVALENT/],
    [{ from_control: 'A.5.1', to_control: 'PR.AA-05' }, 'relation', /required/],
    [row(iso.ids['A.5.1']!, 'SUPPORTS', other.ids['Z.1']!.replace(/.$/, 'Z')), 'control', /There is no ctl_/],
    [{ ...row('A.5.1', 'SUPPORTS', 'Z.1'), strength: 5 }, 'strength', /not a known/],
  ];
  const position = await newest(register);
  const rows = [row('A.5.10', 'SUPPORTS', 'PR.AA-05'), ...wrong.map(([wrongRow]) => wrongRow)];
  const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows };
  const refused = (await register.call('importRecords', input)) as unknown as ImportAnswer;
  assert.is((refused.error as Answer).code, 'invalid_input');
  for (const [index, [, field, message]] of wrong.entries()) {
    const [error] = refused.rows[index + 1]!.errors as { field: string; message: string }[];
    assert.is(error?.field, field, JSON.stringify(error));
    assert.match(error!.message, message);
  }
  assert.equal(refused.rows[0], { row: 0 });
  const contradicting = [row('A.5.1', 'SUPPORTS', 'PR.AA-05'), row('PR.AA-05', 'SUPPORTS', 'A.5.1')];
  const both = await register.call('importRecords', { ...input, rows: contradicting });
  assert.equal(
    (both as unknown as ImportAnswer).rows.map(({ errors }) => (errors as Answer[]).length),
    [1, 1],
  );
  assert.is(await newest(register), position);
});

test('needs a role that may change records, in the organization of the frameworks', async (context) => {
  const { register } = context;
  const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: ROWS };
  for (const role of ['VIEWER', 'AUDITOR'] as const) {
    const answer = await register.call('importRecords', input, callerAs(role));
    assert.is((answer.error as Answer).code, 'forbidden', role);
  }
  assert.is(
    (await expectRefusal(register, 'importRecords', { ...input, organization_id: `org_${'0'.repeat(26)}` })).code,
    'not_found',
  );
});

test('nothing of another organization can be linked', async (context) => {
  const { register } = context;
  const other = randomId('org');
  const command = { type: 'CreateOrganization', name: 'Other', import_key: 'k', installation: 'i', owner_id: OWNER };
  await register.handler.execute(
    organizationAggregate(other),
    command as never,
    envelopeFor({ organization_id: other }),
  );
  const roles = new Map([
    [ORGANIZATION, 'OWNER'],
    [other, 'OWNER'],
  ] as const);
  const caller = callerAs('OWNER', { roles });
  const controls = [{ section_title: 'X.1', name: 'Theirs' }];
  const adopted = { organization_id: other, name: 'NIST CSF', controls };
  const { framework } = await register.call<{ framework: { id: string } }>('addFramework', adopted, caller);
  const theirs = controlId(framework.id, 0);
  for (const to_control of [theirs, 'X.1']) {
    const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: [row('A.5.1', 'SUPPORTS', to_control)] };
    const answer = await register.call<ImportAnswer>('importRecords', input, caller);
    assert.is((answer.rows[0]!.errors as { field: string }[])[0]!.field, 'to_control');
  }
  const named = { ...row('A.5.1', 'SUPPORTS', 'GV.PO-01'), to_framework: framework.id };
  const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: [named] };
  const { rows } = await register.call<ImportAnswer>('importRecords', input, caller);
  assert.is((rows[0]!.errors as { field: string }[])[0]!.field, 'to_framework');
});

test('repeats a key without writing twice, and refuses it with other rows', async (context) => {
  const { register } = context;
  await importRows(context, ROWS, { idempotency_key: 'one' });
  const position = await newest(register);
  await importRows(context, ROWS, { idempotency_key: 'one' });
  assert.is(await newest(register), position);
  const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', idempotency_key: 'one' };
  const refusal = await expectRefusal(register, 'importRecords', {
    ...input,
    rows: [row('A.5.10', 'PARTLY', 'PR.AA-05')],
  });
  assert.is(refusal.code, 'idempotency_conflict');
});

test('a field of all controls with a relation can be set', async (context) => {
  await importRows(context, ROWS);
  const input = { organization_id: ORGANIZATION, type: 'CONTROL', filter: { relation: ['SUPPORTS'] } };
  const set = { owner_id: 'ME' };
  const { rows } = await ok<ImportAnswer>(context.register, 'importRecords', { ...input, set, dry_run: true });
  assert.equal(
    rows.map(({ name }) => name),
    ['A.5.2 On A.5.2', 'GV.RR-02 On GV.RR-02'],
  );
});

test.run();
