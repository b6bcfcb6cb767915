import { PersistentMap } from '../commands/engine/persistent-map.ts';
import { type OrganizationState, organization } from '../commands/organization/organization.ts';
import type { TokenState } from '../commands/organization/organization-state.ts';
import type { OrganizationEvent } from '../register/organization.ts';
import { textSortKey } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';

/** An organization with the one token, or none, that the event names: see `largeMap`. */
type ProjectedOrganization = Omit<OrganizationState, 'tokens'> & { tokens: Record<string, TokenState> };

const FIELDS = [
  ...['name', 'members', 'membership_ends', 'tokens', 'domains', 'second_factor_from'],
  ...['ceiling', 'four_eyes', 'four_eyes_suspended', 'hourly_changes'],
];

/** An organization is kept like a record: as it is, and every version it had. Its own id is its organization_id. */
export const organizations: ReadModel<ProjectedOrganization> = {
  family: {
    type: 'ORGANIZATION',
    title: 'Organization',
    singular: 'organization',
    plural: 'organizations',
    prefix: 'org',
    events: organization.events,
    historyFields: FIELDS,
    evolve,
  },
  storedFields: FIELDS,
  nameOf: ({ name }) => name,
  derive: () => ({ owner_id: null, archived_at: null }),
  mapFields: ['members', 'membership_ends', 'tokens', 'domains'],
  largeMap: { field: 'tokens', keyIn: 'token_id' },
  currentFields: ['members', 'membership_ends', 'former', 'domains'],
  keys: { name: textSortKey('name') },
  orders: ['name'],
  missingOptions: [],
  searchFields: { short: [], long: [] },
};

function evolve(before: ProjectedOrganization | null, event: OrganizationEvent): ProjectedOrganization {
  const state = before && { ...before, tokens: PersistentMap.of(before.tokens) };
  const after = organization.evolve(state, event);
  // The import key stays in the log: with it, readers could compute the ids of records imported elsewhere.
  return { ...after, tokens: Object.fromEntries(after.tokens.entries()), import_key: '' };
}
