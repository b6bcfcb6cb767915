/** Approvals that a crash interrupted before their call was made. */
import * as assert from 'uvu/assert';
import { createRegister } from '../../../src/app/create-register.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { type ProposalState, proposalAggregate } from '../../../src/commands/proposal.ts';
import { executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { ApprovalFinisher } from '../../../src/tools/proposals/approval-finisher.ts';
import { runImport, suppliers } from '../../support/mcp/imports.ts';
import { callerAs, envelopeFor, ORGANIZATION, OWNER, SILENT_LOG, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('interrupted approvals', 'EACH');

/** Proposes a vendor, and approves it as a service that is killed right after. Returns the proposal's id. */
async function approvedOnly(register: TestRegister): Promise<string> {
  const input = { organization_id: ORGANIZATION, name: 'Redpoll' };
  const { proposal_id: id, record_id } = await propose(register, 'addVendor', input);
  const approval = { type: 'ApproveProposal', streams: [`vendor-${record_id}`], call_id: 'call' } as const;
  const approved = await register.handler.execute(proposalAggregate(id), approval, envelopeFor());
  await register.projections.waitUntilProjected(ORGANIZATION, approved.storePosition!, 5_000);
  return id;
}

const finisherOf = (register: TestRegister, caller: Caller, mayRun = true) =>
  new ApprovalFinisher({
    proposals: register.proposals,
    reader: register.reader,
    organizations: () => [ORGANIZATION],
    mayRun: () => mayRun,
    callerOf: async () => caller,
    log: SILENT_LOG,
  });

const stateOf = async (register: TestRegister, id: string) =>
  (await register.handler.load(proposalAggregate(id), true)).state as ProposalState;

async function vendorCount(register: TestRegister): Promise<number> {
  return (await register.call<{ vendors: object[] }>('listVendors')).vendors.length;
}

test('the second run that sees one does it, once', async ({ register }) => {
  const id = await approvedOnly(register);
  const finisher = finisherOf(register, callerAs());
  await finisher.run();
  assert.equal([(await stateOf(register, id)).state, await vendorCount(register)], ['APPROVED', 0]);
  await finisher.run();
  const { state, done } = await stateOf(register, id);
  assert.equal([state, done, await vendorCount(register)], ['CARRIED_OUT', 1, 1]);
  await finisher.run();
  await finisher.run();
  assert.is(await vendorCount(register), 1);
  await finisher.stop();
});

/** Another instance on the same stores, with a memory of its own. */
function otherInstance(register: TestRegister, events = register.stores.events) {
  return createRegister({
    ...register.stores,
    events,
    names: register.names,
    projections: register.projections,
    clock: new ServiceClock(),
    exclusive: false,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
}

async function propose(register: TestRegister, tool: string, input: object) {
  const caller = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
  type Pending = { pending_approval: { proposal_id: string; record_id: string } };
  return (await register.call<Pending>(tool, input, caller)).pending_approval;
}

test('what one instance approves, the other has, and of two people at once on two instances one approves', async ({
  register,
}) => {
  const other = otherInstance(register);
  const colleague = callerAs('ADMIN', { account_id: randomId('acc') });
  const member = { account_id: colleague.account_id, role: 'ADMIN' } as const;
  await executeOrganizationCommand(register.handler, ORGANIZATION, { type: 'AddMember', ...member });
  const add = (name: string) => propose(register, 'addVendor', { organization_id: ORGANIZATION, name });
  const { proposal_id: id } = await add('Redpoll');
  const { seen } = await register.proposals.preview(id, callerAs());
  await other.proposals.approve(id, colleague, { seen });
  const { records } = await register.call<{ records: { state: string }[] }>('getRecords', { ids: [id] });
  assert.is(records[0]!.state, 'CARRIED_OUT');
  const late = await register.proposals.approve(id, callerAs(), { seen }).catch(({ code }) => code);
  assert.is(late, 'invalid_transition');
  const { proposal_id: raced } = await add('Siskin');
  const preview = await register.proposals.preview(raced, callerAs());
  const approvals = await Promise.allSettled([
    register.proposals.approve(raced, callerAs(), preview),
    other.proposals.approve(raced, colleague, preview),
  ]);
  assert.equal(approvals.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.is(await vendorCount(register), 2);
});

test('an approval that the store interrupted half-way is finished by another instance, each record once', async ({
  register,
}) => {
  const ids = (await runImport(register, 'VENDOR', suppliers(3))).rows.map(({ id }) => id!);
  const { proposal_id: id } = await propose(register, 'archiveRecords', { ids, action: 'ARCHIVE', reason: 'Gone' });
  const events = new Proxy(register.stores.events, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'append') return typeof value === 'function' ? value.bind(target) : value;
      return async (...args: Parameters<EventStore['append']>) => {
        if (args[0].endsWith(ids[1]!)) throw new StoreUnavailable('The store has no answer.');
        return target.append(...args);
      };
    },
  });
  const broken = otherInstance(register, events);
  const { seen } = await broken.proposals.preview(id, callerAs());
  const refused = await broken.proposals.approve(id, callerAs(), { seen }).catch(({ code }) => code);
  assert.is(refused, 'unavailable');
  assert.is((await stateOf(register, id)).state, 'APPROVED');
  const finisher = finisherOf(register, callerAs());
  for (let run = 0; run < 3; run++) await finisher.run();
  const { state, done, refused: none } = await stateOf(register, id);
  assert.equal([state, done, none], ['CARRIED_OUT', 3, []]);
  for (const record of ids) {
    const { events: past } = await register.handler.readPast(recordAggregate(record) as never);
    assert.is(past.filter(({ type }) => type === 'VendorArchived').length, 1, record);
  }
  await finisher.stop();
});

test('one with a filter counts what was written before the crash, and names its call', async ({ register }) => {
  for (const name of ['Redpoll', 'Siskin']) await register.call('addVendor', { organization_id: ORGANIZATION, name });
  const caller = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
  const parts = { set: { owner_id: OWNER }, filter: { missing: ['OWNER'] }, reason: 'Hers' };
  const call = { organization_id: ORGANIZATION, type: 'VENDOR', ...parts };
  const { selection } = await register.call<{ selection: string }>('importRecords', { ...call, dry_run: true }, caller);
  const { proposal_id: id } = await propose(register, 'importRecords', { ...call, selection });
  const { seen, callId } = await register.proposals.preview(id, callerAs());
  const { execute } = register.handler;
  register.handler.execute = async (...call: Parameters<typeof execute>) => {
    if ((call[1] as { type: string }).type === 'CarryOutProposal') throw new Error('killed');
    return execute.apply(register.handler, call) as never;
  };
  await register.proposals.approve(id, callerAs(), { seen }).catch(() => null);
  register.handler.execute = execute;
  assert.is((await stateOf(register, id)).state, 'APPROVED');
  const { state, done, refused, call_id } = await register.proposals.approve(id, callerAs(), { seen });
  assert.equal([state, done, refused, call_id], ['CARRIED_OUT', 2, [], callId]);
});

test('only the instance that leads does it', async ({ register }) => {
  const id = await approvedOnly(register);
  const finisher = finisherOf(register, callerAs(), false);
  await finisher.run();
  await finisher.run();
  assert.is((await stateOf(register, id)).state, 'APPROVED');
});

test('one that depends on a declined one ends, also if the service was killed in between', async ({ register }) => {
  const risk = await propose(register, 'addRisk', { organization_id: ORGANIZATION, name: 'Fire' });
  const dependent = await propose(register, 'updateRisk', { id: risk.record_id, note: 'Wood' });
  const decline = { type: 'DeclineProposal', reason: 'Not ours' } as const;
  await register.handler.execute(proposalAggregate(risk.proposal_id), decline, envelopeFor());
  const finisher = finisherOf(register, callerAs());
  await finisher.run();
  const { state, decision_reason } = await stateOf(register, dependent.proposal_id);
  assert.is(state, 'DECLINED');
  assert.match(decision_reason!, `${risk.proposal_id}, which was declined: “Not ours”`);
  await finisher.stop();
});

test('a person who has lost the right meanwhile gets a refusal on record, and nothing is written', async ({
  register,
}) => {
  const id = await approvedOnly(register);
  const finisher = finisherOf(register, callerAs('VIEWER'));
  await finisher.run();
  await finisher.run();
  const { state, done, refused } = await stateOf(register, id);
  assert.equal([state, done, refused.map(({ code }) => code)], ['CARRIED_OUT', 0, ['forbidden']]);
  assert.is(await vendorCount(register), 0);
});

test.run();
