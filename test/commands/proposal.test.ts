import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needsApproval } from '../../src/commands/autonomy.ts';
import type { RehearsedCommand } from '../../src/commands/engine/rehearsal-handler.ts';
import { type ProposalCommand, type ProposalState, proposal, proposalStateAt } from '../../src/commands/proposal.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import type { ProposalEvent } from '../../src/register/proposal.ts';

const NOW = '2026-11-26T10:00:00.000Z';
const MAKE = {
  type: 'MakeProposal',
  client: 'claude',
  tool: 'addVendor',
  input: { name: 'Redpoll' },
  effects: [],
  position: 3,
  reason: 'Needed',
} as const;

const decide = (command: ProposalCommand, state: ProposalState | null, actor_id = 'acc_priya', now = NOW) =>
  proposal.decide(command, state, { now, today: now.slice(0, 10), actor_id, role: 'OWNER', maxAcceptanceDays: 366 });

/** Returns the state after these commands, each decided at NOW. */
function after(...commands: readonly (readonly [ProposalCommand, string?])[]): ProposalState {
  return commands.reduce<ProposalState | null>(
    (state, [command, actor]) =>
      decide(command, state, actor).reduce<ProposalState | null>(
        (s, event: ProposalEvent) => proposal.evolve(s, event),
        state,
      ),
    null,
  )!;
}

const open = () => after([MAKE, 'acc_ingrid']);
const test = suite('proposals as facts');

test('given nothing, a proposal is open for 30 days, by its account', () => {
  const { state, proposed_by, expires_at, reason } = open();
  assert.equal([state, proposed_by, expires_at, reason], ['OPEN', 'acc_ingrid', '2026-12-26T10:00:00.000Z', 'Needed']);
  assert.equal(decide(MAKE, open()), [], 'a repeat makes no second one');
});

test('given an open one, each decision names its account, and only one is possible', () => {
  const decisions: readonly [ProposalCommand, string, string][] = [
    [{ type: 'ApproveProposal', streams: [], call_id: 'call' }, 'acc_priya', 'APPROVED'],
    [{ type: 'DeclineProposal', reason: 'No' }, 'acc_priya', 'DECLINED'],
    [{ type: 'WithdrawProposal' }, 'acc_ingrid', 'WITHDRAWN'],
  ];
  for (const [command, actor, state] of decisions) {
    const decided = after([MAKE, 'acc_ingrid'], [command, actor]);
    assert.equal([decided.state, decided.decided_by], [state, actor]);
    for (const [later, other] of decisions) assert.throws(() => decide(later, decided, other), /Only an open one/);
  }
});

test('only the proposing account withdraws', () => {
  assert.throws(() => decide({ type: 'WithdrawProposal' }, open(), 'acc_priya'), /Only the account/);
});

test('after 30 days nobody approves it any more', () => {
  const later = '2026-12-26T10:00:00.001Z';
  assert.is(proposalStateAt(open(), '2026-12-26T10:00:00.000Z'), 'OPEN');
  assert.is(proposalStateAt(open(), later), 'EXPIRED');
  assert.throws(
    () => decide({ type: 'ApproveProposal', streams: [], call_id: 'call' }, open(), 'acc_priya', later),
    /expired/,
  );
});

test('only an approved one is carried out, and once', () => {
  const done = { type: 'CarryOutProposal', call_id: 'c', done: 1, refused: [] } as const;
  assert.throws(() => decide(done, open()), /Only an approved/);
  const carriedOut = after([MAKE], [{ type: 'ApproveProposal', streams: [], call_id: 'call' }], [done]);
  assert.equal([carriedOut.state, carriedOut.done], ['CARRIED_OUT', 1]);
  assert.equal(decide(done, carriedOut), []);
});

test('a proposal of more than 700 KB is refused', () => {
  assert.throws(() => decide({ ...MAKE, input: { text: 'x'.repeat(700_001) } }, null), /700 KB/);
});

/** A command that would lead to these events. */
const rehearsed = (
  stream: string,
  event_types: string[],
  isNewRecord = false,
  state: object = {},
): RehearsedCommand => ({
  stream,
  command: {},
  envelope: {} as RehearsedCommand['envelope'],
  rehearsal: { event_types, repeated: false, isNewRecord, before: isNewRecord ? null : {}, state, revision: 1 },
});

test('decisions need a person where decisions are proposed, and corrections do not', () => {
  const needs = (...commands: RehearsedCommand[]) => needsApproval('DECISIONS_PROPOSED', commands);
  for (const { singular, decisions = {}, commonEvents } of FAMILY_DESCRIPTIONS as readonly {
    singular: string;
    decisions?: Readonly<Record<string, readonly string[]>>;
    commonEvents: { archived: string; ownerAssigned?: string };
  }[]) {
    for (const event of [...Object.values(decisions).flat(), commonEvents.archived]) {
      assert.ok(needs(rehearsed(`${singular}-x`, [event])), event);
    }
    if (commonEvents.ownerAssigned) assert.not(needs(rehearsed(`${singular}-x`, [commonEvents.ownerAssigned])));
  }
  const correction = rehearsed('risk-x', ['RiskDetailsChanged']);
  assert.not(needs(...Array(5).fill(correction)));
  assert.ok(needs(...Array(6).fill(correction)), 'more than five existing records');
  assert.not(needs(...Array(9).fill(rehearsed('risk-x', ['RiskAdded'], true, { status: 'OPEN' }))), 'new records');
  assert.ok(needs(rehearsed('risk-x', ['RiskAdded'], true, { status: 'CLOSED' })), 'one that begins closed');
  const obligation = (status: string) => rehearsed('obligation-x', ['ObligationAdded'], true, { status });
  assert.equal(
    ['NOT_ASSESSED', 'COMPLIANT', 'NON_COMPLIANT'].map((status) => needs(obligation(status))),
    [...[false, true, true]],
  );
  for (const stream of ['risk-x', 'link-x-y']) {
    const undo = { ...rehearsed(stream, ['AnyEvent']), envelope: { causation_id: 'call' } as never };
    assert.ok(needs(undo), `an undo on ${stream}`);
  }
});

test('who may only propose needs a person for every change, and who may do all for none', () => {
  const correction = rehearsed('risk-x', ['RiskDetailsChanged']);
  assert.ok(needsApproval('PROPOSE_ONLY', [correction]));
  assert.not(needsApproval('PROPOSE_ONLY', []), 'nothing would change');
  assert.not(needsApproval('ALL', [rehearsed('risk-x', ['RiskAccepted'])]));
});

test.run();
