import { isOpen, MEASURE_STATES, type MeasureState, measure } from '../commands/measure.ts';
import { filtered, filteredText, orderedText, ranked, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { countOf, FAR } from './tally.ts';

export const measures: ReadModel<MeasureState> = {
  family: measure,
  derive: (_measure, tally) => ({
    evidence_count: countOf(tally, 'EVIDENCE'),
    control_count: countOf(tally, 'CONTROL'),
    risk_count: countOf(tally, 'RISK'),
  }),
  keys: {
    name: orderedText('name'),
    reference_id: orderedText('reference_id'),
    state: ranked('state', MEASURE_STATES),
    category: filteredText('category'),
    due_date: filtered('due_date'),
    open_until: worked<MeasureState>('text', ({ state, due_date }) => (isOpen(state) ? (due_date ?? FAR) : FAR)),
  },
  orders: ['name', 'state', 'due_date'],
  lookups: ['reference_id'],
  narrowing: ['state'],
  lacks: ['OWNER', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  effectiveAt: { MeasureImplemented: 'implemented_at', MeasureAdded: 'implemented_at' },
  texts: { short: ['name', 'reference_id'], long: ['description'] },
  // Controls and others follow how far a measure is.
  labels: ({ state }) => [`MEASURE:${state}`],
};
