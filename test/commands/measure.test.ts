import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOpen, type MeasureCommand, measure } from '../../src/commands/measure.ts';
import { MEASURE_STATES, type MeasureEvent, type MeasureProgress } from '../../src/register/measure.ts';
import { NOW, specOf } from '../support/spec.ts';

const test = suite('measure commands');
const { given } = specOf(measure);

const added: MeasureEvent = { type: 'MeasureAdded', data: { name: 'Backups' } };
const BEFORE = '2025-06-01T00:00:00.000Z';

/** For each state, a history that ends in it. */
const IN: Record<MeasureProgress, MeasureEvent[]> = {
  NOT_STARTED: [added],
  IN_PROGRESS: [added, { type: 'MeasureStarted', data: {} }],
  IMPLEMENTED: [added, { type: 'MeasureImplemented', data: { implemented_at: BEFORE } }],
  NOT_APPLICABLE: [added, { type: 'MeasureRuledOut', data: { justification: 'no servers' } }],
};

function change(changes: Extract<MeasureCommand, { type: 'UpdateMeasure' }>['changes'], reason?: string) {
  return { type: 'UpdateMeasure', changes, ...(reason ? { reason } : {}) } as const;
}

/** Returns the event of a transition with a reason and a justification. */
function stateEvent(from: MeasureProgress, to: MeasureProgress): MeasureEvent {
  const reason = 'why';
  if (to === 'NOT_APPLICABLE') return { type: 'MeasureRuledOut', data: { justification: 'none', reason } };
  if (from === 'NOT_APPLICABLE') {
    const implemented_at = to === 'IMPLEMENTED' ? NOW : null;
    return { type: 'MeasureReinstated', data: { to, implemented_at, reason } };
  }
  if (to === 'IMPLEMENTED') return { type: 'MeasureImplemented', data: { implemented_at: NOW, reason } };
  if (to === 'IN_PROGRESS' && from === 'NOT_STARTED') return { type: 'MeasureStarted', data: { reason } };
  return { type: 'MeasureSetBack', data: { to, reason } };
}

test('a measure is added with its fields, NOT_STARTED by default', () => {
  given([])
    .when({ type: 'AddMeasure', fields: { name: 'Backups', category: null, due_date: '2026-06-01' } })
    .then([{ type: 'MeasureAdded', data: { name: 'Backups', due_date: '2026-06-01' } }]);
  const state = given([added]).state();
  assert.equal([state.state, state.justification, state.implemented_at], ['NOT_STARTED', null, null]);
  given([added])
    .when({ type: 'AddMeasure', fields: { name: 'Backups' } })
    .refused('conflict');
});

test('a measure is added in any state; NOT_APPLICABLE needs a justification, IMPLEMENTED is implemented now', () => {
  for (const state of MEASURE_STATES) {
    const now = state === 'IMPLEMENTED' ? { implemented_at: NOW } : {};
    const outcome = given([]).when({ type: 'AddMeasure', fields: { name: 'Backups', state } });
    if (state === 'NOT_APPLICABLE') outcome.refused('invalid_input', { field: 'justification' });
    else outcome.then([{ type: 'MeasureAdded', data: { name: 'Backups', state, ...now } }]);
    const fields = { name: 'Backups', state, justification: 'none' };
    given([])
      .when({ type: 'AddMeasure', fields })
      .then([{ type: 'MeasureAdded', data: { ...fields, ...now } }]);
    assert.is(given([{ type: 'MeasureAdded', data: fields }]).state().state, state);
  }
});

test('implemented_at may be before the measure was added, but not in the future or in another state', () => {
  const add = (state: MeasureProgress, implemented_at: string) =>
    given([]).when({ type: 'AddMeasure', fields: { name: 'Backups', state, implemented_at, justification: 'none' } });
  const field = 'implemented_at';
  for (const state of MEASURE_STATES) {
    if (state !== 'IMPLEMENTED') add(state, BEFORE).refused('invalid_input', { field });
  }
  add('IMPLEMENTED', '2026-03-10T10:00:00.000Z').refused('invalid_input', { field });
  for (const implemented_at of [BEFORE, NOW]) {
    const data = { name: 'Backups', state: 'IMPLEMENTED', implemented_at, justification: 'none' } as const;
    add('IMPLEMENTED', implemented_at).then([{ type: 'MeasureAdded', data }]);
  }
});

test('a measure moves from every state to every other, with one event for each move', () => {
  for (const from of MEASURE_STATES) {
    for (const state of MEASURE_STATES) {
      const fields = state === 'NOT_APPLICABLE' ? { state, justification: 'none' } : { state };
      if (from === state) {
        given(IN[from]).when(change({ state }, 'why')).then([]);
        continue;
      }
      const event = stateEvent(from, state);
      given(IN[from]).when(change(fields, 'why')).then([event]);
      const after = given([...IN[from], event]).state();
      assert.is(after.state, state);
      assert.is(after.implemented_at, state === 'IMPLEMENTED' ? NOW : null, `${from} to ${state}`);
      given(IN[from])
        .when({ ...change(fields), reason: '' })
        .refused('invalid_input', { field: 'reason' });
    }
  }
});

test('a measure is ruled out with a new or existing justification, which can’t be cleared meanwhile', () => {
  const field = 'justification';
  for (const state of MEASURE_STATES) {
    if (state === 'NOT_APPLICABLE') continue;
    given(IN[state])
      .when(change({ state: 'NOT_APPLICABLE' }, 'a reason is not a justification'))
      .refused('invalid_input', { field });
  }
  const { NOT_APPLICABLE } = IN;
  given(NOT_APPLICABLE)
    .when(change({ justification: null }, 'why'))
    .refused('invalid_input', { field });
  given(NOT_APPLICABLE)
    .when(change({ justification: 'all moved' }, 'why'))
    .then([{ type: 'MeasureJustificationChanged', data: { justification: 'all moved', reason: 'why' } }]);
  const reinstated: MeasureEvent = {
    type: 'MeasureReinstated',
    data: { to: 'IN_PROGRESS', implemented_at: null, reason: 'servers again' },
  };
  assert.is(
    given([...NOT_APPLICABLE, reinstated]).state().justification,
    'no servers',
    'an omitted justification stays',
  );
  given([...NOT_APPLICABLE, reinstated])
    .when(change({ state: 'NOT_APPLICABLE' }))
    .then([{ type: 'MeasureRuledOut', data: { justification: 'no servers' } }]);
  given(NOT_APPLICABLE)
    .when(change({ state: 'IN_PROGRESS', justification: null }, 'servers again'))
    .then([
      reinstated,
      { type: 'MeasureJustificationChanged', data: { justification: null, reason: 'servers again' } },
    ]);
  const justificationCleared = { type: 'MeasureJustificationChanged', data: { justification: null } } as const;
  assert.is(given([...NOT_APPLICABLE, reinstated, justificationCleared]).state().justification, null);
});

test('a measure is corrected, assigned and moved in one call, with an event for each', () => {
  given([added])
    .when(change({ name: 'Backups', due_date: '2026-04-01', owner_id: 'acc_1', state: 'IMPLEMENTED' }))
    .then([
      { type: 'MeasureDetailsChanged', data: { changes: { due_date: '2026-04-01' } } },
      { type: 'MeasureOwnerAssigned', data: { owner_id: 'acc_1' } },
      { type: 'MeasureImplemented', data: { implemented_at: NOW } },
    ]);
});

test('a measure is open until it is done or ruled out', () => {
  assert.equal(MEASURE_STATES.filter(isOpen), ['NOT_STARTED', 'IN_PROGRESS']);
});

test('a measure takes no writes while archived, and is restored unchanged', () => {
  const archived: MeasureEvent = { type: 'MeasureArchived', data: { archived_at: BEFORE, reason: 'gone' } };
  for (const state of MEASURE_STATES) {
    const history = [...IN[state], archived];
    given(history)
      .when(change({ name: 'X' }))
      .refused('invalid_transition', { allowed: ['RESTORE'] });
    const restored: MeasureEvent = { type: 'MeasureRestored', data: { reason: 'back' } };
    given(history).when({ type: 'Restore', reason: 'back' }).then([restored]);
    assert.equal(given([...history, restored]).state(), given(IN[state]).state());
  }
});

test.run();
