/** Guards against a restricted credential: crosswalks, races and undos, and effects that are the same each time. */
import { setImmediate } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { recordAggregate } from '../../../src/commands/families.ts';
import type { Autonomy } from '../../../src/register/proposal.ts';
import { adopt, ok } from '../../support/controls.ts';
import { runImport, suppliers } from '../../support/mcp/imports.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('guards of proposals', 'EACH');

const assistant = (autonomy: Autonomy) => callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, autonomy]]) });
const person = callerAs();

interface Pending extends Answer {
  pending_approval?: {
    proposal_id: string;
    changes?: { record_id: string; field: string; from: string; to: string }[];
  };
  error?: { code: string; message: string };
}

const numbersOf = (count: number) => Array.from({ length: count }, (_, index) => `C${index + 1}`);

/** Two frameworks with linked controls, and the rows that make their links EQUIVALENT. */
async function linkedFrameworks(register: TestRegister, count: number) {
  const numbers = numbersOf(count);
  const [one, other] = [await adopt(register, 'One', numbers), await adopt(register, 'Other', numbers)];
  const links = numbers.map((number) => ({ from_id: one.ids[number], to_id: other.ids[number], relation: 'SUPPORTS' }));
  await ok(register, 'linkRecords', { links, action: 'LINK', reason: 'Found out' });
  const rows = numbers.map((number) => ({
    from_control: number,
    to_control: number,
    relation: 'EQUIVALENT',
    from_framework: one.framework,
    to_framework: other.framework,
  }));
  return { rows, ids: numbers.map((number) => one.ids[number]!) };
}

async function importCrosswalk(register: TestRegister, rows: object[], autonomy: Autonomy) {
  const call = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows, reason: 'Compared' };
  const { selection } = await ok(register, 'importRecords', { ...call, dry_run: true });
  const confirmed = { ...call, ...(selection === undefined ? {} : { selection }) };
  return register.call<Pending>('importRecords', confirmed, assistant(autonomy));
}

test('a proposed crosswalk shows the relation of each pair before and after', async ({ register }) => {
  const { rows, ids } = await linkedFrameworks(register, 2);
  const { pending_approval } = await importCrosswalk(register, rows, 'PROPOSE_ONLY');
  assert.equal(
    pending_approval!.changes!.map(({ record_id, field, from, to }) => [record_id, field, from, to]),
    ids.map((id) => [id, 'relation', 'SUPPORTS', 'EQUIVALENT']),
  );
  const { seen, isChanged } = await register.proposals.preview(pending_approval!.proposal_id, person);
  assert.is(isChanged, false);
  const { done } = await register.proposals.approve(pending_approval!.proposal_id, person, { seen });
  assert.is(done, 1);
});

test('a crosswalk that changes more than five links is a decision, and one that changes five is not', async ({
  register,
}) => {
  const { rows } = await linkedFrameworks(register, 6);
  const six = await importCrosswalk(register, rows, 'DECISIONS_PROPOSED');
  assert.ok(six.pending_approval, JSON.stringify(six));
  const five = await importCrosswalk(register, rows.slice(1), 'DECISIONS_PROPOSED');
  assert.is(five.created, 5, JSON.stringify(five));
});

test('what a rehearsal did not foresee is not written without a person', async ({ register }) => {
  const { vendor } = await ok<{ vendor: { id: string } }>(register, 'addVendor', {
    organization_id: ORGANIZATION,
    name: 'Redpoll',
  });
  const execute = (command: object, autonomy: Autonomy) =>
    register.handler
      .execute(recordAggregate(vendor.id), command, envelopeFor({ autonomy }))
      .then(({ event_types }) => event_types)
      .catch(({ code, message }) => [code, message]);
  const meanwhile = ['conflict', 'Somebody changed this meanwhile, so it needs a person. Repeat the call.'];
  const update = { type: 'UpdateVendor', changes: { country: 'FR' } };
  const archive = { type: 'Archive', reason: 'Gone' };
  assert.equal(await execute(update, 'PROPOSE_ONLY'), meanwhile);
  assert.equal(await execute(archive, 'DECISIONS_PROPOSED'), meanwhile);
  assert.equal(await execute(update, 'DECISIONS_PROPOSED'), ['VendorDetailsChanged']);
  assert.equal(await execute(update, 'PROPOSE_ONLY'), [], 'nothing to change');
});

test('an undo that only unlinks is a decision', async ({ register }) => {
  const add = async (tool: string, type: string, fields: object) =>
    (await ok<Record<string, { id: string }>>(register, tool, { organization_id: ORGANIZATION, ...fields }))[type]!.id;
  const from_id = await add('addRisk', 'risk', { name: 'Fire' });
  const to_id = await add('addVendor', 'vendor', { name: 'Redpoll' });
  const { call_id } = await ok(register, 'linkRecords', { links: [{ from_id, to_id }], action: 'LINK' });
  const undo = { organization_id: ORGANIZATION, undo: { call_id }, reason: 'Wrong' };
  const answer = await register.call<Pending>('importRecords', undo, assistant('DECISIONS_PROPOSED'));
  assert.ok(answer.pending_approval, JSON.stringify(answer));
});

test('an obligation that is added as met is a decision', async ({ register }) => {
  const add = (fields: object) =>
    register.call<Pending>(
      'addObligation',
      { organization_id: ORGANIZATION, requirement: 'Report incidents', source: 'NIS2', ...fields },
      assistant('DECISIONS_PROPOSED'),
    );
  const met = await add({ status: 'COMPLIANT' });
  assert.ok(met.pending_approval, JSON.stringify(met));
  assert.not((await add({})).pending_approval);
});

test('the effects of a call on many are the same in whatever order their records are read', async ({ register }) => {
  const ids = (await runImport(register, 'VENDOR', suppliers(7))).rows.map(({ id }) => id!);
  const call = { ids, action: 'ARCHIVE', reason: 'Gone' };
  const { selection } = await ok(register, 'archiveRecords', { ...call, dry_run: true });
  const { pending_approval } = await register.call<Pending>(
    'archiveRecords',
    { ...call, selection },
    assistant('PROPOSE_ONLY'),
  );
  const { events } = register.stores;
  const readStream = events.readStream.bind(events);
  const seen = new Set<string>();
  for (const order of [ids, [...ids].reverse()]) {
    events.readStream = async (stream, ...range) => {
      const turns = order.findIndex((id) => stream.endsWith(id)) + 1;
      for (let turn = 0; turn < turns * 3; turn += 1) await setImmediate();
      return readStream(stream, ...range);
    };
    const preview = await register.proposals.preview(pending_approval!.proposal_id, person);
    assert.is(preview.isChanged, false);
    seen.add(preview.seen);
  }
  assert.is(seen.size, 1);
});

test.run();
