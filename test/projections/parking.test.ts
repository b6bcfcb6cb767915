import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TrailEvent } from '../../src/trail/event.ts';
import { type EventsWanted, makeEvents } from '../support/events.ts';
import { type Answer, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { until } from '../support/wait.ts';

interface Context {
  register: TestRegister;
  /** A vendor with two events. */
  vendor: string;
}

const test = suite<Context>('an event that cannot be digested');

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

/** Writes an event straight into the log, as a newer version might. */
async function write({ stores }: TestRegister, stream: string, wanted: EventsWanted): Promise<TrailEvent> {
  const after = (await stores.events.readStream(stream)).at(-1);
  const [event] = makeEvents(stream, { ...wanted, after, metadata: { organization_id: ORGANIZATION } });
  await stores.events.append(stream, [event!], after?.revision ?? -1);
  return event!;
}

function parked({ projections }: TestRegister, count: number): Promise<boolean> {
  const { runner } = projections;
  return until(() => runner.checkpoint(ORGANIZATION)?.parked === count, 5_000, `${count} events are parked`);
}

async function read<T = Answer>({ call }: TestRegister, id: string, more: object = {}): Promise<T> {
  const { records } = await call<{ records: T[] }>('getRecords', { ids: [id], ...more });
  return records[0]!;
}

test('is parked with all later ones of its record, which stays as it was and says so', async ({ register, vendor }) => {
  const before = await read(register, vendor);
  await write(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await parked(register, 1);
  assert.equal(await read(register, vendor), { ...before, stale: true });
  await write(register, `vendor-${vendor}`, { type: 'VendorDetailsChanged', data: { changes: { country: 'LV' } } });
  await parked(register, 2);
  assert.equal(await read(register, vendor), { ...before, stale: true });
  assert.is((register.projections.state() as { parked_events: number }).parked_events, 2);
});

test('stops nothing else', async ({ register, vendor }) => {
  const other = await addVendor(register, 'Before');
  await write(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await write(register, 'ghost-gho_1', { type: 'GhostSeen' });
  await parked(register, 2);
  const renamed = await register.call('updateVendor', { id: other, name: 'After' });
  assert.is(renamed.position, '8');
  assert.is((await read(register, other)).name, 'After');
  assert.not('stale' in (await read(register, other)));
  assert.ok(await addVendor(register, 'New'));
});

test('takes no write to its record, which is our error', async ({ register, vendor }) => {
  await write(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await parked(register, 1);
  const { error } = await register.call<{ error: { code: string } }>('updateVendor', { id: vendor, name: 'X' });
  assert.is(error.code, 'internal');
});

test('makes every list and count say that it is incomplete', async ({ register, vendor }) => {
  const organization_id = ORGANIZATION;
  const lists = ['listVendors', 'listRisks', 'listChanges'];
  for (const tool of lists) {
    assert.not('incomplete' in (await register.call(tool, { organization_id })), tool);
  }
  await write(register, `vendor-${vendor}`, { type: 'VendorImagined' });
  await parked(register, 1);
  for (const tool of lists) {
    assert.is((await register.call(tool, { organization_id })).incomplete, true, tool);
    assert.is((await register.call(tool, { organization_id, view: 'COUNT' })).incomplete, true, `${tool} COUNT`);
  }
  assert.is((await register.call('getRecords', { ids: [vendor] })).incomplete, true);
});

test('is a line of changes without content, and the past before it stays as it was', async ({ register, vendor }) => {
  const event = await write(register, `vendor-${vendor}`, { type: 'VendorImagined', data: { country: 'LV' } });
  await parked(register, 1);
  const { changes } = await register.call<{ changes: Answer[] }>('listChanges', {
    organization_id: ORGANIZATION,
    size: 1,
  });
  const [change] = changes;
  assert.equal([change!.event_type, change!.position, change!.stale], ['VendorImagined', '5', true]);
  assert.equal(change!.changes, []);
  assert.is((change!.record as { name: string }).name, 'Unicloud');
  assert.is(change!.recorded_at, event.metadata.recorded_at);
  const then = await read(register, vendor, { as_of: '4', organization_id: ORGANIZATION });
  assert.equal([then.country, then.stale], ['EE', undefined]);
  assert.is((await read(register, vendor, { as_of: '5', organization_id: ORGANIZATION })).stale, true);
});

test('may be of any kind', async ({ register, vendor }) => {
  const unknown: [stream: string, wanted: EventsWanted][] = [
    ['vendor-vnd_first', { type: 'VendorImagined' }],
    ['risk-rsk_headless', { type: 'RiskClosed', data: { reason: 'nothing was begun' } }],
    ['vendor-vnd_later', { type: 'VendorAdded', data: { name: 'Later' }, schemaVersion: 2 }],
    ['risk-rsk_wrong', { type: 'RiskAdded', data: { name: 5 } }],
    [`vendor-${vendor}`, { type: 'VendorDetailsChanged', data: { changes: { name: { odd: true } } } }],
    ['ghost', { type: 'GhostSeen' }],
  ];
  for (const [stream, wanted] of unknown) await write(register, stream, wanted);
  await parked(register, unknown.length);
  const { vendors } = await register.call<{ vendors: Answer[] }>('listVendors', { organization_id: ORGANIZATION });
  assert.equal(
    vendors.map(({ id, name }) => [id, name]),
    [[vendor, 'Unicloud']],
  );
  assert.is((await read(register, vendor)).stale, true);
  assert.ok(await addVendor(register, 'New'));
});

test.run();
