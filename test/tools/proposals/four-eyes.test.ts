/** Decisions that another account must approve, for people and their assistants. */
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { derivedId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate, recordAggregate } from '../../../src/commands/families.ts';
import type { Caller, Role } from '../../../src/commands/organization/caller.ts';
import type { OrganizationCommand } from '../../../src/commands/organization/organization.ts';
import { changesByCredential, secondsUntilFewerChanges } from '../../../src/queries/changes/recent-changes.ts';
import { ok } from '../../support/controls.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('four eyes', 'EACH');

const PRIYA = derivedId('acc', '4be9b8d5-3a3f-4f51-8b77-4d6d9d3bb001');

interface Pending extends Answer {
  pending_approval?: { proposal_id: string; note: string };
  error?: { code: string; message: string; retry_after_seconds?: number };
}

/** A person in a browser, whose rights can be looked up again. */
function personAs(account_id: string, role: Role = 'OWNER', overrides: Partial<Caller> = {}): Caller {
  const caller = callerAs(role, { account_id, client: { name: 'veritrail web', version: '1' }, ...overrides });
  return { ...caller, renew: async () => caller };
}

const ingrid = personAs(OWNER);
const priya = personAs(PRIYA);

const execute = (register: TestRegister, command: OrganizationCommand) =>
  register.handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor({ actor_id: OWNER }));

const policy = (four_eyes: readonly string[]) =>
  ({ type: 'ChangeApprovalPolicy', ceiling: 'ALL', four_eyes, hourly_changes: 500 }) as const;

/** Priya becomes OWNER, and these decisions need another account. */
async function setFourEyes(register: TestRegister, ...four_eyes: string[]): Promise<void> {
  await execute(register, { type: 'AddMember', account_id: PRIYA, role: 'OWNER' });
  await execute(register, policy(four_eyes));
}

async function addRisk(register: TestRegister): Promise<string> {
  const { risk } = await ok<{ risk: { id: string } }>(register, 'addRisk', {
    organization_id: ORGANIZATION,
    name: 'Fire',
  });
  return risk.id;
}

const close = (id: string) => ({ id, decision: 'CLOSE', reason: 'Gone' });

async function statusOf(register: TestRegister, id: string): Promise<unknown> {
  const { records } = await register.call<{ records: { status: string }[] }>('getRecords', { ids: [id] });
  return records[0]!.status;
}

/** Looks at a proposal as this person and approves it. Returns the refusal's code, or the number of records changed. */
async function approve({ proposals }: TestRegister, id: string, caller: Caller): Promise<unknown> {
  const { refusal, seen } = await proposals.preview(id, caller);
  const outcome = await proposals.approve(id, caller, { seen }).then(
    ({ done }) => done,
    ({ code }) => code,
  );
  assert.is(typeof outcome === 'number' ? undefined : outcome, refusal?.code);
  return outcome;
}

test('a person’s decision becomes a proposal that another account approves', async ({ register }) => {
  await setFourEyes(register, 'RISK_CLOSE');
  const id = await addRisk(register);
  await ok(register, 'updateRisk', { id, category: 'Buildings' });
  const { pending_approval } = await register.call<Pending>('decideRisk', close(id), ingrid);
  const proposal = pending_approval!.proposal_id;
  assert.is(await statusOf(register, id), 'OPEN');
  assert.is(await approve(register, proposal, ingrid), 'forbidden');
  assert.is(
    await approve(register, proposal, { ...priya, renew: undefined } as unknown as Caller),
    'forbidden',
    'at the command line',
  );
  const { seen } = await register.proposals.preview(proposal, priya);
  const changed = register.proposals.approve(proposal, priya, { seen, changes: { reason: 'Sold' } });
  assert.is(await changed.catch(({ code }) => code), 'forbidden', 'who changes it would approve their own words');
  assert.is(await approve(register, proposal, priya), 1);
  assert.is(await statusOf(register, id), 'CLOSED');
});

test('the account of an assistant is not another one, whatever the assistant may do alone', async ({ register }) => {
  await setFourEyes(register, 'RISK_CLOSE');
  const id = await addRisk(register);
  const assistant = callerAs('OWNER', { token_id: 'tok_1', client: { name: 'claude', version: '1' } });
  const { pending_approval } = await register.call<Pending>('decideRisk', close(id), assistant);
  assert.is(await approve(register, pending_approval!.proposal_id, ingrid), 'forbidden');
  assert.is(await approve(register, pending_approval!.proposal_id, priya), 1);
});

test('adding in a decided state, importing one and undoing one count as the decision', async ({ register }) => {
  await setFourEyes(register, 'RISK_ACCEPT', 'NONCONFORMITY_CLOSE', 'VENDOR_ARCHIVE');
  const organization_id = ORGANIZATION;
  const { vendor, call_id } = await ok<{ vendor: { id: string }; call_id: string }>(register, 'addVendor', {
    organization_id,
    name: 'Redpoll',
  });
  const accepted = {
    name: 'Flood',
    status: 'ACCEPTED',
    accepted_until: '2027-01-01',
    accepted_at: '2026-01-01',
    acceptance_reason: 'Dry',
  };
  for (const [tool, input] of [
    [
      'addNonconformity',
      {
        organization_id,
        description: 'Open door',
        status: 'CLOSED',
        corrective_action: 'Shut',
        root_cause: 'Wind',
        effectiveness_check: 'Looked',
      },
    ],
    ['importRecords', { organization_id, undo: { call_id }, reason: 'Wrong' }],
    ['archiveRecords', { ids: [vendor.id], action: 'ARCHIVE', reason: 'Gone' }],
    ['importRecords', { organization_id, type: 'RISK', rows: [accepted] }],
  ] as const) {
    const answer = await register.call<Pending>(tool, input, ingrid);
    assert.ok(answer.pending_approval, JSON.stringify(answer));
  }
});

test('four eyes that are set after a proposal or a rehearsal hold at the moment of the act', async ({ register }) => {
  const id = await addRisk(register);
  const proposing = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY']]) });
  const { pending_approval } = await register.call<Pending>('decideRisk', close(id), proposing);
  const { seen } = await register.proposals.preview(pending_approval!.proposal_id, ingrid);
  await setFourEyes(register, 'RISK_CLOSE');
  const late = await register.proposals
    .approve(pending_approval!.proposal_id, ingrid, { seen })
    .catch(({ code }) => code);
  assert.is(late, 'forbidden');
  const act = (actor_id: string, proposed_by?: string) =>
    register.handler
      .execute(
        recordAggregate(id),
        { type: 'DecideRisk', decision: 'CLOSE', reason: 'Gone' },
        envelopeFor({ actor_id, proposed_by, permission: 'changeRecords' }),
      )
      .then(({ event_types }) => event_types)
      .catch(({ code }) => code);
  assert.equal(
    [await act(OWNER), await act(OWNER, OWNER), await act(PRIYA, PRIYA)],
    ['conflict', 'forbidden', 'forbidden'],
  );
  assert.equal(await act(PRIYA, OWNER), ['RiskClosed']);
});

test('four eyes end by a proposal that another OWNER approves, and grow at once', async ({ register }) => {
  await setFourEyes(register, 'RISK_CLOSE');
  const organization_id = ORGANIZATION;
  const change = (four_eyes: readonly string[]) =>
    register.proposals.changePolicy({ organization_id, ceiling: 'PROPOSE_ONLY', four_eyes, hourly_changes: 9 }, ingrid);
  const chosen = async () => {
    const { state } = await register.handler.load(organizationAggregate(ORGANIZATION), true);
    return state!.four_eyes;
  };
  assert.is(await change(['RISK_CLOSE', 'RISK_ACCEPT']), null);
  const proposal = (await change(['RISK_ACCEPT']))!;
  assert.equal(await chosen(), ['RISK_ACCEPT', 'RISK_CLOSE']);
  const { effects } = await register.proposals.preview(proposal, priya);
  assert.equal(effects, [
    {
      record_id: ORGANIZATION,
      event_types: ['ApprovalPolicyChanged'],
      changes: [{ field: 'four_eyes', from: ['RISK_ACCEPT', 'RISK_CLOSE'], to: ['RISK_ACCEPT'] }],
    },
  ]);
  assert.is(await approve(register, proposal, ingrid), 'forbidden');
  assert.is(await approve(register, proposal, personAs(PRIYA, 'ADMIN')), 'forbidden');
  assert.is(await approve(register, proposal, priya), 1);
  assert.equal(await chosen(), ['RISK_ACCEPT']);
});

test('a restricted credential changes as many existing records in an hour as its organization lets it', async ({
  register,
}) => {
  const id = await addRisk(register);
  await execute(register, { ...policy([]), hourly_changes: 2 });
  const token_id = 'tok_00000000000000000000000001';
  const as = (autonomy: 'ALL' | 'DECISIONS_PROPOSED', overrides: Partial<Caller> = {}) => {
    const own = autonomy === 'ALL' ? {} : { autonomy: new Map([[ORGANIZATION, autonomy]]) };
    return callerAs('OWNER', { token_id, ...own, ...overrides });
  };
  const change = async (category: string, caller: Caller) =>
    (await register.call<Pending>('updateRisk', { id, category, idempotency_key: category }, caller)).error?.code;
  const restricted = as('DECISIONS_PROPOSED');
  assert.equal([await change('a', restricted), await change('b', restricted)], [undefined, undefined]);
  assert.is(await change('c', restricted), 'rate_limited');
  assert.is(await change('b', restricted), undefined, 'a repeat changes nothing');
  const added = await register.call<Pending>('addRisk', { organization_id: ORGANIZATION, name: 'Flood' }, restricted);
  assert.not(added.error, 'new records do not count');
  assert.is(await change('d', as('DECISIONS_PROPOSED', { token_id: 'tok_00000000000000000000000002' })), undefined);
  assert.is(await change('e', as('ALL')), undefined);
});

test('a limited credential hears when enough of its changes will be an hour old', async ({ register }) => {
  const id = await addRisk(register);
  const token_id = 'tok_00000000000000000000000001';
  const limited = callerAs('OWNER', { token_id, autonomy: new Map([[ORGANIZATION, 'DECISIONS_PROPOSED']]) });
  for (const category of ['a', 'b', 'c']) await register.call('updateRisk', { id, category }, limited);
  const filter = { record_id: [id], field: 'category' };
  const { changes } = await ok<{ changes: { recorded_at: string }[] }>(register, 'listChanges', {
    organization_id: ORGANIZATION,
    filter,
  });
  const times = changes.map(({ recorded_at }) => Date.parse(recorded_at)).reverse();
  const { models } = register.reader.snapshot();
  const secondsAt = (ms: number, limit: number) =>
    secondsUntilFewerChanges({ models, now: () => new Date(ms) }, ORGANIZATION, token_id, limit);
  const hour = 3_600_000;
  const half = times[2]! + hour / 2;
  for (const [limit, leaving] of [
    [3, times[0]!],
    [2, times[1]!],
    [1, times[2]!],
  ] as const)
    assert.is(await secondsAt(half, limit), Math.floor((leaving + hour - half) / 1_000) + 1, `limit ${limit}`);
  assert.is(await secondsAt(half, 4), 0);
  assert.is(await secondsAt(times[2]! + hour, 1), 1, 'a change of exactly an hour ago counts');
  assert.is(await secondsAt(times[2]! + hour + 1, 1), 0);
  const today = changes[0]!.recorded_at.slice(0, 10);
  const counted = await changesByCredential({ models }, ORGANIZATION, today);
  const sinceMidnight = changes.filter(({ recorded_at }) => recorded_at >= today).length;
  assert.equal([...counted], [[token_id, { changes: sinceMidnight, proposals: 0 }]]);
  const tomorrow = addDays(today, 1);
  assert.is((await changesByCredential({ models }, ORGANIZATION, tomorrow)).size, 0);
  await execute(register, { ...policy([]), hourly_changes: 2 });
  const { error } = await register.call<Pending>('updateRisk', { id, category: 'd' }, limited);
  assert.is(error?.code, 'rate_limited');
  const seconds = error!.retry_after_seconds!;
  assert.ok(seconds > 3_500 && seconds <= 3_601, `${seconds} s`);
});

test('while one account may approve, it decides alone', async ({ register }) => {
  await setFourEyes(register, 'RISK_CLOSE');
  const id = await addRisk(register);
  await execute(register, { type: 'RemoveMember', account_id: PRIYA });
  assert.not((await register.call<Pending>('decideRisk', close(id), ingrid)).pending_approval);
  assert.is(await statusOf(register, id), 'CLOSED');
});

test('an owner who removes the others can’t end four eyes alone', async ({ register }) => {
  await setFourEyes(register, 'RISK_CLOSE');
  await execute(register, { type: 'RemoveMember', account_id: PRIYA });
  const lowered = { organization_id: ORGANIZATION, ceiling: 'ALL', four_eyes: [], hourly_changes: 500 } as const;
  const proposal = (await register.proposals.changePolicy(lowered, ingrid))!;
  assert.is(await approve(register, proposal, ingrid), 'forbidden');
  const direct = envelopeFor({ actor_id: OWNER, permission: 'changeApprovalPolicy' });
  const ended = register.handler.execute(organizationAggregate(ORGANIZATION), policy([]), direct);
  assert.is(await ended.catch(({ code }) => code), 'conflict');
  await execute(register, { type: 'AddMember', account_id: PRIYA, role: 'OWNER' });
  assert.is(await approve(register, proposal, priya), 1);
});

test.run();
