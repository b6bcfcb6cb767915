import { type OrganizationState, organization } from '../commands/organization/organization.ts';
import { textSortKey } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';

/** An organization is kept like a record: as it is, and every version it had. Its own id is its organization_id. */
export const organizations: ReadModel<OrganizationState> = {
  family: {
    type: 'ORGANIZATION',
    title: 'Organization',
    singular: 'organization',
    plural: 'organizations',
    prefix: 'org',
    events: organization.events,
    historyFields: ['name', 'members', 'membership_ends', 'tokens', 'domains'],
    // The import key stays in the log: with it, readers could compute the ids of records imported elsewhere.
    evolve: (state, event) => ({ ...organization.evolve(state, event), import_key: '' }),
  },
  publishedFields: ['name', 'members', 'membership_ends', 'tokens', 'domains'],
  nameOf: ({ name }) => name,
  derive: () => ({ owner_id: null, archived_at: null }),
  mapFields: ['members', 'membership_ends', 'tokens', 'domains'],
  keys: { name: textSortKey('name') },
  orders: ['name'],
  missingOptions: [],
  searchFields: { short: [], long: [] },
};
