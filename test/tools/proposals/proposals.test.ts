/** Calls that a credential may not make alone, and the decisions of people on them. */
import { rmSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { proposalAggregate } from '../../../src/commands/proposal.ts';
import type { Autonomy } from '../../../src/register/proposal.ts';
import { carriedOutOutput } from '../../../src/tools/schema/output.ts';
import { runImport, suppliers } from '../../support/mcp/imports.ts';
import {
  type Answer,
  callerAs,
  envelopeFor,
  ORGANIZATION,
  OWNER,
  startRegister,
  type TestRegister,
  temporaryFolder,
} from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';
import { wholeReport } from '../../support/reports.ts';

const test = registerSuite('proposals', 'EACH');

interface Pending extends Answer {
  pending_approval?: { proposal_id: string; expires_at: string; record_id?: string; changes?: object[] };
  error?: { code: string; message: string };
}

/** A credential of the OWNER that may do only so much without a person. */
const assistant = (autonomy: Autonomy) =>
  callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, autonomy]]), client: { name: 'claude', version: '1' } });
const person = callerAs();

async function propose(register: TestRegister, tool: string, input: object, autonomy: Autonomy = 'PROPOSE_ONLY') {
  const answer = await register.call<Pending>(tool, input, assistant(autonomy));
  assert.ok(answer.pending_approval, JSON.stringify(answer));
  return answer.pending_approval!.proposal_id;
}

async function approve(register: TestRegister, id: string) {
  const { seen, isChanged, refusal } = await register.proposals.preview(id, person);
  assert.is(refusal, null);
  return { isChanged, state: await register.proposals.approve(id, person, { seen }) };
}

async function names(register: TestRegister): Promise<string[]> {
  const { vendors } = await register.call<{ vendors: { name: string }[] }>('listVendors', {});
  return vendors.map(({ name }) => name).sort();
}

test('a proposal that a restarted service reads from the store has not changed', async () => {
  const folder = temporaryFolder();
  const first = await startRegister(folder);
  const id = await propose(first, 'addVendor', { organization_id: ORGANIZATION, name: 'Redpoll', country: 'NO' });
  await first.stop();
  const restarted = await startRegister(folder);
  assert.is((await restarted.proposals.preview(id, person)).isChanged, false);
  await restarted.stop();
  rmSync(folder, { recursive: true });
});

test('a credential that may only propose adds nothing, and an approval adds the record with the id it named', async ({
  register,
}) => {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll Legal', reason: 'Needed', owner_id: 'ME' };
  const { pending_approval } = await register.call<Pending>('addVendor', input, assistant('PROPOSE_ONLY'));
  assert.equal(await names(register), []);
  const { state, isChanged } = await approve(register, pending_approval!.proposal_id);
  assert.is(isChanged, false);
  assert.equal([state.state, state.done, state.refused], ['CARRIED_OUT', 1, []]);
  assert.equal(await names(register), ['Redpoll Legal']);
  const { records } = await register.call<{ records: { id: string; owner_id: string }[] }>('getRecords', {
    ids: [pending_approval!.record_id],
  });
  assert.is(records.length, 1);
});

test('a credential whose decisions are proposed adds a risk, and does not accept it', async ({ register }) => {
  const caller = assistant('DECISIONS_PROPOSED');
  const { risk } = await register.call<{ risk: { id: string } }>(
    'addRisk',
    { organization_id: ORGANIZATION, name: 'Fire', inherent_likelihood: 3, inherent_impact: 3 },
    caller,
  );
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const accept = { id: risk.id, decision: 'ACCEPT', until, reason: 'Too dear', approver_id: 'ME' };
  const id = await propose(register, 'decideRisk', accept, 'DECISIONS_PROPOSED');
  const statusOf = async () => {
    const { records } = await register.call<{ records: { status: string }[] }>('getRecords', { ids: [risk.id] });
    return records[0]!.status;
  };
  assert.is(await statusOf(), 'OPEN');
  await approve(register, id);
  assert.is(await statusOf(), 'ACCEPTED');
});

test('a repeat meets its own proposal: open, done, or declined with its reason', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll Legal', idempotency_key: 'k' };
  const id = await propose(register, 'addVendor', input);
  assert.is(await propose(register, 'addVendor', input), id);
  await approve(register, id);
  const done = await register.call<Answer>('addVendor', input, assistant('PROPOSE_ONLY'));
  assert.is(carriedOutOutput.safeParse(done).error, undefined);
  assert.equal(await names(register), ['Redpoll Legal']);
  const other = { ...input, name: 'Other', idempotency_key: 'k2' };
  await register.proposals.decline(await propose(register, 'addVendor', other), person, 'Not needed');
  const { error } = await register.call<Pending>('addVendor', other, assistant('PROPOSE_ONLY'));
  assert.is(error?.code, 'forbidden');
  assert.match(error!.message, 'Not needed');
});

test('a reason for declining holds no key and no hidden character', async ({ register }) => {
  const id = await propose(register, 'addVendor', { organization_id: ORGANIZATION, name: 'Redpoll' });
  for (const reason of [`ghp_${'aB3dE5'.repeat(6)}`, 'No\u202e', ' ', 'x'.repeat(1_001)]) {
    const refused = await register.proposals.decline(id, person, reason).catch((error) => error);
    assert.equal([refused.code, refused.more.field], ['invalid_input', 'reason'], reason);
  }
  await register.proposals.decline(id, person, ' Not needed ');
  const { records } = await register.call<{ records: { decision_reason: string }[] }>('getRecords', { ids: [id] });
  assert.is(records[0]!.decision_reason, 'Not needed');
});

test('an approval of what somebody changed since is refused until its person has seen what would happen now', async ({
  register,
}) => {
  const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', {
    organization_id: ORGANIZATION,
    name: 'Redpoll',
  });
  const id = await propose(register, 'updateVendor', { id: vendor.id, country: 'FR' });
  const before = await register.proposals.preview(id, person);
  await register.call('updateVendor', { id: vendor.id, country: 'DE' });
  const refused = await register.proposals.approve(id, person, before).catch((error) => error);
  assert.is(refused.code, 'conflict');
  const { isChanged } = await approve(register, id);
  assert.is(isChanged, true);
});

test('twice or by two people, an approval acts once', async ({ register }) => {
  const id = await propose(register, 'addVendor', { organization_id: ORGANIZATION, name: 'Redpoll' });
  const { seen } = await register.proposals.preview(id, person);
  const approvals = await Promise.all(
    [1, 2, 3].map(() => register.proposals.approve(id, person, { seen }).catch(String)),
  );
  assert.is(approvals.filter((approval) => typeof approval === 'string').length, 0, String(approvals));
  assert.equal(await names(register), ['Redpoll']);
});

test('a call on many is proposed with its selection, and approved as a whole', async ({ register }) => {
  const ids = (await runImport(register, 'VENDOR', suppliers(7))).rows.map(({ id }) => id!);
  const call = { ids, action: 'ARCHIVE', reason: 'Gone' };
  const caller = assistant('DECISIONS_PROPOSED');
  assert.is((await register.call<Pending>('archiveRecords', call, caller)).error?.code, 'invalid_input');
  const { selection } = await register.call<{ selection: string }>(
    'archiveRecords',
    { ...call, dry_run: true },
    caller,
  );
  const id = await propose(register, 'archiveRecords', { ...call, selection }, 'DECISIONS_PROPOSED');
  const { state } = await approve(register, id);
  assert.equal([state.done, state.refused], [7, []]);
  assert.equal(await names(register), []);
});

test('a call may name records that open proposals would add, and waits for them', async ({ register }) => {
  const added = async (tool: string, name: string) => {
    const input = { organization_id: ORGANIZATION, name, ...(tool === 'addRisk' ? { idempotency_key: 'k' } : {}) };
    return (await register.call<Pending>(tool, input, assistant('PROPOSE_ONLY'))).pending_approval!;
  };
  const [risk, measure] = [await added('addRisk', 'Fire'), await added('addMeasure', 'Doors')];
  const links = [{ from_id: risk.record_id, to_id: measure.record_id }];
  const { pending_approval } = await register.call<Pending>('linkRecords', { links }, assistant('PROPOSE_ONLY'));
  const { proposal_id, depends_on } = pending_approval as { proposal_id: string; depends_on?: string[] };
  assert.equal(depends_on, [risk.proposal_id, measure.proposal_id]);
  const { refusal, waitsFor } = await register.proposals.preview(proposal_id, person);
  assert.is(refusal?.code, 'not_found');
  assert.equal(
    waitsFor.map(({ id }) => id),
    [risk.proposal_id, measure.proposal_id],
  );
  for (const id of [risk.proposal_id, measure.proposal_id, proposal_id]) await approve(register, id);
  const { records } = await register.call<{ records: { measure_count: number }[] }>('getRecords', {
    ids: [risk.record_id],
  });
  assert.is(records[0]!.measure_count, 1);
  const unknown = { links: [{ from_id: `rsk_${'0'.repeat(26)}`, to_id: measure.record_id }] };
  const { error } = await register.call<Pending>('linkRecords', unknown, assistant('PROPOSE_ONLY'));
  assert.is(error?.code, 'not_found', 'a record that nobody proposed');
});

test('an event of a proposal holds no name or address of a person', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll', owner_id: 'Olivia Owner' };
  const id = await propose(register, 'addVendor', input);
  const { state } = await register.handler.load(proposalAggregate(id), true);
  assert.is(state!.input.owner_id, OWNER);
  const rows = [{ name: 'Old', status: 'APPROVED', last_reviewed: '2025-01-01', reviewed_by: 'J. Smith' }];
  const imported = { organization_id: ORGANIZATION, type: 'VENDOR', rows };
  const { error } = await register.call<Pending>('importRecords', imported, assistant('PROPOSE_ONLY'));
  assert.is(error?.code, 'invalid_input');
  assert.match(error!.message, /no member/);
});

test('one key does one thing, also while the autonomy changes', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll', idempotency_key: 'k' };
  await register.call('addVendor', input);
  const lowered = await register.call<Answer>('addVendor', input, assistant('PROPOSE_ONLY'));
  assert.is(lowered.repeated, true, JSON.stringify(lowered));
  const other = { ...input, name: 'Other', idempotency_key: 'k2' };
  await approve(register, await propose(register, 'addVendor', other));
  const raised = await register.call<Answer>('addVendor', other);
  assert.is(raised.repeated, true, JSON.stringify(raised));
  assert.equal(await names(register), ['Other', 'Redpoll']);
});

test('a repeat of an account without a role there is refused', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll', idempotency_key: 'k' };
  await propose(register, 'addVendor', input);
  const reader = callerAs('VIEWER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
  assert.is((await register.call<Pending>('addVendor', input, reader)).error?.code, 'forbidden');
});

test('an approval changes no record that came in since its person looked', async ({ register }) => {
  const [first, other] = (await runImport(register, 'VENDOR', suppliers(2))).rows;
  const filter = { ids: [first!.id!] };
  const call = { organization_id: ORGANIZATION, type: 'VENDOR', set: { country: 'FR' }, filter, reason: 'Moved' };
  const caller = assistant('PROPOSE_ONLY');
  const { selection } = await register.call<{ selection: string }>('importRecords', { ...call, dry_run: true }, caller);
  const id = await propose(register, 'importRecords', { ...call, selection });
  const streams = [`vendor-${other!.id}`];
  const approval = { type: 'ApproveProposal', streams, call_id: 'call', effects: [] } as const;
  const { storePosition } = await register.handler.execute(proposalAggregate(id), approval, envelopeFor());
  await register.projections.waitUntilProjected(ORGANIZATION, storePosition!, 5_000);
  await register.proposals.finish(id, person);
  const { state } = await register.handler.load(proposalAggregate(id), true);
  assert.equal([state!.state, state!.done, state!.refused.map(({ code }) => code)], ['CARRIED_OUT', 0, ['conflict']]);
  const { records } = await register.call<{ records: { country: string | null }[] }>('getRecords', {
    ids: [first!.id],
  });
  assert.is.not(records[0]!.country, 'FR');
});

test('a proposal is in the history, and what it did names its approval', async ({ register }) => {
  const id = await propose(register, 'addVendor', { organization_id: ORGANIZATION, name: 'Redpoll', reason: 'Needed' });
  await approve(register, id);
  const { changes } = await register.call<{ changes: { event_type: string; proposal?: object }[] }>('listChanges', {
    organization_id: ORGANIZATION,
  });
  const proposed_by = { id: OWNER, name: 'Olivia Owner' };
  assert.equal(
    changes.slice(0, 4).map(({ proposal }) => proposal),
    [undefined, { id, proposed_by, client: 'claude' }, undefined, undefined],
  );
  assert.equal(changes.map(({ event_type }) => event_type).slice(0, 4), [
    'ProposalCarriedOut',
    'VendorAdded',
    'ProposalApproved',
    'ProposalMade',
  ]);
  const { verification } = await register.call<{ verification: { result?: string } }>('listChanges', {
    organization_id: ORGANIZATION,
    verify: true,
  });
  assert.ok(verification, 'a verification');
});

test('DUE_ITEMS has open proposals by the day on which they expire, for nobody alone', async ({ register }) => {
  const id = await propose(register, 'addVendor', { organization_id: ORGANIZATION, name: 'Redpoll', reason: 'Needed' });
  const { expires_at } = (await register.call<{ records: { expires_at: string }[] }>('getRecords', { ids: [id] }))
    .records[0]!;
  const day = expires_at.slice(0, 10);
  const due = async (input: object) => {
    const report = { organization_id: ORGANIZATION, type: 'DUE_ITEMS', ...input };
    const { data } = await wholeReport((page: object) => register.call('getReport', page), report);
    return data.sections.flatMap(({ name, rows }) => (name === 'due_items' ? rows : []));
  };
  const row = { due: day, overdue: false, what: 'PROPOSAL', name: 'Add vendor', type: 'PROPOSAL', id };
  assert.equal(await due({ until: day }), [row]);
  assert.equal(await due({ until: day, kinds: ['PROPOSAL'], group_by: 'OWNER' }), [row]);
  assert.equal(await due({ until: day, owner_id: 'ME' }), []);
  assert.equal(await due({ until: new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10) }), []);
  const { position } = (await register.call<{ changes: { position: string }[] }>('listChanges', {})).changes[0]!;
  await register.proposals.decline(id, person, 'No');
  assert.equal(await due({ until: day }), []);
  assert.equal(await due({ until: day, as_of: position }), [row]);
});

test.run();
