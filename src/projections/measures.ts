import { isOpen, type MeasureState, measure } from '../commands/measure.ts';
import { MEASURE_STATES } from '../register/measure.ts';
import { computed, filtered, filteredText, orderedText, ranked } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { MAX_DATE, relatedCount } from './relations/related-counts.ts';

export const measures: ReadModel<MeasureState> = {
  family: measure,
  derive: (_measure, relatedCounts) => ({
    evidence_count: relatedCount(relatedCounts, 'EVIDENCE'),
    control_count: relatedCount(relatedCounts, 'CONTROL'),
    risk_count: relatedCount(relatedCounts, 'RISK'),
  }),
  keys: {
    name: orderedText('name'),
    reference_id: orderedText('reference_id'),
    state: ranked('state', MEASURE_STATES),
    category: filteredText('category'),
    due_date: filtered('due_date'),
    open_until: computed<MeasureState>('text', ({ state, due_date }) =>
      isOpen(state) ? (due_date ?? MAX_DATE) : MAX_DATE,
    ),
  },
  orders: ['name', 'state', 'due_date'],
  lookupKeys: ['reference_id'],
  narrowingKeys: ['state'],
  missingOptions: ['OWNER', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  effectiveDateFields: { MeasureImplemented: 'implemented_at', MeasureAdded: 'implemented_at' },
  searchFields: { short: ['name', 'reference_id'], long: ['description'] },
  // The implementation of controls follows from these.
  exposedLabels: ({ state }) => [`MEASURE:${state}`],
};
