import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DECISIONS, risk } from '../../src/commands/risk.ts';
import { RISK_STATUSES, type RiskEvent, type RiskStatus } from '../../src/register/risk.ts';
import { ADMIN, addedEvent, IN, recordedAcceptance, updateRisk } from '../support/risks.ts';
import { NOW, specOf, TODAY } from '../support/spec.ts';

const { given } = specOf(risk);

const deciding = suite('deciding on a risk');

/** The event of each decision, with every field that it may need. */
const EVENTS: Record<(typeof DECISIONS)[number], RiskEvent> = {
  ACCEPT: {
    type: 'RiskAccepted',
    data: { approver_id: 'acc_ADMIN', recorded_by: 'acc_ADMIN', accepted_at: NOW, until: '2026-06-01', reason: 'r' },
  },
  REVOKE: { type: 'RiskAcceptanceRevoked', data: { cause: 'DECISION', reason: 'r' } },
  CLOSE: { type: 'RiskClosed', data: { reason: 'r' } },
  REOPEN: { type: 'RiskReopened', data: { reason: 'r' } },
};
const ALLOWED: Record<RiskStatus, (typeof DECISIONS)[number][]> = {
  OPEN: ['ACCEPT', 'CLOSE'],
  IN_TREATMENT: ['ACCEPT', 'CLOSE'],
  ACCEPTED: ['ACCEPT', 'REVOKE', 'CLOSE'],
  CLOSED: ['REOPEN'],
};
const LEADS_TO = { ACCEPT: 'ACCEPTED', REVOKE: 'OPEN', CLOSE: 'CLOSED', REOPEN: 'OPEN' };

deciding('each status of a risk allows exactly its decisions', () => {
  for (const from of RISK_STATUSES) {
    for (const decision of DECISIONS) {
      const decided = given(IN[from]).when({ type: 'DecideRisk', decision, until: '2026-06-01', reason: 'r' }, ADMIN);
      if (!ALLOWED[from].includes(decision)) {
        decided.refused('invalid_transition', { field: 'decision', allowed: ALLOWED[from] });
        continue;
      }
      decided.then([EVENTS[decision]]);
      const state = given([...IN[from], EVENTS[decision]]).state();
      assert.is(state.status, LEADS_TO[decision]);
      assert.is(state.acceptance !== null, decision === 'ACCEPT');
    }
  }
});

deciding('every decision needs a reason', () => {
  for (const from of RISK_STATUSES) {
    for (const decision of ALLOWED[from]) {
      const decided = given(IN[from]).when({ type: 'DecideRisk', decision, until: '2026-06-01' }, ADMIN);
      decided.refused('invalid_input', { field: 'reason' });
    }
  }
});

deciding('only an ADMIN or OWNER may accept a risk; an EDITOR may make the other decisions', () => {
  const accept = { type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01', reason: 'r' } as const;
  for (const role of ['ADMIN', 'OWNER'] as const) {
    given([addedEvent])
      .when(accept, { ...ADMIN, role })
      .then([EVENTS.ACCEPT]);
  }
  for (const role of ['EDITOR', 'AUDITOR', 'VIEWER'] as const) {
    given([addedEvent]).when(accept, { role }).refused('forbidden');
  }
  given(IN.ACCEPTED).when({ type: 'DecideRisk', decision: 'REVOKE', reason: 'r' }).then([EVENTS.REVOKE]);
  given(IN.CLOSED).when({ type: 'DecideRisk', decision: 'REOPEN', reason: 'r' }).then([EVENTS.REOPEN]);
});

deciding('an acceptance names its approver and its recorder', () => {
  const accept = { type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01', reason: 'r' } as const;
  given([addedEvent])
    .when({ ...accept, approver_id: 'acc_BOSS' }, ADMIN)
    .then([
      {
        type: 'RiskAccepted',
        data: { approver_id: 'acc_BOSS', recorded_by: 'acc_ADMIN', accepted_at: NOW, until: '2026-06-01', reason: 'r' },
      },
    ]);
  const state = given(IN.ACCEPTED).state();
  assert.equal([state.treatment, state.acceptance], ['ACCEPTED', recordedAcceptance]);
});

deciding('an acceptance is renewed in one act, also an expired one', () => {
  for (const until of ['2026-01-31', '2026-05-01']) {
    const earlier: RiskEvent = { type: 'RiskAccepted', data: { ...recordedAcceptance, until } };
    given([addedEvent, earlier])
      .when({ type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01', reason: 'r' }, ADMIN)
      .then([EVENTS.ACCEPT]);
    const { status, acceptance } = given([addedEvent, earlier, EVENTS.ACCEPT]).state();
    assert.equal([status, acceptance], ['ACCEPTED', EVENTS.ACCEPT.data]);
  }
  given(IN.ACCEPTED)
    .when({ type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01', reason: 'r' }, { role: 'EDITOR' })
    .refused('forbidden');
});

deciding('the same acceptance again changes nothing', () => {
  const command = { type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01', reason: 'r' } as const;
  given([addedEvent, EVENTS.ACCEPT]).when(command, ADMIN).then([]);
  given([addedEvent, EVENTS.ACCEPT])
    .when({ ...command, reason: 'Still cheaper' }, ADMIN)
    .then([{ type: 'RiskAccepted', data: { ...EVENTS.ACCEPT.data, reason: 'Still cheaper' } as never }]);
});

deciding('an acceptance ends after today and within the configured number of days', () => {
  const accept = (until: string | undefined, maxAcceptanceDays: number) =>
    given([addedEvent]).when(
      { type: 'DecideRisk', decision: 'ACCEPT', reason: 'r', ...(until ? { until } : {}) },
      { ...ADMIN, maxAcceptanceDays },
    );
  for (const until of [undefined, '2025-01-01', TODAY, '2026-04-10', '9999-12-31']) {
    accept(until, 30).refused('invalid_input', { field: 'until' });
  }
  for (const until of ['2026-03-11', '2026-04-09']) {
    accept(until, 30).then([{ type: 'RiskAccepted', data: { ...acceptance(), until } }]);
  }
  accept('2027-03-11', 366).then([{ type: 'RiskAccepted', data: { ...acceptance(), until: '2027-03-11' } }]);
  accept('2027-03-12', 366).refused('invalid_input', { field: 'until' });
});

deciding('an acceptance without reason and end asks for both at once', () => {
  given([addedEvent])
    .when({ type: 'DecideRisk', decision: 'ACCEPT' }, ADMIN)
    .refused(
      'invalid_input',
      { field: 'reason' },
      /^Give a reason: .+ Give also until, a date after 2026-03-10 and not/,
    );
  given([addedEvent])
    .when({ type: 'DecideRisk', decision: 'ACCEPT', until: '2026-06-01' }, ADMIN)
    .refused('invalid_input', { field: 'reason' }, /^Give a reason: why the risk is accepted[.]$/);
});

function acceptance(): typeof recordedAcceptance {
  return { approver_id: 'acc_ADMIN', recorded_by: 'acc_ADMIN', accepted_at: NOW, until: '', reason: 'r' };
}

deciding('a higher score revokes the acceptance in the same write', () => {
  const assessedEvent = (ratings: object): RiskEvent => ({ type: 'RiskAssessed', data: { ratings, assessed_at: NOW } });
  const revoked: RiskEvent = { type: 'RiskAcceptanceRevoked', data: { cause: 'SCORE_RAISED' } };
  const raise = { inherent_impact: 5 };
  given(IN.ACCEPTED)
    .when(updateRisk(raise))
    .then([assessedEvent(raise), revoked]);
  const state = given([...IN.ACCEPTED, assessedEvent(raise), revoked]).state();
  assert.equal([state.status, state.acceptance], ['OPEN', null]);
  const lower = { inherent_impact: 1 };
  given(IN.ACCEPTED)
    .when(updateRisk(lower))
    .then([assessedEvent(lower)]);
  const ratingsOfEqualScore = { inherent_likelihood: 4, inherent_impact: 3 };
  given(IN.ACCEPTED)
    .when(updateRisk(ratingsOfEqualScore))
    .then([assessedEvent(ratingsOfEqualScore)]);
  const residual = { residual_likelihood: 1, residual_impact: 2 };
  const mitigated = [...IN.ACCEPTED, assessedEvent(residual)];
  given(mitigated)
    .when(updateRisk(raise))
    .then([assessedEvent(raise)]);
  const unmitigated = { residual_impact: null };
  given(mitigated)
    .when(updateRisk(unmitigated))
    .then([assessedEvent(unmitigated), revoked]);
});

deciding('a first score revokes the acceptance', () => {
  const ratings = { inherent_likelihood: 1, inherent_impact: 1 };
  const unrated: RiskEvent[] = [
    { type: 'RiskAdded', data: { name: 'Fire' } },
    { type: 'RiskAccepted', data: recordedAcceptance },
  ];
  given(unrated)
    .when(updateRisk(ratings, 'rated'))
    .then([
      { type: 'RiskAssessed', data: { ratings, assessed_at: NOW, reason: 'rated' } },
      { type: 'RiskAcceptanceRevoked', data: { cause: 'SCORE_RAISED', reason: 'rated' } },
    ]);
  for (const status of ['OPEN', 'IN_TREATMENT', 'CLOSED'] as const) {
    given(IN[status])
      .when(updateRisk({ inherent_impact: 5 }))
      .then([{ type: 'RiskAssessed', data: { ratings: { inherent_impact: 5 }, assessed_at: NOW } }]);
  }
});

deciding.run();
