import { type OrganizationState, organization } from '../commands/organization.ts';
import { type ReadModel, textKey } from './read-model.ts';

/** An organization is kept like a record: as it is, and every version it had. Its own id is its organization_id. */
export const organizations: ReadModel<OrganizationState> = {
  type: 'ORGANIZATION',
  collection: 'organizations',
  stream: 'organization',
  // The import key would let a reader of the read models compute ids of records imported elsewhere: it stays in the log.
  decider: { evolve: (state, event) => ({ ...organization.evolve(state, event), import_key: '' }) },
  derive: () => ({ owner_id: null, archived_at: null }),
  nameOf: (state) => state.name,
  tracked: ['name', 'members', 'tokens'],
  maps: ['members', 'tokens'],
  keyTypes: { name: 'text' },
  keys: (state) => ({ name: textKey(state.name) }),
  orders: ['name'],
  narrowing: [],
  filters: [],
  texts: { short: [], long: [] },
};
