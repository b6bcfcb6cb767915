import { MEASURE, MEASURE_STATES, type MeasureProgress, type MeasureState } from '../register/measure.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { MAX_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField } from './engine/refusal.ts';
import { withReason } from './record.ts';
import { isBackwards } from './workflow.ts';

type SpecificEvent = SpecificEventOf<typeof MEASURE>;

export type MeasureCommand = CommandOf<typeof MEASURE, MeasureState>;

function refuseTimeBeforeImplementation({ state, implemented_at }: MeasureState): void {
  if (implemented_at !== null && state !== 'IMPLEMENTED') {
    throw invalidField(
      'implemented_at',
      'Only an IMPLEMENTED measure has implemented_at. Give state IMPLEMENTED too, or leave implemented_at out.',
    );
  }
}

function update(
  measure: MeasureState,
  changed: Partial<MeasureState>,
  reason: string | undefined,
  context: DecisionContext,
): SpecificEvent[] {
  const next = { ...measure, ...changed };
  const implemented_at = changed.implemented_at ?? context.now;
  if (changed.implemented_at) refuseTimeBeforeImplementation(next);
  const events: SpecificEvent[] = [];
  if (changed.state) events.push(transitionEvent(measure.state, next, reason, implemented_at));
  // A file can state later when a measure was implemented.
  else if (changed.implemented_at) events.push(implementedEvent(implemented_at, reason));
  // MeasureRuledOut holds the justification itself.
  if (changed.justification !== undefined && changed.state !== 'NOT_APPLICABLE') {
    const { justification } = changed;
    events.push({ type: 'MeasureJustificationChanged', data: { justification, ...withReason(reason) } });
  }
  return events;
}

function transitionEvent(
  from: MeasureProgress,
  next: MeasureState,
  reason: string | undefined,
  implementedAt: string,
): SpecificEvent {
  const { state: to, justification } = next;
  if (to === 'NOT_APPLICABLE') {
    return { type: 'MeasureRuledOut', data: { justification: justification!, ...withReason(reason) } };
  }
  if (from === 'NOT_APPLICABLE') {
    const implemented_at = to === 'IMPLEMENTED' ? implementedAt : null;
    return { type: 'MeasureReinstated', data: { to, implemented_at, reason: reason! } };
  }
  if (to === 'IMPLEMENTED') return implementedEvent(implementedAt, reason);
  if (isBackwards(MEASURE_STATES, from, to)) return { type: 'MeasureSetBack', data: { to, reason: reason! } };
  return { type: 'MeasureStarted', data: withReason(reason) };
}

function implementedEvent(implemented_at: string, reason: string | undefined): SpecificEvent {
  return { type: 'MeasureImplemented', data: { implemented_at, ...withReason(reason) } };
}

function evolve(measure: MeasureState, event: SpecificEvent): MeasureState {
  switch (event.type) {
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
  }
}

/** Returns true if work is left to do, so that the measure may be overdue. */
export function isOpen(state: MeasureProgress): boolean {
  return state === 'NOT_STARTED' || state === 'IN_PROGRESS';
}

export const measure = defineFamily(MEASURE, {
  add: refuseTimeBeforeImplementation,
  update,
  evolve,
  keys: {
    open_until: {
      type: 'text',
      // `due_date` while it is open, else `9999-12-31`.
      of: ({ state, due_date }) => (isOpen(state) ? (due_date ?? MAX_DATE) : MAX_DATE),
    },
    review_due: {
      type: 'text',
      // `next_review_due`; `9999-12-31` if none is due.
      of: ({ state, next_review_due }) => (state === 'NOT_APPLICABLE' ? MAX_DATE : (next_review_due ?? MAX_DATE)),
    },
  },
});
