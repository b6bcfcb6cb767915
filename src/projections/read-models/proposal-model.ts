import { type ProposalState, proposal } from '../../commands/proposal.ts';
import { filterKey } from './key-builders.ts';
import type { ReadModel } from './read-model.ts';
import { titleOf } from './search-text.ts';

const FIELDS = [
  'state',
  'proposed_by',
  'client',
  'tool',
  'input',
  'effects',
  'expires_at',
  'reason',
  'decided_by',
  'decision_reason',
  'call_id',
  'done',
  'refused',
];

/** A proposal is kept like a record, but no list of a family has it. */
export const proposals: ReadModel<ProposalState> = {
  family: {
    type: 'PROPOSAL',
    title: 'Proposal',
    singular: 'proposal',
    plural: 'proposals',
    prefix: 'prp',
    events: proposal.events,
    historyFields: ['state', 'decision_reason', 'done'],
    evolve: proposal.evolve,
  },
  storedFields: FIELDS,
  nameOf: ({ tool, reason }) => titleOf(reason === null ? tool : `${tool}: ${reason}`),
  derive: () => ({ owner_id: null, archived_at: null }),
  keys: { state: filterKey('state'), expires_at: filterKey('expires_at'), proposed_by: filterKey('proposed_by') },
  orders: ['expires_at'],
  leadingIndexKeys: ['state'],
  missingOptions: [],
  searchFields: { short: [], long: [] },
};
