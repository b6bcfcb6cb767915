/** The report of decisions that no person made or approved. */
import * as assert from 'uvu/assert';
import { type Answer, callerAs, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { rowsOf, wholeReport } from '../support/reports.ts';

const test = registerSuite('decisions without a person', 'EACH');

const person = callerAs('OWNER', { client: { name: 'veritrail web', version: '1' } });
const assistant = callerAs('OWNER', { token_id: 'tok_1', client: { name: 'claude', version: '1' } });
const proposing = {
  ...assistant,
  autonomy: new Map([[ORGANIZATION, 'DECISIONS_PROPOSED' as const]]),
};

async function report(register: TestRegister, more: object = {}) {
  const input = { organization_id: ORGANIZATION, type: 'UNAPPROVED_DECISIONS', format: 'JSON', ...more };
  const whole = await wholeReport((page: object) => register.call('getReport', page), input);
  const decisions = rowsOf(whole, 'decisions').map(({ event_type, record_name }) => `${event_type} ${record_name}`);
  return { decisions, calls: rowsOf(whole, 'calls'), whole };
}

async function added(register: TestRegister, name: string, caller = person): Promise<string> {
  const { risk } = await register.call<{ risk: { id: string } }>(
    'addRisk',
    { organization_id: ORGANIZATION, name },
    caller,
  );
  return risk.id;
}

test('has what credentials decided, and nothing that a person decided or approved', async ({ register }) => {
  const close = (id: string, caller: typeof person) =>
    register.call<Answer & { pending_approval?: { proposal_id: string } }>(
      'decideRisk',
      { id, decision: 'CLOSE', reason: 'Gone' },
      caller,
    );
  await close(await added(register, 'By a person'), person);
  const { pending_approval } = await close(await added(register, 'Approved', assistant), proposing);
  const { seen } = await register.proposals.preview(pending_approval!.proposal_id, person);
  await register.proposals.approve(pending_approval!.proposal_id, person, { seen });
  assert.equal((await report(register)).decisions, []);

  const early = { ...assistant, token_id: null };
  await close(await added(register, 'Early', early), early);
  assert.equal((await report(register)).decisions, ['RiskClosed Early']);

  const alone = await added(register, 'Alone', assistant);
  await close(alone, assistant);
  const { whole: before } = await report(register);
  await register.call('archiveRecords', { ids: [alone], action: 'ARCHIVE', reason: 'Old' }, assistant);
  await register.call(
    'addObligation',
    { organization_id: ORGANIZATION, requirement: 'Met', source: 'GDPR', status: 'COMPLIANT' },
    assistant,
  );
  const { decisions, whole } = await report(register);
  assert.equal(decisions, ['RiskClosed Early', 'RiskClosed Alone', 'RiskArchived Alone', 'ObligationAdded Met']);
  assert.equal(
    whole.data.figures.map(({ name, value }) => [name, value]),
    [
      ['unapproved_decisions', 4],
      ['unapproved_calls', 0],
    ],
  );
  assert.equal((await report(register, { as_of: before.position })).decisions, [
    'RiskClosed Early',
    'RiskClosed Alone',
  ]);
  assert.equal((await report(register, { from: String(Number(before.position) + 1) })).decisions, [
    'RiskArchived Alone',
    'ObligationAdded Met',
  ]);
});

test('has undos, also of a link alone', async ({ register }) => {
  const id = await added(register, 'Fire');
  const { measure } = await register.call<{ measure: { id: string } }>('addMeasure', {
    organization_id: ORGANIZATION,
    name: 'Detector',
  });
  const links = [{ from_id: id, to_id: measure.id }];
  const { call_id } = await register.call<{ call_id: string }>('linkRecords', { links, reason: 'why' }, person);
  const change = { id, name: 'Great fire', reason: 'why' };
  const { call_id: renamed } = await register.call<{ call_id: string }>('updateRisk', change, person);
  for (const undone of [call_id, renamed]) {
    await register.call('importRecords', { organization_id: ORGANIZATION, undo: { call_id: undone } }, assistant);
  }
  const { decisions } = await report(register);
  assert.equal([decisions[0]!.split(' ')[0], ...decisions.slice(1)], ['RecordsUnlinked', 'RiskUndone Fire']);
});

test('has calls that changed more than five existing records', async ({ register }) => {
  for (const count of [5, 6]) {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await added(register, `Risk ${count} ${i}`));
    const set = {
      organization_id: ORGANIZATION,
      type: 'RISK',
      ids,
      set: { owner_id: 'ME' },
      reason: `All ${count}`,
    };
    const { selection } = await register.call<{ selection: string }>(
      'importRecords',
      { ...set, dry_run: true },
      assistant,
    );
    await register.call('importRecords', { ...set, selection }, assistant);
  }
  const { calls, decisions } = await report(register);
  assert.equal(
    calls.map(({ records, reason, client }) => [records, reason, client]),
    [[6, 'All 6', 'claude 1']],
  );
  assert.equal(decisions, []);
});

test.run();
