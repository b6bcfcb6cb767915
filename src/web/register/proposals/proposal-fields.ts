import { STATE_WORDS } from '../../../commands/proposal.ts';
import type { Fields } from '../../../register/field.ts';
import { PROPOSAL_STATES } from '../../../register/proposal.ts';
import { codeWords } from '../../../texts/words.ts';

/** The fields of proposals in histories. No family describes them. */
export const PROPOSAL_FIELDS: Fields = {
  state: {
    kind: 'enum',
    label: 'Status',
    values: PROPOSAL_STATES,
    labels: Object.fromEntries(PROPOSAL_STATES.map((state) => [state, codeWords(STATE_WORDS[state])])),
  },
  decision_reason: { kind: 'text', label: 'Reason for the decision' },
  done: { kind: 'text', label: 'Records and links changed' },
};
