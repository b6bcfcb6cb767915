import { familyQuery } from './family.ts';

export const frameworkQuery = familyQuery('FRAMEWORK', {
  filters: {},
  alike: ['name'],
  summary: ['name', 'version', 'included_count', 'coverage'],
});
