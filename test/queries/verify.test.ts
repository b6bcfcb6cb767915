import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { type Sealing, sealing } from '../support/trail/sealing.ts';
import { withLog, withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql, alteredChange, type Fault, verifyChanges } from '../support/trail/verify-changes.ts';

interface Told {
  register: TestRegister;
  sealer: Sealing;
  ids: Record<'vendor' | 'risk' | 'measure' | 'evidence' | 'framework' | 'control' | 'audit' | 'finding', string>;
  /** The positions of events, by type. */
  at: Record<string, number>;
}

const test = suite<Told>('verify');

/** Adds every family, links in both directions, a framework that is archived and restored, and a review. */
test.before(async (context) => {
  const register = await startRegister();
  const sealer = sealing(register);
  const ok = async <T extends object>(tool: string, args: object): Promise<T> => {
    const answer = await register.call<T>(tool, args);
    assert.not.ok('error' in answer, JSON.stringify(answer));
    return answer;
  };
  const add = async (tool: string, name: string, input: object) => {
    const answer = await ok<Record<string, { id: string }>>(tool, {
      organization_id: ORGANIZATION,
      ...input,
    });
    return answer[name]!.id;
  };
  const vendor = await add('addVendor', 'vendor', { name: 'Hosting', criticality: 'HIGH', reason: 'We buy it' });
  const risk = await add('addRisk', 'risk', {
    name: 'Fire',
    reference_id: 'R-1',
    inherent_likelihood: 3,
    inherent_impact: 4,
  });
  const measure = await add('addMeasure', 'measure', { name: 'Backups' });
  await ok('addObligation', { organization_id: ORGANIZATION, requirement: 'Keep logs' });
  const controls = [
    { section_title: 'A.1', name: 'Policies' },
    { section_title: 'A.2', name: 'Roles' },
  ];
  const framework = await add('addFramework', 'framework', { name: 'Own', controls });
  const controlList = await ok<{ controls: { id: string }[] }>('listControls', { organization_id: ORGANIZATION });
  const control = controlList.controls[0]!.id;
  await ok('updateControl', { id: control, description: 'Written down', reason: 'It was missing' });
  const links = [
    { from_id: risk, to_id: measure },
    { from_id: control, to_id: measure },
    { from_id: risk, to_id: vendor },
  ];
  await ok('linkRecords', { links });
  await ok('updateVendor', { id: vendor, name: 'Hosting in Riga', reason: 'It moved' });
  await ok('linkRecords', { links: links.slice(2), action: 'UNLINK', reason: 'By mistake' });
  await ok('reviewVendor', { id: vendor, outcome: 'APPROVED', findings: 'None' });
  const evidence = await add('addEvidence', 'evidence', { name: 'Log', text: 'ok', record_ids: [measure, vendor] });
  const audit = await add('addAudit', 'audit', { name: 'First', framework_id: framework });
  await ok('updateAudit', { id: audit, state: 'COMPLETED', reason: 'Found out' });
  const finding = await add('addNonconformity', 'nonconformity', { description: 'Late', audit_id: audit });
  await sealer.waitAndSeal(61_000);
  await ok('archiveRecords', { ids: [control], action: 'ARCHIVE', reason: 'Not ours' });
  await ok('archiveRecords', { ids: [framework], action: 'ARCHIVE', reason: 'Old' });
  await ok('archiveRecords', { ids: [framework], action: 'RESTORE', reason: 'Not old' });
  await ok('archiveRecords', { ids: [control], action: 'RESTORE', reason: 'Ours' });
  await ok('updateRisk', { id: risk, owner_id: 'ME', note: 'Mine' });
  context.register = register;
  context.sealer = sealer;
  context.ids = { vendor, risk, measure, evidence, framework, control, audit, finding };
  const { changes } = await verifyChanges(register, { size: 100 });
  context.at = Object.fromEntries(changes!.map(({ event_type, position }) => [event_type, Number(position)]));
});

test.after(({ register }) => register.stop());

async function faultsWith(register: TestRegister, statements: string[], input: object = {}): Promise<Fault[]> {
  const { verification } = await withReadModels(register.folder, statements, () => verifyChanges(register, input));
  assert.is(verification.verdict, verification.faults.length === 0 ? 'VALID' : 'INVALID');
  return verification.faults;
}

const faultRows = (faults: Fault[]) => faults.map(({ why, position, differs }) => [why, position, ...(differs ?? [])]);

test('verify finds every family’s changes valid, all together and record by record', async ({ register, ids }) => {
  const all = await verifyChanges(register, { size: 1 });
  assert.equal([all.verification.verdict, all.verification.faults, all.changes!.length], ['VALID', [], 1]);
  assert.equal([all.verification.complete, all.verification.covered_from], [true, '1']);
  const count = await verifyChanges(register, { view: 'COUNT' });
  assert.equal(count.verification, { ...all.verification, inclusion: [] });
  assert.ok(count.total! > 20);
  for (const [name, id] of Object.entries({ ...ids, organization: ORGANIZATION })) {
    const { verification, changes } = await verifyChanges(register, { filter: { record_id: [id] } });
    assert.equal([verification.verdict, verification.faults], ['VALID', []], name);
    assert.ok(changes!.length > 0, name);
  }
});

test('verify names the fields in which a change differs from its event', async ({ register, at, ids }) => {
  const reviewed = at.VendorReviewed!;
  for (const [member, value] of [
    ['actor_id', "'acc_forged'"],
    ['token_id', "'tok_forged'"],
    ['reason', "'forged'"],
    ['recorded_at', "'2020-01-01T00:00:00.000Z'"],
    ['effective_at', "'2020-01-01T00:00:00.000Z'"],
    ['client', `json('{"name":"forged","version":"1"}')`],
    ['record.name', "'forged'"],
    ['record.type', "'RISK'"],
    ['event_type', "'VendorArchived'"],
    ['revision', '99'],
    ['hash', "'00'"],
    ['stale', "json('true')"],
  ] as const) {
    for (const filter of [{}, { record_id: [ids.vendor] }]) {
      const faults = await faultsWith(register, [alterChangeSql(member, value, reviewed)], { filter });
      assert.equal(faultRows(faults)[0], ['DIFFERS', String(reviewed), member]);
      if (member !== 'hash') assert.is(faults.length, 1, member);
    }
  }
  const changed = [
    alterChangeSql('changes[0].to', "'FORGED'", reviewed),
    alterChangeSql('changes[1].from', '1', reviewed),
  ];
  const [fault] = await faultsWith(register, changed, { size: 1, view: 'COUNT' });
  assert.equal([fault!.why, fault!.differs!.length], ['DIFFERS', 2]);
  assert.ok(fault!.differs!.every((name) => name.startsWith('changes.')));
  const linked = await faultsWith(register, [alterChangeSql('linked.name', "'forged'", at.RecordsLinked!)]);
  assert.equal(faultRows(linked), [['DIFFERS', String(at.RecordsLinked), 'linked.name']]);
  const otherFaults = await faultsWith(register, [alterChangeSql('event_id', "'00'", reviewed)]);
  assert.equal(faultRows(otherFaults), [['NOT_IN_LOG', String(reviewed)]]);
});

test('verify finds changes that are hidden from the list', async ({ register, at, ids }) => {
  const reviewed = at.VendorReviewed!;
  const drop = (condition = '') => `DELETE FROM changes_documents WHERE k_position = ${reviewed} ${condition}`;
  // Its hash is missing from the tree too, so no other event can be proved.
  assert.equal(faultRows(await faultsWith(register, [drop()]))[0], ['HIDDEN', String(reviewed)]);
  const ofRecord = await faultsWith(register, [drop()], { filter: { record_id: [ids.vendor] } });
  assert.ok(ofRecord.some(({ why, position }) => why === 'HIDDEN' && position === null));
  const rekey = (key: string, value: string, position = reviewed) =>
    `UPDATE changes_documents SET k_${key} = ${value} WHERE k_position = ${position} AND k_row_index = 0`;
  for (const [key, value, filter] of [
    ['actor_id', "'acc_forged'", { actor_id: ['ME'] }],
    ['event_type', "'VendorAdded'", { event_types: ['VendorReviewed'] }],
    ['record_type', "'RISK'", { record_types: ['VENDOR'] }],
    ['row_index', '7', {}],
    ['row_index', '-1', {}],
  ] as const) {
    const faults = await faultsWith(register, [rekey(key, value)], { filter });
    assert.equal(faultRows(faults), [['HIDDEN', String(reviewed)]], key);
  }
  const faultsOfOtherRecord = await faultsWith(register, [rekey('record_id', "'vnd_other'")], {
    filter: { record_id: [ids.vendor] },
  });
  assert.equal(
    faultsOfOtherRecord.map(({ why }) => why),
    ['HIDDEN'],
  );
  const deleteOneRow = `DELETE FROM changes_documents WHERE k_position = ${at.RecordsUnlinked} AND k_record_id = '${ids.vendor}'`;
  assert.equal(faultRows(await faultsWith(register, [deleteOneRow])), [['HIDDEN', String(at.RecordsUnlinked)]]);
  const ofVendor = await faultsWith(register, [deleteOneRow], { filter: { record_id: [ids.vendor] } });
  assert.equal(
    ofVendor.map(({ why }) => why),
    ['HIDDEN'],
  );
  const newest = 'DELETE FROM changes_documents WHERE k_position = (SELECT max(k_position) FROM changes_documents)';
  assert.is((await faultsWith(register, [newest]))[0]!.why, 'HIDDEN');
  assert.is((await faultsWith(register, [newest], { filter: { record_id: [ids.risk] } }))[0]!.why, 'HIDDEN');
});

test('verify finds changes without an event, and changes at a wrong position', async ({ register, at, ids }) => {
  const copy = (id: string, changes: string) =>
    `INSERT INTO changes_documents SELECT NULL, ${id}, organization, k_position, k_log_time, ${changes}, k_record_type,
      k_actor_id, k_token_id, k_call_id, k_event_type, k_revision, 1, k_fields, doc FROM changes_documents WHERE k_position = ${at.VendorReviewed}`;
  const faultsOfCopy = await faultsWith(register, [copy(`id || '~${ids.risk}'`, `'${ids.risk}'`)]);
  assert.equal(faultRows(faultsOfCopy), [['ADDED', String(at.VendorReviewed)]]);
  const ofRisk = await faultsWith(register, [copy(`id || '~${ids.risk}'`, `'${ids.risk}'`)], {
    filter: { record_id: [ids.risk] },
  });
  assert.equal(
    ofRisk.map(({ why }) => why),
    ['ADDED'],
  );
  const [a, b] = [at.MeasureAdded!, at.RiskAdded!];
  const id = (position: number) => `substr(id, 1, length(id) - 15) || printf('%015d', ${position})`;
  const movePosition = (from: number, to: number) =>
    `UPDATE changes_documents SET id = ${id(to)}, k_position = ${to}, doc = ${alteredChange('position', String(to))} WHERE k_position = ${from}`;
  const swap = [movePosition(a, 900), movePosition(b, a), movePosition(900, b)];
  assert.ok((await faultsWith(register, swap)).some(({ why }) => why === 'MISPLACED'));
  const faultsOfRecord = await faultsWith(register, swap, { filter: { record_id: [ids.risk] } });
  assert.ok(
    faultsOfRecord.some(({ why }) => why === 'MISPLACED'),
    'the seal names its position',
  );
});

test('verify finds events that were altered or erased in the log', async ({ register, at, ids }) => {
  const filter = { record_id: [ids.vendor] };
  const inLog = (sql: string) => withLog(register.folder, [sql], () => verifyChanges(register, { filter }));
  const [review] = (await verifyChanges(register, { filter: { event_types: ['VendorReviewed'] } })).changes!;
  const where = `WHERE id = '${review!.event_id}'`;
  const altered = await inLog(`UPDATE events SET data = json_set(data, '$.findings', 'forged') ${where}`);
  assert.equal(faultRows(altered.verification.faults), [['ALTERED', String(at.VendorReviewed)]]);
  const erased = await inLog(`UPDATE events SET data = '{}', metadata = json_set(metadata, '$.salt', '') ${where}`);
  assert.is(erased.verification.faults[0]!.why, 'DIFFERS', 'it still shows the erased data');
  assert.is(erased.verification.erased, 1);
  const dropped = await inLog(`DELETE FROM events ${where}`);
  assert.is(dropped.verification.verdict, 'INVALID');
});

test('verify names the position of an altered event, also behind later ones of its record', async ({
  register,
  at,
  ids,
}) => {
  const stream = (id: string, type: string) => `${type}-${id}`;
  const [link, seal] = [`link-${[ids.risk, ids.measure].sort().join('-')}`, `seal-${ORGANIZATION}`];
  for (const [name, revision, why, first] of [
    [stream(ids.vendor, 'vendor'), 0, 'ALTERED', at.VendorAdded],
    [stream(ids.vendor, 'vendor'), 1, 'ALTERED', at.VendorDetailsChanged],
    [stream(ids.risk, 'risk'), 0, 'ALTERED', at.RiskAdded],
    [stream(ORGANIZATION, 'organization'), 0, 'ALTERED', 1],
    [link, 0, 'ALTERED', null],
    [seal, 0, 'ALTERED', null],
  ] as const) {
    const alter = `UPDATE events SET data = json_set(data, '$.forged', 1) WHERE stream = '${name}' AND revision = ${revision}`;
    const { verification } = await withLog(register.folder, [alter], () => verifyChanges(register, {}));
    const fault = verification.faults.find((one) => one.why === why)!;
    assert.ok(fault, `${name}@${revision}: ${JSON.stringify(verification.faults)}`);
    assert.match(String(fault.position), /^[1-9]\d*$/, name);
    if (first !== null) assert.is(fault.position, String(first), name);
    if (name === seal) continue;
    const [change] = (await verifyChanges(register, { filter: { from: fault.position!, to: fault.position! } }))
      .changes!;
    assert.is(change!.event_id, fault.event_id, name);
  }
});

test('verify finds a seal that is not in the log', async ({ register }) => {
  const { verification } = await withReadModels(
    register.folder,
    [`UPDATE seals_documents SET doc = json_set(doc, '$.data.root', '${'0'.repeat(64)}') WHERE k_size IS NOT NULL`],
    () => verifyChanges(register),
  );
  assert.is(verification.verdict, 'INVALID');
  assert.ok(verification.faults.some(({ why }) => why === 'SEAL'));
  assert.not.ok(
    verification.faults.some(({ why }) => why === 'MISPLACED'),
    'a wrong seal says nothing about positions',
  );
  assert.match(String(verification.public_key), /^[A-Za-z0-9+/]{43}=$/);
});

test.run();
