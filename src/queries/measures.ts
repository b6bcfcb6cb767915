import { isOpen, MEASURE_STATES, type MeasureProgress } from '../commands/measure.ts';
import { before, equalText, familyQuery, passed, rankedAs } from './family.ts';

export const measureQuery = familyQuery('MEASURE', {
  filters: {
    state: rankedAs('state', MEASURE_STATES),
    category: equalText('category'),
    due_before: before('due_date'),
    overdue: passed('open_until'),
  },
  alike: ['name', 'reference_id'],
  summary: ['reference_id', 'name', 'state', 'due_date', 'evidence_count'],
  onDay: ({ state, due_date }, today) => ({
    overdue: isOpen(state as MeasureProgress) && due_date !== null && String(due_date) < today,
  }),
});
