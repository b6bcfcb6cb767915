import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DECISIONS, risk, scoresOf } from '../../src/commands/risk.ts';
import { RISK_STATUSES, type RiskEvent, type RiskStatus, TREATMENTS } from '../../src/register/risk.ts';
import { ADMIN, addedEvent, archivedEvent, IN, updateRisk } from '../support/risks.ts';
import { NOW, specOf } from '../support/spec.ts';

const { given } = specOf(risk);

const adding = suite('adding a risk');

adding('adding a risk stores its fields and the time of the first rating', () => {
  given([])
    .when({ type: 'AddRisk', fields: { name: 'Fire', note: null, category: 'Site' } })
    .then([{ type: 'RiskAdded', data: { name: 'Fire', category: 'Site' } }]);
  given([])
    .when({ type: 'AddRisk', fields: { name: 'Fire', inherent_likelihood: 3 }, reason: 'found' })
    .then([
      { type: 'RiskAdded', data: { name: 'Fire', inherent_likelihood: 3, last_assessed_at: NOW, reason: 'found' } },
    ]);
  const state = given([{ type: 'RiskAdded', data: { name: 'Fire', reason: 'found' } }]).state();
  assert.equal([state.status, state.treatment, state.acceptance, state.archived_at], ['OPEN', null, null, null]);
  assert.not('reason' in state);
});

adding('a risk is added once', () => {
  given([addedEvent])
    .when({ type: 'AddRisk', fields: { name: 'Fire' } })
    .refused('conflict');
});

adding('a risk is added in any status except ACCEPTED; CLOSED needs a reason', () => {
  for (const status of RISK_STATUSES) {
    const fields = { name: 'Fire', status };
    const withReason = given([]).when({ type: 'AddRisk', fields, reason: 'old register' });
    const without = given([]).when({ type: 'AddRisk', fields });
    if (status === 'ACCEPTED') {
      withReason.refused('invalid_transition', { field: 'status', allowed: ['OPEN', 'IN_TREATMENT', 'CLOSED'] });
      continue;
    }
    withReason.then([{ type: 'RiskAdded', data: { ...fields, reason: 'old register' } }]);
    if (status === 'CLOSED') without.refused('invalid_input', { field: 'reason' });
    else without.then([{ type: 'RiskAdded', data: fields }]);
  }
});

adding('a risk is added with any treatment, which doesn’t accept the risk', () => {
  for (const treatment of TREATMENTS) {
    const state = given([{ type: 'RiskAdded', data: { name: 'Fire', treatment } }]).state();
    assert.equal([state.treatment, state.status, state.acceptance], [treatment, 'OPEN', null]);
  }
});

adding('adding a risk rejects a residual score above the inherent one, if both are complete', () => {
  const add = (ratings: object) => given([]).when({ type: 'AddRisk', fields: { name: 'Fire', ...ratings } });
  const inherent = { inherent_likelihood: 2, inherent_impact: 3 };
  const field = 'residual_likelihood';
  add({ ...inherent, residual_likelihood: 2, residual_impact: 4 }).refused('invalid_input', { field });
  const equal = { name: 'Fire', ...inherent, residual_likelihood: 3, residual_impact: 2 };
  add(equal).then([{ type: 'RiskAdded', data: { ...equal, last_assessed_at: NOW } }]);
  const incomplete = { name: 'Fire', inherent_likelihood: 1, residual_likelihood: 5, residual_impact: 5 };
  add(incomplete).then([{ type: 'RiskAdded', data: { ...incomplete, last_assessed_at: NOW } }]);
});

adding.run();

const updating = suite('updating a risk');

updating('updating a risk records only changed fields, with separate events for separate decisions', () => {
  given([addedEvent])
    .when(
      updateRisk(
        {
          name: 'Fire',
          note: 'n',
          owner_id: 'acc_1',
          treatment: 'AVOIDED',
          status: 'IN_TREATMENT',
          inherent_impact: 5,
        },
        'r',
      ),
    )
    .then([
      { type: 'RiskDetailsChanged', data: { changes: { note: 'n' }, reason: 'r' } },
      { type: 'RiskOwnerAssigned', data: { owner_id: 'acc_1', reason: 'r' } },
      { type: 'RiskTreatmentPlanned', data: { treatment: 'AVOIDED', reason: 'r' } },
      { type: 'RiskTreatmentStarted', data: { reason: 'r' } },
      { type: 'RiskAssessed', data: { ratings: { inherent_impact: 5 }, assessed_at: NOW, reason: 'r' } },
    ]);
});

updating('updating a risk appends no event if nothing changes', () => {
  for (const status of RISK_STATUSES) {
    given(IN[status]).when(updateRisk({}, 'r')).then([]);
    given(IN[status])
      .when(updateRisk({ name: 'Fire', note: null, inherent_impact: 4, status }, 'r'))
      .then([]);
  }
});

updating('an update moves a risk only between OPEN and IN_TREATMENT', () => {
  const next: Record<RiskStatus, RiskStatus[]> = {
    OPEN: ['IN_TREATMENT'],
    IN_TREATMENT: ['OPEN'],
    ACCEPTED: [],
    CLOSED: [],
  };
  for (const from of RISK_STATUSES) {
    for (const status of RISK_STATUSES) {
      const outcome = given(IN[from]).when(updateRisk({ status }));
      if (from === status) outcome.then([]);
      else if (!next[from].includes(status)) {
        outcome.refused('invalid_transition', { field: 'status', allowed: next[from] });
      } else {
        const type = status === 'OPEN' ? 'RiskTreatmentHalted' : 'RiskTreatmentStarted';
        outcome.then([{ type, data: {} }]);
        assert.is(given([...IN[from], { type, data: {} }]).state().status, status);
      }
    }
  }
});

updating('null clears a field or a rating of a risk', () => {
  given([addedEvent])
    .when(updateRisk({ inherent_impact: null }))
    .then([{ type: 'RiskAssessed', data: { ratings: { inherent_impact: null }, assessed_at: NOW } }]);
  const state = given([
    addedEvent,
    { type: 'RiskAssessed', data: { ratings: { inherent_impact: null }, assessed_at: NOW } },
  ]).state();
  assert.equal(scoresOf(state), { inherent_score: null, residual_score: null, score: null });
  assert.is(state.last_assessed_at, null, 'clearing a rating is not an assessment');
});

updating('updating a risk rejects a residual score above the inherent one', () => {
  const ratedHistory: RiskEvent[] = [
    addedEvent,
    { type: 'RiskAssessed', data: { ratings: { residual_likelihood: 3, residual_impact: 3 }, assessed_at: NOW } },
  ];
  assert.equal(scoresOf(given(ratedHistory).state()), { inherent_score: 12, residual_score: 9, score: 9 });
  const field = 'residual_likelihood';
  given(ratedHistory)
    .when(updateRisk({ residual_impact: 5 }))
    .refused('invalid_input', { field });
  given(ratedHistory)
    .when(updateRisk({ inherent_impact: 2 }))
    .refused('invalid_input', { field });
  given(ratedHistory)
    .when(updateRisk({ inherent_impact: 3 }))
    .then([{ type: 'RiskAssessed', data: { ratings: { inherent_impact: 3 }, assessed_at: NOW } }]);
});

updating('updating requires an existing risk', () => {
  given([])
    .when(updateRisk({ name: 'X' }))
    .refused('not_found');
  given([]).when({ type: 'DecideRisk', decision: 'CLOSE', reason: 'r' }).refused('not_found');
  given([]).when({ type: 'Archive', reason: 'r' }).refused('not_found');
});

updating.run();

const archiving = suite('archiving a risk');

archiving('an archived risk rejects all commands except Restore, which restores it unchanged', () => {
  const allowed = ['RESTORE'];
  for (const status of RISK_STATUSES) {
    const history = [...IN[status], archivedEvent];
    given(history)
      .when(updateRisk({ name: 'X' }))
      .refused('invalid_transition', { allowed });
    for (const decision of DECISIONS) {
      given(history)
        .when({ type: 'DecideRisk', decision, until: '2026-06-01', reason: 'r' }, ADMIN)
        .refused('invalid_transition', { allowed });
    }
    given(history).when({ type: 'Archive', reason: 'again' }).then([]);
    const restored: RiskEvent = { type: 'RiskRestored', data: { reason: 'back' } };
    given(history).when({ type: 'Restore', reason: 'back' }).then([restored]);
    assert.equal(given([...history, restored]).state(), given(IN[status]).state());
  }
});

archiving('archiving records the command’s time; restoring an active risk changes nothing', () => {
  given([addedEvent])
    .when({ type: 'Archive', reason: 'gone' })
    .then([{ type: 'RiskArchived', data: { archived_at: NOW, reason: 'gone' } }]);
  given([addedEvent]).when({ type: 'Restore', reason: 'back' }).then([]);
});

archiving.run();
