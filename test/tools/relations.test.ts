import * as assert from 'uvu/assert';
import { familyQueryOfType } from '../../src/queries/family-query.ts';
import { openRecordFile } from '../../src/queries/files/record-file.ts';
import { adopt, assertRebuilt, expectRefusal, list, newest, ok, record } from '../support/controls.ts';
import { type Answer, callerAs, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

/* Links between controls, and their relations. */

interface Context {
  register: TestRegister;
  iso: { framework: string; ids: Record<string, string> };
  csf: { framework: string; ids: Record<string, string> };
}

const test = registerSuite<Context>('relations of controls', 'EACH', async (register) => {
  return {
    iso: await adopt(register, 'ISO 27001', ['A.5.2', 'A.5.10', 'A.5.15']),
    csf: await adopt(register, 'NIST CSF', ['PR.AA-2', 'PR.AA-10', 'GV.RM-01']),
  };
});

type Relation = 'EQUIVALENT' | 'SUPPORTS' | 'PARTLY';

async function relate(register: TestRegister, from_id: string, to_id: string, relation?: Relation, more: object = {}) {
  const answer = await ok(register, 'linkRecords', { links: [{ from_id, to_id, relation }], ...more });
  return (answer.links as { result: string }[]).map(({ result }) => result);
}

const unlink = (register: TestRegister, from_id: string, to_id: string) =>
  relate(register, from_id, to_id, undefined, { action: 'UNLINK', reason: 'Found out' });

/** Returns the controls that a control is linked with, and the relation to each. */
async function linksOf(register: TestRegister, id: string, more: object = {}) {
  const { links } = await record(register, id, { include: ['LINKS'], ...more });
  const controls = (links as { records: Answer[] }).records.filter(({ type }) => type === 'CONTROL');
  return controls.map(({ id: other, relation }) => [other, relation]);
}

async function changesOf(register: TestRegister, id: string) {
  const filter = { record_id: [id], event_types: ['RecordsLinked', 'LinkRelationChanged', 'RecordsUnlinked'] };
  const answer = await ok<{ changes: Answer[] }>(register, 'listChanges', { organization_id: ORGANIZATION, filter });
  return answer.changes.map(({ event_type, changes }) => [event_type, changes]);
}

async function sharedControls(register: TestRegister, filter: object, options: object = {}) {
  const controls = await list(register, filter, options);
  return controls.map(({ section_title, linked_controls }) => [
    section_title,
    ...(linked_controls as Answer[]).map((linked) => `${linked.relation} ${linked.section_title}`),
  ]);
}

test('two controls are linked by a relation, seen from both sides, and linking again changes it', async (context) => {
  const { register } = context;
  const [iso, csf] = [context.iso.ids['A.5.15']!, context.csf.ids['PR.AA-2']!];
  const before = await record(register, iso);
  assert.equal(await relate(register, iso, csf, 'SUPPORTS'), ['CREATED']);
  assert.equal(await relate(register, iso, csf, 'SUPPORTS'), ['UNCHANGED']);
  assert.equal(await linksOf(register, iso), [[csf, 'SUPPORTS']]);
  assert.equal(await linksOf(register, csf), [[iso, 'SUPPORTED_BY']]);
  assert.equal(await relate(register, csf, iso, 'SUPPORTS'), ['CHANGED'], 'the other way round');
  assert.equal(await linksOf(register, csf), [[iso, 'SUPPORTS']]);
  assert.equal(await relate(register, iso, csf, 'EQUIVALENT'), ['CHANGED']);
  assert.equal(await relate(register, csf, iso, 'EQUIVALENT'), ['UNCHANGED'], 'EQUIVALENT has no direction');
  assert.equal(await linksOf(register, csf), [[iso, 'EQUIVALENT']]);
  assert.equal(await relate(register, csf, iso, 'PARTLY'), ['CHANGED']);
  assert.equal(await linksOf(register, iso), [[csf, 'PARTLY_COVERED_BY']]);
  assert.equal(await unlink(register, iso, csf), ['REMOVED']);
  assert.equal(await linksOf(register, iso), []);
  const after = await record(register, iso);
  assert.equal([after.revision, after.updated_at], [before.revision, before.updated_at]);
});

test('the changes of both controls say the relation as each has it, and verify', async (context) => {
  const { register } = context;
  const [iso, csf] = [context.iso.ids['A.5.15']!, context.csf.ids['PR.AA-2']!];
  await relate(register, iso, csf, 'SUPPORTS');
  await relate(register, csf, iso, 'PARTLY', { reason: 'Read again' });
  await unlink(register, iso, csf);
  const expected = (other: string, supports: string, partly: string) => [
    [
      'RecordsUnlinked',
      [
        { field: 'linked', from: other, to: null },
        { field: 'relation', from: partly, to: null },
      ],
    ],
    ['LinkRelationChanged', [{ field: 'relation', from: supports, to: partly }]],
    [
      'RecordsLinked',
      [
        { field: 'linked', from: null, to: other },
        { field: 'relation', from: null, to: supports },
      ],
    ],
  ];
  assert.equal(await changesOf(register, iso), expected(csf, 'SUPPORTS', 'PARTLY_COVERED_BY'));
  assert.equal(await changesOf(register, csf), expected(iso, 'SUPPORTED_BY', 'PARTLY'));
  for (const filter of [{}, { record_id: [iso] }, { record_id: [csf] }]) {
    const input = { organization_id: ORGANIZATION, filter, verify: true };
    const { verification } = await ok<{ verification: Answer }>(register, 'listChanges', input);
    assert.equal([verification.verdict, verification.faults], ['VALID', []]);
  }
});

test('a relation is needed between two controls, and refused elsewhere', async (context) => {
  const { register } = context;
  const [iso, csf] = [context.iso.ids['A.5.2']!, context.csf.ids['PR.AA-2']!];
  const { measure } = await ok<{ measure: { id: string } }>(register, 'addMeasure', {
    organization_id: ORGANIZATION,
    name: 'Passwords',
  });
  const refusal = (links: object[], more: object = {}) => expectRefusal(register, 'linkRecords', { links, ...more });
  const needed = await refusal([{ from_id: iso, to_id: csf }]);
  assert.equal(
    [needed.code, needed.field, needed.allowed],
    ['invalid_input', 'links.0.relation', ['EQUIVALENT', 'SUPPORTS', 'PARTLY']],
  );
  const misplaced = await refusal([{ from_id: iso, to_id: measure.id, relation: 'SUPPORTS' }]);
  assert.equal([misplaced.code, misplaced.field], ['invalid_input', 'links.0.relation']);
  const unlinked = await refusal([{ from_id: iso, to_id: csf, relation: 'SUPPORTS' }], { action: 'UNLINK' });
  assert.equal([unlinked.code, unlinked.field], ['invalid_input', 'links.0.relation']);
  const contradiction = await refusal([
    { from_id: iso, to_id: csf, relation: 'SUPPORTS' },
    { from_id: csf, to_id: iso, relation: 'SUPPORTS' },
  ]);
  assert.equal([contradiction.code, contradiction.field], ['invalid_input', 'links.1.relation']);
  assert.equal((await refusal([{ from_id: iso, to_id: iso, relation: 'EQUIVALENT' }])).field, 'links.0');
  assert.equal(await linksOf(register, iso), [], 'nothing was written');
});

test('a repeated call with the same key answers the same, and another relation with that key conflicts', async (context) => {
  const { register } = context;
  const [iso, csf] = [context.iso.ids['A.5.2']!, context.csf.ids['PR.AA-2']!];
  const key = { idempotency_key: 'once' };
  assert.equal(await relate(register, iso, csf, 'PARTLY', key), ['CREATED']);
  assert.equal(await relate(register, iso, csf, 'PARTLY', key), ['CREATED']);
  const links = [{ from_id: iso, to_id: csf, relation: 'EQUIVALENT' }];
  assert.is((await expectRefusal(register, 'linkRecords', { links, ...key })).code, 'idempotency_conflict');
});

test('one call lists the controls that two frameworks share, with both numbers', async (context) => {
  const { register, iso, csf } = context;
  await relate(register, iso.ids['A.5.15']!, csf.ids['PR.AA-10']!, 'EQUIVALENT');
  await relate(register, iso.ids['A.5.15']!, csf.ids['PR.AA-2']!, 'PARTLY');
  await relate(register, csf.ids['GV.RM-01']!, iso.ids['A.5.2']!, 'SUPPORTS');
  await relate(register, iso.ids['A.5.2']!, iso.ids['A.5.10']!, 'SUPPORTS');
  const withCsf = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
  const shared = [
    ['A.5.2', 'SUPPORTED_BY GV.RM-01'],
    ['A.5.15', 'PARTLY PR.AA-2', 'EQUIVALENT PR.AA-10'],
  ];
  assert.equal(await sharedControls(register, withCsf), shared);
  assert.equal(await sharedControls(register, { ...withCsf, relation: ['EQUIVALENT'] }), [
    ['A.5.15', 'EQUIVALENT PR.AA-10'],
  ]);
  assert.equal(await sharedControls(register, { ...withCsf, relation: ['SUPPORTS'] }), [
    ['A.5.2', 'SUPPORTED_BY GV.RM-01'],
  ]);
  assert.equal(await sharedControls(register, { linked_framework_id: [iso.framework] }), [
    ['A.5.2', 'SUPPORTS A.5.10'],
    ['A.5.10', 'SUPPORTED_BY A.5.2'],
    ['GV.RM-01', 'SUPPORTS A.5.2'],
    ['PR.AA-2', 'PARTLY_COVERED_BY A.5.15'],
    ['PR.AA-10', 'EQUIVALENT A.5.15'],
  ]);
  const position = await newest(register);
  await unlink(register, iso.ids['A.5.2']!, csf.ids['GV.RM-01']!);
  await relate(register, iso.ids['A.5.15']!, csf.ids['PR.AA-2']!, 'SUPPORTS');
  assert.equal(await sharedControls(register, withCsf), [['A.5.15', 'SUPPORTS PR.AA-2', 'EQUIVALENT PR.AA-10']]);
  assert.equal(await sharedControls(register, withCsf, { as_of: position }), shared, 'as of before');
  await assertRebuilt(register);
  const plain = await list(register, { framework_id: [iso.framework] });
  assert.not(plain.some((control) => 'linked_controls' in control));
});

test('archived controls and frameworks share nothing, unless archived ones are asked for', async (context) => {
  const { register, iso, csf } = context;
  await relate(register, iso.ids['A.5.2']!, csf.ids['PR.AA-2']!, 'EQUIVALENT');
  await relate(register, iso.ids['A.5.10']!, csf.ids['PR.AA-10']!, 'EQUIVALENT');
  const archive = (ids: string[]) => ok(register, 'archiveRecords', { ids, action: 'ARCHIVE', reason: 'gone' });
  const { records } = (await archive([csf.ids['PR.AA-2']!])) as { records: { referred_by: number }[] };
  assert.is(records[0]!.referred_by, 2, 'the linked control, and its framework');
  const filter = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
  assert.equal(await sharedControls(register, filter), [['A.5.10', 'EQUIVALENT PR.AA-10']]);
  assert.equal(await linksOf(register, iso.ids['A.5.2']!), []);
  await archive([csf.framework]);
  assert.equal(await sharedControls(register, filter), []);
  assert.equal(await sharedControls(register, { ...filter, include_archived: true }), [
    ['A.5.2', 'EQUIVALENT PR.AA-2'],
    ['A.5.10', 'EQUIVALENT PR.AA-10'],
  ]);
});

test('another relation for six links needs a reason and the selection of its dry run, new links do not', async (context) => {
  const { register, iso, csf } = context;
  const pairs = Object.values(iso.ids).flatMap((from_id) =>
    Object.values(csf.ids).map((to_id) => ({ from_id, to_id })),
  );
  const withRelation = (relation: Relation, count = 6) => pairs.slice(0, count).map((pair) => ({ ...pair, relation }));
  const six = withRelation('SUPPORTS');
  const idempotency_key = 'new links';
  const keyed = { links: [...six, ...withRelation('EQUIVALENT', 9).slice(6)], idempotency_key };
  for (const time of ['new', 'again']) assert.ok(await ok(register, 'linkRecords', keyed), time);
  await ok(register, 'linkRecords', { links: withRelation('PARTLY', 5) });
  await ok(register, 'linkRecords', { links: withRelation('SUPPORTS', 5) });
  const links = withRelation('EQUIVALENT', 9);
  const reason = 'Compared again';
  const position = await newest(register);
  const withoutReason = await expectRefusal(register, 'linkRecords', { links });
  assert.equal([withoutReason.code, withoutReason.field], ['invalid_input', 'reason']);
  const unselected = await expectRefusal(register, 'linkRecords', { links, reason });
  assert.equal([unselected.code, unselected.field], ['invalid_input', 'selection']);
  assert.match(String(unselected.message), /^This call changes 6 records\./);
  const { selection } = await ok(register, 'linkRecords', { links, reason, dry_run: true });
  assert.is(await newest(register), position);
  const answer = await ok(register, 'linkRecords', { links, reason, selection });
  const results = (answer.links as { result: string }[]).map(({ result }) => result);
  assert.equal(results, [...Array(6).fill('CHANGED'), ...Array(3).fill('UNCHANGED')]);
});

test('relation alone finds all links of controls, and an unknown framework shares nothing', async (context) => {
  const { register, iso, csf } = context;
  await relate(register, iso.ids['A.5.2']!, csf.ids['PR.AA-2']!, 'SUPPORTS');
  await relate(register, iso.ids['A.5.2']!, iso.ids['A.5.10']!, 'EQUIVALENT');
  assert.equal(await sharedControls(register, { relation: ['SUPPORTS'] }), [
    ['A.5.2', 'SUPPORTS PR.AA-2'],
    ['PR.AA-2', 'SUPPORTED_BY A.5.2'],
  ]);
  assert.equal(
    await sharedControls(register, { relation: ['SUPPORTS', 'EQUIVALENT'], framework_id: [iso.framework] }),
    [
      ['A.5.2', 'EQUIVALENT A.5.10', 'SUPPORTS PR.AA-2'],
      ['A.5.10', 'EQUIVALENT A.5.2'],
    ],
  );
  assert.equal(await sharedControls(register, { relation: ['PARTLY'] }), []);
  const unknownId = csf.framework.replace(/.$/, '0').replace(/^frm_./, 'frm_3');
  assert.equal(await sharedControls(register, { linked_framework_id: [unknownId] }), []);
});

test('the file of a list has the linked controls, too', async (context) => {
  const { register, iso, csf } = context;
  await relate(register, iso.ids['A.5.2']!, csf.ids['PR.AA-2']!, 'SUPPORTS');
  const filter = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
  const input = { organization_id: ORGANIZATION, filter };
  const file = await openRecordFile(register.reader, familyQueryOfType('CONTROL'), callerAs('EDITOR'), input);
  const lines: Answer[] = [];
  for await (const batch of file.batches) lines.push(...(batch as Answer[]));
  assert.equal(lines, await list(register, filter, { view: 'FULL' }));
  assert.equal(lines[0]!.linked_controls, [{ section_title: 'PR.AA-2', relation: 'SUPPORTS' }]);
});

test('a VIEWER sees relations, today’s and those of the past', async (context) => {
  const { register, iso, csf } = context;
  await relate(register, iso.ids['A.5.2']!, csf.ids['PR.AA-2']!, 'EQUIVALENT');
  const filter = { linked_framework_id: [csf.framework] };
  const input = { organization_id: ORGANIZATION, filter };
  const viewer = callerAs('VIEWER');
  const { controls } = (await register.call('listControls', input, viewer)) as { controls: Answer[] };
  assert.equal(controls[0]!.linked_controls, [{ section_title: 'PR.AA-2', relation: 'EQUIVALENT' }]);
  assert.equal((await register.call('listControls', { ...input, as_of: '1' }, viewer)).controls, []);
  const links = [{ from_id: iso.ids['A.5.2'], to_id: csf.ids['PR.AA-2'], relation: 'PARTLY' }];
  const written = await register.call('linkRecords', { links }, viewer);
  assert.is((written.error as { code: string }).code, 'forbidden');
});

test.run();
