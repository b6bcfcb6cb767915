import { isOpen } from '../commands/measure.ts';
import { MEASURE_STATES, type MeasureProgress } from '../register/measure.ts';
import { before, equalRank, equalText, familyQuery, isPast } from './family-query.ts';

export const measureQuery = familyQuery('MEASURE', {
  filters: {
    state: equalRank('state', MEASURE_STATES),
    category: equalText('category'),
    due_before: before('due_date'),
    overdue: isPast('open_until'),
  },
  similarityKeys: ['name', 'reference_id'],
  summary: ['reference_id', 'name', 'state', 'due_date', 'evidence_count'],
  dayFacts: ({ state, due_date }, today) => ({
    overdue: isOpen(state as MeasureProgress) && due_date !== null && String(due_date) < today,
  }),
});
