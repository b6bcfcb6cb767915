import { isAddition, type ProposalState, proposal } from '../../commands/proposal.ts';
import { proposalWords } from '../../register/proposal-words.ts';
import { filterKey, sortKey } from './key-builders.ts';
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
  'depends_on',
  'decided_by',
  'decision_reason',
  'approved_streams',
  'approved_input',
  'approved_effects',
  'call_id',
  'done',
  'refused',
];

/** Records of a proposal by which it is found. Its answer names no more than 50. */
const MAX_FOUND_RECORDS = 50;

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
  nameOf: ({ effects }) => titleOf(proposalWords(effects)),
  derive: () => ({ owner_id: null, archived_at: null }),
  keys: {
    state: filterKey('state'),
    expires_at: filterKey('expires_at'),
    proposed_by: filterKey('proposed_by'),
    dependent: { ...filterKey('dependent'), of: ({ depends_on }) => (depends_on.length > 0 ? 'YES' : null) },
    record_ids: { ...sortKey('record_ids'), of: recordIds },
    call_id: filterKey('call_id'),
  },
  lookupKeys: ['call_id'],
  orders: ['expires_at'],
  leadingIndexKeys: ['state'],
  missingOptions: [],
  searchFields: { short: [], long: [] },
};

/** Returns the records that a proposal would add, as a list of names. */
function recordIds({ effects }: Pick<ProposalState, 'effects'>): string | null {
  const ids = effects
    .filter(isAddition)
    .slice(0, MAX_FOUND_RECORDS)
    .map(({ record_id }) => record_id);
  return ids.length === 0 ? null : ` ${ids.join(' ')} `;
}
