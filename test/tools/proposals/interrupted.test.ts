/** Approvals that a crash interrupted before their call was made. */
import * as assert from 'uvu/assert';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { type ProposalState, proposalAggregate } from '../../../src/commands/proposal.ts';
import { ApprovalFinisher } from '../../../src/tools/proposals/approval-finisher.ts';
import { callerAs, envelopeFor, ORGANIZATION, SILENT_LOG, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('interrupted approvals', 'EACH');

/** Proposes a vendor, and approves it as a service that is killed right after. Returns the proposal's id. */
async function approvedOnly(register: TestRegister): Promise<string> {
  const caller = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
  const { pending_approval } = await register.call<{ pending_approval: { proposal_id: string; record_id: string } }>(
    'addVendor',
    { organization_id: ORGANIZATION, name: 'Redpoll' },
    caller,
  );
  const { proposal_id: id, record_id } = pending_approval;
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

test('only the instance that leads does it', async ({ register }) => {
  const id = await approvedOnly(register);
  const finisher = finisherOf(register, callerAs(), false);
  await finisher.run();
  await finisher.run();
  assert.is((await stateOf(register, id)).state, 'APPROVED');
});

test('one that depends on a declined one ends, also if the service was killed in between', async ({ register }) => {
  const caller = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]) });
  const propose = async (tool: string, input: object) =>
    (await register.call<{ pending_approval: { proposal_id: string; record_id: string } }>(tool, input, caller))
      .pending_approval;
  const risk = await propose('addRisk', { organization_id: ORGANIZATION, name: 'Fire' });
  const dependent = await propose('updateRisk', { id: risk.record_id, note: 'Wood' });
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
