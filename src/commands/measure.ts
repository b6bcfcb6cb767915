import type { DecisionContext } from './decider.ts';
import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { anyOther, judgeMove, type Moves, requireFields } from './moves.ts';
import { because, type Reasoned, type RecordFacts, refuseFuture } from './record.ts';
import { Refusal } from './refusal.ts';

/** In the order of the work; the last stands beside it. */
export const MEASURE_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'] as const;

export type MeasureProgress = (typeof MEASURE_STATES)[number];
type Applicable = Exclude<MeasureProgress, 'NOT_APPLICABLE'>;

const DETAILS = {
  reference_id: null as string | null,
  name: '',
  description: null as string | null,
  category: null as string | null,
  due_date: null as string | null,
};

const DECIDED = {
  state: 'NOT_STARTED' as MeasureProgress,
  /** Why it does not apply; kept when it applies again, until it is changed or cleared. */
  justification: null as string | null,
  /** Set while it is IMPLEMENTED; null where it was so before the register knew it, and nobody said since when. */
  implemented_at: null as string | null,
};

export type MeasureState = typeof DETAILS & typeof DECIDED & RecordFacts;

type Own =
  | { type: 'MeasureStarted'; data: Reasoned }
  | { type: 'MeasureImplemented'; data: { implemented_at: string } & Reasoned }
  | { type: 'MeasureSetBack'; data: { to: 'NOT_STARTED' | 'IN_PROGRESS'; reason: string } }
  | { type: 'MeasureRuledOut'; data: { justification: string } & Reasoned }
  | { type: 'MeasureReinstated'; data: { to: Applicable; implemented_at: string | null; reason: string } }
  | { type: 'MeasureJustificationChanged'; data: { justification: string | null } & Reasoned };
export type MeasureEvent = EventOf<'Measure', MeasureState, typeof DETAILS, Own>;
export type MeasureCommand = CommandOf<'Measure', MeasureState>;

const MOVES: Moves<MeasureProgress> = { field: 'state', to: anyOther(MEASURE_STATES), explained: isBackwards };

/** Out of NOT_APPLICABLE any move takes something back. */
function isBackwards(from: MeasureProgress, to: MeasureProgress): boolean {
  return MEASURE_STATES.indexOf(to) < MEASURE_STATES.indexOf(from);
}

/** Whether something is left to do: what may be overdue. */
export function isOpen(state: MeasureProgress): boolean {
  return state === 'NOT_STARTED' || state === 'IN_PROGRESS';
}

function add(measure: MeasureState, _reason: string | undefined, context: DecisionContext): Partial<MeasureState> {
  const { state, implemented_at } = measure;
  refuseUnjustified(measure);
  if (implemented_at === null) return {};
  if (state !== 'IMPLEMENTED') {
    throw new Refusal(
      'invalid_input',
      'Only an IMPLEMENTED measure has implemented_at: give state IMPLEMENTED too, or leave it out.',
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
): Own[] {
  const next = { ...measure, ...changed };
  refuseUnjustified(next);
  const events = changed.state ? [move(measure.state, next, reason, context)] : [];
  // What rules a measure out carries its justification itself.
  if (changed.justification !== undefined && changed.state !== 'NOT_APPLICABLE') {
    const { justification } = changed;
    events.push({ type: 'MeasureJustificationChanged', data: { justification, ...because(reason) } });
  }
  return events;
}

function move(from: MeasureProgress, next: MeasureState, reason: string | undefined, { now }: DecisionContext): Own {
  const { state: to, justification } = next;
  judgeMove(MOVES, from, to, reason);
  if (to === 'NOT_APPLICABLE') {
    return { type: 'MeasureRuledOut', data: { justification: justification!, ...because(reason) } };
  }
  if (from === 'NOT_APPLICABLE') {
    const implemented_at = to === 'IMPLEMENTED' ? now : null;
    return { type: 'MeasureReinstated', data: { to, implemented_at, reason: reason! } };
  }
  if (to === 'IMPLEMENTED') return { type: 'MeasureImplemented', data: { implemented_at: now, ...because(reason) } };
  if (isBackwards(from, to)) return { type: 'MeasureSetBack', data: { to, reason: reason! } };
  return { type: 'MeasureStarted', data: because(reason) };
}

function refuseUnjustified(measure: MeasureState): void {
  if (measure.state === 'NOT_APPLICABLE') requireFields(measure, measure.state, ['justification']);
}

function evolve(measure: MeasureState, event: Own): MeasureState {
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

export const measure = recordFamily(
  { type: 'MEASURE', title: 'Measure', singular: 'measure', plural: 'measures', prefix: 'msr' },
  { details: DETAILS, decided: DECIDED, add, update, evolve },
);
