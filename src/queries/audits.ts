import { before, equal, familyQuery } from './family-query.ts';

export const auditQuery = familyQuery('AUDIT', {
  filters: {
    state: equal('state'),
    framework_id: equal('framework_id'),
    kind: equal('kind'),
    starts_after: (date: string) => [{ key: 'starts_on', op: 'range', gt: date }],
    starts_before: before('starts_on'),
    valid_on: (date: string) => [
      { key: 'life_from', op: 'range', lte: date },
      { key: 'life_until', op: 'range', gte: date },
    ],
  },
  similarityKeys: ['name'],
  summary: ['name', 'kind', 'state', 'starts_on', 'valid_until'],
});
