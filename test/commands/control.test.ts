import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { control, initialControl } from '../../src/commands/control.ts';
import { controlId, randomId } from '../../src/commands/engine/ids.ts';
import type { ControlEvent, ControlState } from '../../src/register/control.ts';
import { CONTEXT, freeze, refusalOf, withoutReason, withReason } from '../support/spec.ts';

const test = suite('control commands');

const FRAMEWORK = randomId('frm');
const CONTROLS = [0, 1].map((controlIndex) => ({
  id: controlId(FRAMEWORK, controlIndex),
  section_title: `A.${controlIndex + 1}`,
  name: `Control ${controlIndex + 1}`,
}));
const FIRST = freeze(initialControl(CONTROLS[0]!));

const excluded: ControlEvent = { type: 'ControlExcluded', data: { exclusion_justification: 'no trucks' } };
const archived: ControlEvent = {
  type: 'ControlArchived',
  data: { archived_at: '2026-03-01T00:00:00.000Z', reason: 'gone' },
};

function stateAfter(...events: ControlEvent[]): ControlState {
  return events.reduce<ControlState>((state, event) => freeze(control.evolve(state, freeze(event))), FIRST);
}

function update(state: ControlState, changes: Partial<ControlState>, reason?: string): ControlEvent[] {
  const command = { type: 'UpdateControl', changes, ...(reason ? { reason } : {}) } as const;
  return control.decide(withReason(command), state, CONTEXT).map(withoutReason);
}

test('a control is INCLUDED when its framework is adopted', () => {
  const { aggregate, firstState } = control.origin!(CONTROLS[1]!.id);
  assert.is(aggregate.stream, `framework-${FRAMEWORK}`);
  const state = { controls: CONTROLS, archived_at: null };
  assert.equal(firstState(state), {
    framework_id: FRAMEWORK,
    section_title: 'A.2',
    name: 'Control 2',
    description: null,
    group: null,
    parent: null,
    status: 'INCLUDED',
    inclusion_justification: null,
    exclusion_justification: null,
    owner_id: null,
    archived_at: null,
    next_review_due: null,
    review_interval_months: null,
    last_reviewed: null,
  });
  for (const controlIndex of [2, 32_767]) {
    const nobody = control.origin!(controlId(FRAMEWORK, controlIndex));
    assert.is(nobody.firstState(state), null, 'no control has this index');
  }
});

test('a control can’t be added without its framework', () => {
  const add = () => control.decide({ type: 'AddControl', fields: { name: 'Alone' } }, null, CONTEXT);
  assert.match(refusalOf(add).message, 'addFramework');
});

test('a control is excluded with a justification, then included again', () => {
  const without = refusalOf(() => update(FIRST, { status: 'EXCLUDED' }));
  assert.equal([without.code, without.more.field], ['invalid_input', 'exclusion_justification']);
  assert.equal(update(FIRST, { status: 'EXCLUDED', exclusion_justification: 'no trucks' }, 'asked for'), [
    { type: 'ControlExcluded', data: { exclusion_justification: 'no trucks', reason: 'asked for' } },
  ]);
  const state = stateAfter(excluded);
  assert.equal([state.status, state.exclusion_justification], ['EXCLUDED', 'no trucks']);
  assert.equal(update(state, { status: 'INCLUDED' }), [
    { type: 'ControlIncluded', data: { inclusion_justification: null } },
  ]);
  assert.equal(update(state, { status: 'INCLUDED', inclusion_justification: 'trucks came' }), [
    { type: 'ControlIncluded', data: { inclusion_justification: 'trucks came' } },
  ]);
  const included = stateAfter(excluded, { type: 'ControlIncluded', data: { inclusion_justification: 'trucks came' } });
  assert.equal([included.status, included.inclusion_justification], ['INCLUDED', 'trucks came']);
  assert.is(included.exclusion_justification, 'no trucks', 'an omitted field stays');
  assert.equal(update(included, { status: 'EXCLUDED' }), [excluded], 'and is used again');
});

test('a control keeps its justification while excluded, and can change it', () => {
  const state = stateAfter(excluded);
  const refusalOfClearing = refusalOf(() => update(state, { exclusion_justification: null }));
  assert.equal([refusalOfClearing.code, refusalOfClearing.more.field], ['invalid_input', 'exclusion_justification']);
  assert.equal(update(state, { exclusion_justification: 'nothing on wheels' }), [
    { type: 'ControlJustified', data: { exclusion_justification: 'nothing on wheels' } },
  ]);
  const justified: ControlEvent = {
    type: 'ControlJustified',
    data: { inclusion_justification: 'by law', reason: 'counsel' },
  };
  assert.equal(update(FIRST, { inclusion_justification: 'by law' }, 'counsel'), [justified]);
  const after = stateAfter(justified);
  assert.equal([after.status, after.inclusion_justification, 'reason' in after], ['INCLUDED', 'by law', false]);
  assert.equal(update(after, { inclusion_justification: null }), [
    { type: 'ControlJustified', data: { inclusion_justification: null } },
  ]);
  assert.equal(
    update(FIRST, { status: 'EXCLUDED', exclusion_justification: 'no trucks', inclusion_justification: 'by law' }),
    [excluded, { type: 'ControlJustified', data: { inclusion_justification: 'by law' } }],
  );
});

test('a control has separate events for corrections, its owner and its status', () => {
  assert.equal(update(FIRST, { name: 'Rules', description: 'All.', owner_id: 'acc_1', status: 'INCLUDED' }), [
    { type: 'ControlDetailsChanged', data: { changes: { name: 'Rules', description: 'All.' } } },
    { type: 'ControlOwnerAssigned', data: { owner_id: 'acc_1' } },
  ]);
  assert.equal(update(FIRST, { name: FIRST.name, inclusion_justification: null, description: null }), []);
});

test('a control takes no writes while it is archived', () => {
  const refusal = refusalOf(() => update(stateAfter(archived), { name: 'Rules' }));
  assert.equal([refusal.code, refusal.more.allowed], ['invalid_transition', ['RESTORE']]);
});

test.run();
