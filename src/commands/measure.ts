import { MEASURE_EVENTS, MEASURE_STATES, type MeasureEvent, type MeasureProgress } from '../register/measure.ts';
import { type CommandOf, defineFamily } from './define-family.ts';
import type { DecisionContext } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { type CommonFields, refuseFuture, withoutReason, withReason } from './record.ts';
import { anyOtherState, checkTransition, requireFields, type Transitions } from './transitions.ts';

const DETAIL_FIELDS = {
  reference_id: null as string | null,
  name: '',
  description: null as string | null,
  category: null as string | null,
  due_date: null as string | null,
};

const DECISION_FIELDS = {
  state: 'NOT_STARTED' as MeasureProgress,
  /** The reason why the measure doesn't apply. It stays when the measure applies again, until it is changed or cleared. */
  justification: null as string | null,
  /** The time of implementation. Null in other states, or if the measure was added as IMPLEMENTED without a time. */
  implemented_at: null as string | null,
};

export type MeasureState = typeof DETAIL_FIELDS & typeof DECISION_FIELDS & CommonFields;

export type MeasureCommand = CommandOf<'Measure', MeasureState>;

const TRANSITIONS: Transitions<MeasureProgress> = {
  field: 'state',
  allowed: anyOtherState(MEASURE_STATES),
  needsReason: isBackwards,
};

/** Returns true for a step back in the work. Any step out of NOT_APPLICABLE is one. */
function isBackwards(from: MeasureProgress, to: MeasureProgress): boolean {
  return MEASURE_STATES.indexOf(to) < MEASURE_STATES.indexOf(from);
}

/** Returns true if work is left to do, so that the measure may be overdue. */
export function isOpen(state: MeasureProgress): boolean {
  return state === 'NOT_STARTED' || state === 'IN_PROGRESS';
}

function add(measure: MeasureState, _reason: string | undefined, context: DecisionContext): Partial<MeasureState> {
  const { state, implemented_at } = measure;
  requireJustification(measure);
  if (implemented_at === null) return {};
  if (state !== 'IMPLEMENTED') {
    throw new Refusal(
      'invalid_input',
      'Only an IMPLEMENTED measure has implemented_at. Give state IMPLEMENTED too, or leave implemented_at out.',
      { field: 'implemented_at' },
    );
  }
  refuseFuture('implemented_at', implemented_at, context);
  return {};
}

function update(
  measure: MeasureState,
  changed: Partial<MeasureState>,
  reason: string | undefined,
  context: DecisionContext,
): MeasureEvent[] {
  const next = { ...measure, ...changed };
  requireJustification(next);
  const events = changed.state ? [move(measure.state, next, reason, context)] : [];
  // MeasureRuledOut holds the justification itself.
  if (changed.justification !== undefined && changed.state !== 'NOT_APPLICABLE') {
    const { justification } = changed;
    events.push({ type: 'MeasureJustificationChanged', data: { justification, ...withReason(reason) } });
  }
  return events;
}

function move(
  from: MeasureProgress,
  next: MeasureState,
  reason: string | undefined,
  { now }: DecisionContext,
): MeasureEvent {
  const { state: to, justification } = next;
  checkTransition(TRANSITIONS, from, to, reason);
  if (to === 'NOT_APPLICABLE') {
    return { type: 'MeasureRuledOut', data: { justification: justification!, ...withReason(reason) } };
  }
  if (from === 'NOT_APPLICABLE') {
    const implemented_at = to === 'IMPLEMENTED' ? now : null;
    return { type: 'MeasureReinstated', data: { to, implemented_at, reason: reason! } };
  }
  if (to === 'IMPLEMENTED') return { type: 'MeasureImplemented', data: { implemented_at: now, ...withReason(reason) } };
  if (isBackwards(from, to)) return { type: 'MeasureSetBack', data: { to, reason: reason! } };
  return { type: 'MeasureStarted', data: withReason(reason) };
}

function requireJustification(measure: MeasureState): void {
  if (measure.state === 'NOT_APPLICABLE') requireFields(measure, measure.state, ['justification']);
}

function evolve(measure: MeasureState, event: MeasureEvent): MeasureState {
  switch (event.type) {
    case 'MeasureAdded':
      return { ...measure, ...withoutReason(event.data) };
    case 'MeasureDetailsChanged':
      return { ...measure, ...event.data.changes };
    case 'MeasureOwnerAssigned':
      return { ...measure, owner_id: event.data.owner_id };
    case 'MeasureStarted':
      return { ...measure, state: 'IN_PROGRESS' };
    case 'MeasureImplemented':
      return { ...measure, state: 'IMPLEMENTED', implemented_at: event.data.implemented_at };
    case 'MeasureSetBack':
      return { ...measure, state: event.data.to, implemented_at: null };
    case 'MeasureRuledOut':
      return { ...measure, state: 'NOT_APPLICABLE', justification: event.data.justification, implemented_at: null };
    case 'MeasureReinstated':
      return { ...measure, state: event.data.to, implemented_at: event.data.implemented_at };
    case 'MeasureJustificationChanged':
      return { ...measure, justification: event.data.justification };
    case 'MeasureArchived':
      return { ...measure, archived_at: event.data.archived_at };
    case 'MeasureRestored':
      return { ...measure, archived_at: null };
  }
}

export const measure = defineFamily(
  { type: 'MEASURE', title: 'Measure', singular: 'measure', plural: 'measures', prefix: 'msr' },
  {
    events: MEASURE_EVENTS,
    commonEvents: {
      added: 'MeasureAdded',
      detailsChanged: 'MeasureDetailsChanged',
      ownerAssigned: 'MeasureOwnerAssigned',
      archived: 'MeasureArchived',
      restored: 'MeasureRestored',
    },
    detailFields: DETAIL_FIELDS,
    decisionFields: DECISION_FIELDS,
    add,
    update,
    evolve,
  },
);
