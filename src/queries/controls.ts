import { equal, equalText, familyQuery } from './family-query.ts';

export const controlQuery = familyQuery('CONTROL', {
  filters: {
    framework_id: equal('framework_id'),
    section_title: equalText('section'),
    status: equal('status'),
    implementation: equal('implementation'),
  },
  similarityKeys: [],
  summary: ['section_title', 'name', 'status', 'implementation'],
});
