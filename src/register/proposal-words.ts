import { EVIDENCE } from './evidence.ts';
import { familyOfPrefix } from './families.ts';
import type { FamilyDescription } from './family-description.ts';
import { NONCONFORMITY } from './nonconformity.ts';
import type { ProposedEffect } from './proposal.ts';

/** The verbs of events, by the event's name without its family. An event without one changes its record. */
const VERBS: Readonly<Record<string, string>> = {
  Added: 'Add',
  Raised: 'Raise',
  Adopted: 'Adopt',
  OwnerAssigned: 'Assign',
  Archived: 'Archive',
  Restored: 'Restore',
  Completed: 'Complete',
  Rejected: 'Reject',
  Reopened: 'Reopen',
  Reinstated: 'Reinstate',
  Started: 'Start',
  WorkStarted: 'Start',
  Excluded: 'Exclude',
  Included: 'Include',
  Implemented: 'Implement',
  RuledOut: 'Rule out',
  SetBack: 'Send back',
  Closed: 'Close',
  SubmittedForVerification: 'Submit',
  Assessed: 'Assess',
  AssessmentWithdrawn: 'Withdraw the assessment of',
  Accepted: 'Accept',
  AcceptanceRevoked: 'Revoke the acceptance of',
  TreatmentPlanned: 'Plan the treatment of',
  TreatmentStarted: 'Start the treatment of',
  TreatmentHalted: 'Halt the treatment of',
  Reviewed: 'Review',
  ReviewWithdrawn: 'Withdraw the review of',
  Offboarded: 'Offboard',
  Suspended: 'Suspend',
  Outdated: 'Set as outdated',
  Undone: 'Undo a call on',
};

const LINK_VERBS: Readonly<Record<string, string>> = { RecordsLinked: 'Link', RecordsUnlinked: 'Unlink' };

/**
 * Returns what a call would do, in words: `Close 3 findings`, `Link 2 pairs of records`. Different acts on several records
 * are changes of records. The last event of an effect says most: corrections come before the decision.
 */
export function proposalWords(effects: readonly ProposedEffect[]): string {
  if (effects.length === 0) return 'Change nothing';
  const [verb, ...verbs] = new Set(effects.map(verbOf));
  const act = verbs.length === 0 ? verb! : 'Change';
  if (effects.every(({ linked_id }) => linked_id !== undefined)) {
    return effects.length === 1 ? `${act} two records` : `${act} ${effects.length} pairs of records`;
  }
  const [family, ...families] = new Set(effects.map(familyOf));
  if (effects.some(({ event_types }) => event_types.includes('ApprovalPolicyChanged')))
    return 'Change the approval policy';
  const [one, many] = families.length === 0 && family !== undefined ? nounsOf(family) : ['record', 'records'];
  return effects.length === 1 ? `${act} ${one}` : `${act} ${effects.length} ${many}`;
}

function verbOf({ event_types, linked_id, record_id }: ProposedEffect): string {
  const event = event_types.at(-1)!;
  if (linked_id !== undefined) return LINK_VERBS[event] ?? 'Relate';
  return VERBS[event.slice(familyOf({ record_id })?.title.length)] ?? 'Change';
}

function familyOf({ record_id }: Pick<ProposedEffect, 'record_id'>): FamilyDescription | undefined {
  return familyOfPrefix(record_id.slice(0, record_id.indexOf('_')));
}

/** People call a nonconformity a finding. */
function nounsOf({ type, singular, plural }: FamilyDescription): [string, string] {
  if (type === NONCONFORMITY.type) return ['finding', 'findings'];
  return [singular, type === EVIDENCE.type ? 'pieces of evidence' : plural];
}
