import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyStoredEvent } from '../../src/commands/engine/stream-state.ts';
import { FAMILIES } from '../../src/commands/families.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { adopt, ok } from '../support/controls.ts';
import { type EventOptions, makeEvents } from '../support/histories/events.ts';
import { type Answer, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { until } from '../support/run/wait.ts';

interface Context {
  register: TestRegister;
  /** A vendor with two events. */
  vendor: string;
}

const test = suite<Context>('an event that cannot be applied');

test.before.each(async (context) => {
  context.register = await startRegister();
  context.vendor = await addVendor(context.register, 'Unicloud');
  await context.register.call('updateVendor', { id: context.vendor, country: 'EE' });
});

test.after.each(async ({ register }) => register.stop());

async function addVendor({ call }: TestRegister, name: string): Promise<string> {
  const { vendor } = await call<{ vendor: { id: string } }>('addVendor', { organization_id: ORGANIZATION, name });
  return vendor.id;
}

/** Appends an event directly to the log, as a newer version might. */
async function appendEvent({ stores }: TestRegister, stream: string, options: EventOptions): Promise<TrailEvent> {
  const after = (await stores.events.readStream(stream)).at(-1);
  const [event] = makeEvents(stream, { ...options, after, metadata: { organization_id: ORGANIZATION } });
  await stores.events.append(stream, [event!], after?.revision ?? -1);
  return event!;
}

function waitUntilParked({ projections }: TestRegister, count: number): Promise<boolean> {
  const { progress: runner } = projections;
  return until(() => runner.checkpoint(ORGANIZATION)?.parked === count, 5_000, `${count} events are parked`);
}

async function read<T = Answer>({ call }: TestRegister, id: string, options: object = {}): Promise<T> {
  const { records } = await call<{ records: T[] }>('getRecords', { ids: [id], ...options });
  return records[0]!;
}

test('is parked, like later events of its record, which keeps its state and is marked stale', async ({
  register,
  vendor,
}) => {
  const before = await read(register, vendor);
  await appendEvent(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await waitUntilParked(register, 1);
  assert.equal(await read(register, vendor), { ...before, stale: true });
  await appendEvent(register, `vendor-${vendor}`, {
    type: 'VendorDetailsChanged',
    data: { changes: { country: 'LV' } },
  });
  await waitUntilParked(register, 2);
  assert.equal(await read(register, vendor), { ...before, stale: true });
  assert.is((register.projections.state() as { parked_events: number }).parked_events, 2);
});

test('stops no other events', async ({ register, vendor }) => {
  const other = await addVendor(register, 'Before');
  await appendEvent(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await appendEvent(register, 'ghost-gho_1', { type: 'GhostSeen' });
  await waitUntilParked(register, 2);
  const renamed = await register.call('updateVendor', { id: other, name: 'After' });
  assert.is(renamed.position, '8');
  assert.is((await read(register, other)).name, 'After');
  assert.not('stale' in (await read(register, other)));
  assert.ok(await addVendor(register, 'New'));
});

test('makes writes to its record fail as an internal error', async ({ register, vendor }) => {
  await appendEvent(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await waitUntilParked(register, 1);
  const { error } = await register.call<{ error: { code: string } }>('updateVendor', { id: vendor, name: 'X' });
  assert.is(error.code, 'internal');
});

async function add({ call }: TestRegister, title: string, fields: object): Promise<string> {
  const answer = await call(`add${title}`, { organization_id: ORGANIZATION, ...fields });
  assert.not('error' in answer, JSON.stringify(answer));
  return (answer[title.toLowerCase()] as { id: string }).id;
}

async function link({ call }: TestRegister, pairs: [from_id: string, to_id: string][], action = 'LINK'): Promise<void> {
  const links = pairs.map(([from_id, to_id]) => ({ from_id, to_id }));
  const answer = await call('linkRecords', { links, action });
  assert.not('error' in answer, JSON.stringify(answer));
}

/** Returns the names of the stale records among these. */
async function staleOf(register: TestRegister, ids: Record<string, string>, options: object = {}): Promise<string[]> {
  const { records } = await register.call<{ records: Answer[] }>('getRecords', { ids: Object.values(ids), ...options });
  assert.is(records.length, Object.keys(ids).length);
  return Object.keys(ids).filter((name) => records.find(({ id }) => id === ids[name])!.stale);
}

/** Adds a framework with two controls, two measures, a risk, an audit and evidence, and links them. */
async function addMany(register: TestRegister) {
  const controls = ['A.1', 'A.2'].map((section_title) => ({ section_title, name: section_title }));
  const framework = await add(register, 'Framework', { name: 'Own', controls });
  const list = await register.call<{ controls: { id: string }[] }>('listControls', { organization_id: ORGANIZATION });
  const [control, control2] = list.controls.map(({ id }) => id) as [string, string];
  const [measure, measure2] = [
    await add(register, 'Measure', { name: '1' }),
    await add(register, 'Measure', { name: '2' }),
  ];
  const risk = await add(register, 'Risk', { name: 'Flood' });
  const audit = await add(register, 'Audit', { name: 'First', framework_id: framework });
  await link(register, [
    [control, measure],
    [control, measure2],
    [control2, measure2],
    [risk, measure],
  ]);
  const evidence = await add(register, 'Evidence', { name: 'Seen', text: 'It is.', record_ids: [risk, audit] });
  return { framework, control, control2, measure, measure2, risk, audit, evidence };
}

test('makes records stale that count its record, and no others', async ({ register }) => {
  const ids = await addMany(register);
  assert.equal(await staleOf(register, ids), []);
  await appendEvent(register, `measure-${ids.measure}`, { type: 'MeasureImagined' });
  await waitUntilParked(register, 1);
  assert.equal(await staleOf(register, ids), ['framework', 'control', 'measure', 'risk']);
  await register.call('updateMeasure', { id: ids.measure2, state: 'IMPLEMENTED', reason: 'Found out' });
  assert.is((await read(register, ids.control2)).implementation, 'FULL');
  assert.equal([(await read(register, ids.framework)).coverage], [0.5], 'other counts are still updated');
});

test('makes a record stale only until the two are unlinked', async ({ register }) => {
  const ids = await addMany(register);
  await appendEvent(register, `evidence-${ids.evidence}`, { type: 'EvidenceImagined' });
  await waitUntilParked(register, 1);
  assert.equal(await staleOf(register, ids), ['risk', 'audit', 'evidence']);
  await appendEvent(register, `link-${[ids.evidence, ids.risk].sort().join('-')}`, {
    type: 'RecordsUnlinked',
    data: { ids: [ids.evidence, ids.risk].sort() },
  });
  await register.call('updateRisk', { id: ids.risk, name: 'Flood again' });
  assert.equal(await staleOf(register, ids), ['audit', 'evidence']);
});

test('of a framework makes its controls stale, and the records that count them', async ({ register }) => {
  const ids = await addMany(register);
  await appendEvent(register, `framework-${ids.framework}`, { type: 'FrameworkImagined' });
  await waitUntilParked(register, 1);
  const stale = ['framework', 'control', 'control2', 'measure', 'measure2'];
  assert.equal(await staleOf(register, ids), stale);
  const { changes } = await register.call<{ changes: Answer[] }>('listChanges', {
    organization_id: ORGANIZATION,
    size: 1,
  });
  const before = String(Number(changes[0]!.position) - 1);
  assert.equal(await staleOf(register, ids, { as_of: before, organization_id: ORGANIZATION }), []);
});

test('of a link is a change of both its records, and can be read as of its position', async ({ register }) => {
  const ids = await addMany(register);
  await appendEvent(register, `link-${[ids.control2, ids.risk].sort().join('-')}`, { type: 'RecordsImagined' });
  await waitUntilParked(register, 1);
  assert.equal(await staleOf(register, ids), ['framework', 'control2', 'risk']);
  const { changes } = await register.call<{ changes: Answer[] }>('listChanges', {
    organization_id: ORGANIZATION,
    filter: { record_id: [ids.risk] },
    size: 1,
  });
  const [change] = changes;
  assert.equal([change!.event_type, change!.stale, change!.changes], ['RecordsImagined', true, []]);
  assert.is((change!.linked as { id: string }).id, ids.control2);
  const pastRead = { as_of: String(change!.position), organization_id: ORGANIZATION };
  assert.equal(await staleOf(register, ids, pastRead), ['framework', 'control2', 'risk']);
});

test('marks every list and count as incomplete', async ({ register, vendor }) => {
  const organization_id = ORGANIZATION;
  const lists = ['listVendors', 'listRisks', 'listChanges'];
  for (const tool of lists) {
    assert.not('incomplete' in (await register.call(tool, { organization_id })), tool);
  }
  await appendEvent(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await waitUntilParked(register, 1);
  for (const tool of lists) {
    assert.is((await register.call(tool, { organization_id })).incomplete, true, tool);
    assert.is((await register.call(tool, { organization_id, view: 'COUNT' })).incomplete, true, `${tool} COUNT`);
  }
  assert.is((await register.call('getRecords', { ids: [vendor] })).incomplete, true);
});

test('is a change without content, and earlier versions stay as they were', async ({ register, vendor }) => {
  const event = await appendEvent(register, `vendor-${vendor}`, { type: 'VendorImagined', data: { country: 'LV' } });
  await waitUntilParked(register, 1);
  const { changes } = await register.call<{ changes: Answer[] }>('listChanges', {
    organization_id: ORGANIZATION,
    size: 1,
  });
  const [change] = changes;
  assert.equal([change!.event_type, change!.position, change!.stale], ['VendorImagined', '5', true]);
  assert.equal(change!.changes, []);
  assert.is((change!.record as { name: string }).name, 'Unicloud');
  assert.is(change!.recorded_at, event.metadata.recorded_at);
  const pastRecord = await read(register, vendor, { as_of: '4', organization_id: ORGANIZATION });
  assert.equal([pastRecord.country, pastRecord.stale], ['EE', undefined]);
  assert.is((await read(register, vendor, { as_of: '5', organization_id: ORGANIZATION })).stale, true);
});

test('has a type that its family does not define', () => {
  for (const family of Object.values(FAMILIES)) {
    const stream = `${family.singular}-${family.prefix}_1`;
    const initialState = { name: 'Begun', archived_at: null };
    const [event] = makeEvents(stream, { type: `${family.title}Imagined`, data: { name: 'Imagined' } });
    assert.throws(() => applyStoredEvent(family, initialState, event!), /is not known to this version/, family.type);
  }
});

const PAIR = { from_id: 'ctl_a', to_id: 'ctl_b', relation: 'EQUIVALENT' };

test('a crosswalk of a newer version makes its frameworks stale, and its links stay as they were', async ({
  register,
}) => {
  const [one, other] = [await adopt(register, 'One', ['A.1']), await adopt(register, 'Other', ['B.1'])];
  const row = { from_control: 'A.1', to_control: 'B.1', relation: 'SUPPORTS' };
  await ok(register, 'importRecords', { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: [row] });
  const framework_ids = [one.framework, other.framework].sort();
  const pair = { from_id: one.ids['A.1'], to_id: other.ids['B.1'], relation: 'PARTLY' };
  const stream = `crosswalk-${framework_ids.join('-')}`;
  await appendEvent(register, stream, {
    type: 'CrosswalkImported',
    data: { framework_ids, pairs: [pair] },
    schemaVersion: 2,
  });
  await waitUntilParked(register, 1);
  for (const id of framework_ids) assert.is((await read(register, id)).stale, true);
  const filter = { linked_framework_id: [other.framework] };
  const input = { organization_id: ORGANIZATION, filter };
  const { controls, incomplete } = await ok<{ controls: Answer[]; incomplete: true }>(register, 'listControls', input);
  assert.equal([controls[0]!.linked_controls, incomplete], [[{ section_title: 'B.1', relation: 'SUPPORTS' }], true]);
  const { verification } = await ok<{ verification: Answer }>(register, 'listChanges', {
    ...{ organization_id: ORGANIZATION, verify: true },
  });
  assert.equal([verification.verdict, verification.faults], ['VALID', []]);
});

test('is parked for an unknown type or stream, a newer schema version, or invalid data', async ({
  register,
  vendor,
}) => {
  const unknown: [stream: string, wanted: EventOptions][] = [
    ['vendor-vnd_first', { type: 'VendorImagined' }],
    ['risk-rsk_headless', { type: 'RiskClosed', data: { reason: 'never added' } }],
    ['vendor-vnd_later', { type: 'VendorAdded', data: { name: 'Later' }, schemaVersion: 3 }],
    ['risk-rsk_wrong', { type: 'RiskAdded', data: { name: 5 } }],
    [`vendor-${vendor}`, { type: 'VendorDetailsChanged', data: { changes: { name: { odd: true } } } }],
    ['ghost', { type: 'GhostSeen' }],
    ['link-nowhere', { type: 'RecordsLinked', data: { ids: ['nowhere'] } }],
    ['crosswalk-nowhere', { type: 'CrosswalkImported', data: { framework_ids: [], pairs: [] } }],
    [
      'crosswalk-frm_a-frm_b',
      { type: 'CrosswalkImported', data: { framework_ids: ['frm_a', 'frm_b'], pairs: [PAIR] } },
    ],
    ['link-rsk_a-vnd_b', { type: 'RecordsLinked', data: { ids: ['rsk_a', 'vnd_b'] } }],
  ];
  for (const [stream, wanted] of unknown) await appendEvent(register, stream, wanted);
  await waitUntilParked(register, unknown.length);
  const { vendors } = await register.call<{ vendors: Answer[] }>('listVendors', { organization_id: ORGANIZATION });
  assert.equal(
    vendors.map(({ id, name }) => [id, name]),
    [[vendor, 'Unicloud']],
  );
  assert.is((await read(register, vendor)).stale, true);
  assert.ok(await addVendor(register, 'New'));
});

test.run();
