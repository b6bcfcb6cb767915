import { familyQuery } from './family-query.ts';

export const frameworkQuery = familyQuery('FRAMEWORK', {
  filters: {},
  similarityKeys: ['name'],
  summary: ['name', 'version', 'included_count', 'coverage'],
});
