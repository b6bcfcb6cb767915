/** Approvals in part, with changes and of several at once, and proposals that depend on others. */
import * as assert from 'uvu/assert';
import { proposalAggregate } from '../../../src/commands/proposal.ts';
import { listProposals } from '../../../src/queries/proposals.ts';
import { effectKey } from '../../../src/register/proposal.ts';
import type { Approval } from '../../../src/tools/proposals/proposals.ts';
import { runImport, suppliers } from '../../support/mcp/imports.ts';
import { type Answer, callerAs, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('approvals', 'EACH');

interface Pending extends Answer {
  pending_approval?: { proposal_id: string; record_id: string; expires_at: string; depends_on?: string[] };
  error?: { code: string; message: string };
}

const assistant = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
const person = callerAs();

async function propose(register: TestRegister, tool: string, input: object) {
  const answer = await register.call<Pending>(tool, input, assistant);
  assert.ok(answer.pending_approval, JSON.stringify(answer));
  return answer.pending_approval!;
}

const add = (register: TestRegister, tool: string, fields: object) =>
  propose(register, tool, { organization_id: ORGANIZATION, ...fields });

async function approve(register: TestRegister, id: string, more: Partial<Approval> = {}) {
  const { seen } = await register.proposals.preview(id, person);
  return register.proposals.approve(id, person, { seen, ...more });
}

const stateOf = async (register: TestRegister, id: string) =>
  (await register.handler.load(proposalAggregate(id), true)).state!;

const recordOf = async (register: TestRegister, id: string) =>
  (await register.call<{ records: Record<string, unknown>[] }>('getRecords', { ids: [id], include: ['ARCHIVED'] }))
    .records[0];

const codeOf = (decision: Promise<unknown>) =>
  decision.then(
    () => null,
    ({ code }) => code,
  );

test('rows that the person leaves out are not written, and the history keeps them', async ({ register }) => {
  const ids = (await runImport(register, 'VENDOR', suppliers(7))).rows.map(({ id }) => id!);
  const call = { ids, action: 'ARCHIVE', reason: 'Gone' };
  const { selection } = await register.call<{ selection: string }>('archiveRecords', { ...call, dry_run: true });
  const { proposal_id } = await propose(register, 'archiveRecords', { ...call, selection });
  const kept = ids.slice(2);
  const state = await approve(register, proposal_id, { rows: kept });
  assert.equal([state.state, state.done, state.refused], ['CARRIED_OUT', 5, []]);
  assert.is(state.effects.length, 7);
  assert.equal(state.approved_streams.map((stream) => stream.split('-')[1]).sort(), [...kept].sort());
  for (const id of ids) assert.is((await recordOf(register, id))!.archived_at !== null, kept.includes(id), id);
});

test('links and new rows are approved in part, and other calls as a whole', async ({ register }) => {
  const [a, b, c] = (await runImport(register, 'VENDOR', suppliers(3))).rows.map(({ id }) => id!);
  const { risk } = await register.call<{ risk: { id: string } }>('addRisk', {
    organization_id: ORGANIZATION,
    name: 'Fire',
  });
  const links = [a, b, c].map((to_id) => ({ from_id: risk.id, to_id }));
  const linked = await propose(register, 'linkRecords', { links });
  const { effects } = await register.proposals.preview(linked.proposal_id, person);
  const rows = [effects[0]!, effects[2]!].map(effectKey);
  assert.is((await approve(register, linked.proposal_id, { rows })).done, 2);
  const added = await propose(register, 'importRecords', {
    organization_id: ORGANIZATION,
    type: 'VENDOR',
    rows: [{ name: 'Redpoll' }, { name: 'Siskin' }],
  });
  const [first] = (await register.proposals.preview(added.proposal_id, person)).effects;
  assert.is((await approve(register, added.proposal_id, { rows: [effectKey(first!)] })).done, 1);
  const one = await add(register, 'addVendor', { name: 'Twite' });
  assert.is(await codeOf(approve(register, one.proposal_id, { rows: ['vnd_other'] })), 'invalid_input');
  assert.is((await stateOf(register, one.proposal_id)).state, 'OPEN');
});

test('an approval with changes does what the person wrote, and the history keeps both', async ({ register }) => {
  const { proposal_id, record_id } = await add(register, 'addVendor', {
    name: 'Redpol',
    country: 'NO',
    reason: 'Needed',
  });
  const changes = { name: 'Redpoll', country: undefined, owner_id: 'Olivia Owner', reason: 'Needed for mail' };
  const state = await approve(register, proposal_id, { changes });
  assert.equal([state.state, state.done], ['CARRIED_OUT', 1]);
  assert.equal([state.input.name, state.approved_input?.name], ['Redpol', 'Redpoll']);
  assert.not.match(JSON.stringify(state), 'Olivia');
  const record = (await recordOf(register, record_id))!;
  assert.equal([record.name, record.country], ['Redpoll', null]);
  const { changes: history } = await register.call<{ changes: { event_type: string; reason: string }[] }>(
    'listChanges',
    { organization_id: ORGANIZATION, filter: { record_id: [record_id] } },
  );
  assert.is(history.find(({ event_type }) => event_type === 'VendorAdded')!.reason, 'Needed for mail');
});

test('a wrong change is refused at its field, and one of what changed since needs another look', async ({
  register,
}) => {
  const { vendor } = await register.call<{ vendor: { id: string; revision: number } }>('addVendor', {
    organization_id: ORGANIZATION,
    name: 'Redpoll',
  });
  const update = { id: vendor.id, country: 'FR', expected_revision: vendor.revision };
  const { proposal_id } = await propose(register, 'updateVendor', update);
  const refused = await approve(register, proposal_id, { changes: { criticality: 'HUGE' } }).catch((error) => error);
  assert.equal([refused.code, refused.more.field], ['invalid_input', 'criticality']);
  const { seen } = await register.proposals.preview(proposal_id, person);
  await register.call('updateVendor', { id: vendor.id, country: 'DE' });
  const approval = { seen, changes: { country: 'NO' } };
  assert.is(await codeOf(register.proposals.approve(proposal_id, person, approval)), 'conflict');
  assert.is((await approve(register, proposal_id, approvalOfNow({ country: 'NO' }))).done, 1);
  assert.is((await recordOf(register, vendor.id))!.country, 'NO');
});

test('changes are approved on the record that their person saw, and only if they change something', async ({
  register,
}) => {
  const { vendor } = await register.call<{ vendor: { id: string; revision: number } }>('addVendor', {
    organization_id: ORGANIZATION,
    name: 'Redpoll',
  });
  const { proposal_id } = await propose(register, 'updateVendor', { id: vendor.id, country: 'FR' });
  const { revision } = vendor;
  const nothing = approve(register, proposal_id, { changes: { country: null }, revision });
  assert.is(await codeOf(nothing), 'invalid_input');
  await register.call('updateVendor', { id: vendor.id, name: 'Siskin' });
  const changes = { name: 'Twite' };
  assert.is(await codeOf(approve(register, proposal_id, { changes, revision })), 'conflict');
  assert.is((await stateOf(register, proposal_id)).state, 'OPEN');
  await approve(register, proposal_id, { changes, revision: revision + 1 });
  const answer = await recordOf(register, proposal_id);
  assert.equal(
    [answer!.changed, answer!.changes],
    [
      true,
      [
        { record_id: vendor.id, field: 'name', from: 'Siskin', to: 'Twite' },
        { record_id: vendor.id, field: 'country', from: null, to: 'FR' },
      ],
    ],
  );
});

test('a credential that proposes decisions also proposes what names a record that waits', async ({ register }) => {
  const { record_id } = await add(register, 'addRisk', { name: 'Fire' });
  const limited = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'DECISIONS_PROPOSED' as const]]) });
  const answer = await register.call<Pending>('updateRisk', { id: record_id, note: 'Wood' }, limited);
  assert.is(answer.pending_approval?.depends_on?.length, 1, JSON.stringify(answer));
});

test('those that name a row which was left out end, and the others stay', async ({ register }) => {
  const added = await propose(register, 'importRecords', {
    organization_id: ORGANIZATION,
    type: 'VENDOR',
    rows: [{ name: 'Redpoll' }, { name: 'Siskin' }],
  });
  const [kept, left] = (await register.proposals.preview(added.proposal_id, person)).effects.map(effectKey);
  const update = (id: string) => propose(register, 'updateVendor', { id, country: 'NO' });
  const [stays, ends] = [await update(kept!), await update(left!)];
  await approve(register, added.proposal_id, { rows: [kept!] });
  assert.is((await stateOf(register, stays.proposal_id)).state, 'OPEN');
  const { state, decision_reason } = await stateOf(register, ends.proposal_id);
  assert.equal(
    [state, decision_reason],
    ['DECLINED', `It names ${left}, which ${added.proposal_id} was approved without.`],
  );
});

const approvalOfNow = (changes: object) => ({ changes }) as Partial<Approval>;

test('several are approved in the order of their dependencies, and one that is refused leaves the others', async ({
  register,
}) => {
  const risk = await add(register, 'addRisk', { name: 'Fire' });
  const measure = await add(register, 'addMeasure', { name: 'Doors' });
  const link = await propose(register, 'linkRecords', {
    links: [{ from_id: risk.record_id, to_id: measure.record_id }],
  });
  const other = await add(register, 'addVendor', { name: 'Redpoll' });
  const ids = [other, link, measure, risk].map(({ proposal_id }) => proposal_id);
  const previews = await register.proposals.previewAll(ids, person);
  assert.equal(
    previews.map(({ id, preview: { refusal, isChanged } }) => [id, refusal, isChanged]),
    [risk, measure, link, other].map(({ proposal_id }) => [proposal_id, null, false]),
  );
  const approvals = new Map(previews.map(({ id, preview: { seen } }) => [id, { seen }]));
  approvals.set(other.proposal_id, { seen: 'something else' });
  const decided = await register.proposals.approveAll(approvals, person);
  assert.equal(
    decided.map(({ refusal }) => refusal?.code ?? null),
    [null, null, null, 'conflict'],
  );
  assert.is((await recordOf(register, risk.record_id))!.measure_count, 1);
});

test('those that depend on a declined or withdrawn one end with its reason, and their repeats are told', async ({
  register,
}) => {
  for (const [end, state] of [
    ['decline', 'DECLINED'],
    ['withdraw', 'WITHDRAWN'],
  ] as const) {
    const risk = await add(register, 'addRisk', { name: `Fire ${end}` });
    const update = { id: risk.record_id, note: 'Wood', idempotency_key: `note ${end}` };
    const dependent = await propose(register, 'updateRisk', update);
    const further = await propose(register, 'updateRisk', { id: risk.record_id, note: 'Stone' });
    assert.equal(dependent.depends_on, [risk.proposal_id]);
    assert.equal((await propose(register, 'updateRisk', update)).depends_on, [risk.proposal_id]);
    if (end === 'decline') await register.proposals.decline(risk.proposal_id, person, 'Not ours');
    else await register.proposals.withdraw(risk.proposal_id, person);
    for (const { proposal_id } of [dependent, further]) {
      const ended = await stateOf(register, proposal_id);
      assert.equal([ended.state, ended.decided_by], [state, 'SYSTEM']);
      assert.match(ended.decision_reason!, risk.proposal_id);
    }
    const { error } = await register.call<Pending>('updateRisk', update, assistant);
    assert.is(error?.code, 'forbidden');
    assert.match(error!.message, end === 'decline' ? 'Not ours' : 'withdrawn');
  }
});

test('one that depends on another says so, expires no later, and is then listed as expired', async ({ register }) => {
  const risk = await add(register, 'addRisk', { name: 'Fire' });
  const dependent = await propose(register, 'updateRisk', { id: risk.record_id, note: 'Wood' });
  assert.is(dependent.expires_at, risk.expires_at);
  const ids = [risk.proposal_id, dependent.proposal_id];
  const { records } = await register.call<{ records: { depends_on: string[] }[] }>('getRecords', { ids });
  assert.equal(
    records.map(({ depends_on }) => depends_on),
    [[], [risk.proposal_id]],
  );
  const countAt = async (only: 'OPEN' | 'EXPIRED', ms: number) => {
    const { models } = register.reader.snapshot();
    const now = () => new Date(Date.parse(risk.expires_at) + ms);
    return (await listProposals({ models, now }, ORGANIZATION, { only, limit: 9 })).length;
  };
  for (const [ms, open, expired] of [
    [0, 2, 0],
    [1, 0, 2],
  ] as const) {
    assert.equal([await countAt('OPEN', ms), await countAt('EXPIRED', ms)], [open, expired], `${ms}`);
  }
});

test('several are declined at once, also with those that depend on them', async ({ register }) => {
  const risk = await add(register, 'addRisk', { name: 'Fire' });
  const dependent = await propose(register, 'updateRisk', { id: risk.record_id, note: 'Wood' });
  const ids = [dependent, risk].map(({ proposal_id }) => proposal_id);
  const decided = await register.proposals.declineAll(ids, person, 'Not ours');
  assert.equal(
    decided.map(({ refusal }) => refusal),
    [null, null],
  );
  const reader = callerAs('VIEWER');
  const other = await add(register, 'addVendor', { name: 'Redpoll' });
  const [{ refusal } = { refusal: null }] = await register.proposals.declineAll([other.proposal_id], reader, 'No');
  assert.is(refusal?.code, 'forbidden');
});

test('approvals of other rows at once act once, as one of them chose', async ({ register }) => {
  const ids = (await runImport(register, 'VENDOR', suppliers(3))).rows.map(({ id }) => id!);
  const { proposal_id } = await propose(register, 'archiveRecords', { ids, action: 'ARCHIVE', reason: 'Gone' });
  const { seen } = await register.proposals.preview(proposal_id, person);
  const outcomes = await Promise.all(
    ids.map((id) =>
      register.proposals.approve(proposal_id, person, { seen, rows: [id] }).then(
        () => id,
        () => null,
      ),
    ),
  );
  const winners = outcomes.filter((id) => id !== null);
  const archived = await Promise.all(ids.map(async (id) => (await recordOf(register, id))!.archived_at !== null));
  assert.is(winners.length, 1, String(outcomes));
  assert.equal(
    ids.filter((_, index) => archived[index]),
    winners,
  );
});

test('of a week of 20 calls that build on each other, 17 are approved, 2 changed and 1 declined', async ({
  register,
}) => {
  const risks = [];
  for (let number = 1; number <= 8; number++) risks.push(await add(register, 'addRisk', { name: `Risk ${number}` }));
  const measures = [];
  for (let number = 1; number <= 7; number++) {
    measures.push(await add(register, 'addMeasure', { name: `Measure ${number}` }));
  }
  const links = [];
  for (const [index, measure] of measures.slice(0, 5).entries()) {
    const pair = { from_id: risks[index]!.record_id, to_id: measure.record_id };
    links.push(await propose(register, 'linkRecords', { links: [pair] }));
  }
  await register.proposals.decline(risks[7]!.proposal_id, person, 'Not ours');
  for (const { proposal_id } of [risks[6]!, measures[6]!]) {
    const { state } = await approve(register, proposal_id, { changes: { name: 'Named by a person' } });
    assert.is(state, 'CARRIED_OUT');
  }
  const rest = [...links, ...measures.slice(0, 6), ...risks.slice(0, 6)].map(({ proposal_id }) => proposal_id);
  const previews = await register.proposals.previewAll(rest, person);
  assert.equal([previews.length, previews.filter(({ preview }) => preview.isChanged).length], [17, 0]);
  const approvals = new Map(previews.map(({ id, preview: { seen } }) => [id, { seen }]));
  const decided = await register.proposals.approveAll(approvals, person);
  assert.equal(decided.map(({ refusal }) => refusal).filter(Boolean), []);
  const { risks: kept } = await register.call<{ risks: { name: string; measure_count: number }[] }>('listRisks', {
    view: 'FULL',
  });
  assert.equal(
    kept.map(({ name, measure_count }) => [name, measure_count]).sort(),
    [...[1, 2, 3, 4, 5].map((number) => [`Risk ${number}`, 1]), ['Risk 6', 0], ['Named by a person', 0]].sort(),
  );
});

test.run();
