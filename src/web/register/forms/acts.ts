import type { Permission } from '../../../commands/organization/permissions.ts';
import { DECISIONS, DECISIONS_FROM } from '../../../commands/risk.ts';
import { isBackwards, nextStates } from '../../../commands/workflow.ts';
import type { RecordDetails } from '../../../queries/records/record-details.ts';
import { EVIDENCE } from '../../../register/evidence.ts';
import { linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Field, Fields } from '../../../register/field.ts';
import { OBLIGATION } from '../../../register/obligation.ts';
import { RISK, type RiskStatus } from '../../../register/risk.ts';
import { VENDOR } from '../../../register/vendor.ts';
import { monthsText } from '../../../texts/words.ts';
import type { Choice } from '../../components/fields.tsx';
import { enumText, type RecordRow } from '../field-content.tsx';
import { familyNoun } from '../rail-links.ts';
import { numberedName } from '../record/numbered-name.ts';
import { EVIDENCE_INPUTS } from './add-forms.ts';
import { LINKED_RECORDS, linkFields } from './link-fields.ts';

/** A change of one record that has a button and a form: correcting it, a move to another state, or a decision. */
export interface Act {
  /** The last part of its form's address. */
  name: string;
  /** The text of its button, such as "Close finding". */
  button: string;
  tool: string;
  /** The permission that it needs, if not the tool's. */
  permission?: Permission;
  /** The fields of the form, as far as they are inputs of the tool. */
  fields: Fields;
  /** The inputs that the form doesn't show, besides the record's id. */
  inputs: Readonly<Record<string, unknown>>;
  /** Returns inputs for what the fields hold, where these aren't inputs themselves. */
  toInputs?(typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** The values of a field that is chosen from a list of this act. */
  choices?: Readonly<Record<string, readonly Choice[]>>;
  /** True if the fields are the record's own. They show its values, and only changed ones are sent. */
  isCorrection: boolean;
  /** Values that the form suggests in place of the record's. */
  suggested?: Readonly<Record<string, string>>;
  /** Says where it leads, such as "Becomes Closed.". */
  follows: string | null;
  /** The state in which it leaves the record, if it moves it. */
  reaches?: string;
  /** The labels of the fields that it requires and the record lacks. */
  missing: readonly string[];
  needsReason: boolean;
  /** The field whose text is the reason too, so that nobody is asked twice. */
  reasonField?: string | undefined;
  /** False if the record's state doesn't allow it now. */
  isPossible: boolean;
}

/** The parts of a record that decide on its acts. */
type ActSubject = Pick<RecordDetails, 'record' | 'today' | 'linked'>;

/** Returns the acts on a record, the likely next one first. Archiving it comes last. */
export function actsOn(family: FamilyDescription, details: ActSubject): Act[] {
  const { record, today } = details;
  const isArchived = typeof record.archived_at === 'string';
  const isReviewDue = typeof record.next_review_due === 'string' && record.next_review_due <= today;
  const moves = stateActs(family, record);
  const decisions = ownActs(family, record, today);
  const own = [
    ...(isReviewDue ? reviewAct(family, record) : []),
    ...moves.forward,
    ...decisions.filter(({ needsReason }) => !needsReason),
    ...(isReviewDue ? [] : reviewAct(family, record)),
    // A decision that needs a reason, such as accepting a risk, is nobody's everyday work.
    ...decisions.filter(({ needsReason }) => needsReason),
    ...moves.others,
    ...editAct(family),
    ...withdrawAct(family, record),
    ...linkActs(family, details),
  ];
  const live = own.map((act) => ({ ...act, isPossible: act.isPossible && !isArchived }));
  return [...live, ...archiveActs(family, record, isArchived)];
}

/** The names of the acts that have places of their own on the page. */
export const EDIT = 'edit';
export const LINK = 'link';
export const UNLINK = 'unlink';
export const WITHDRAW = 'withdraw';
export const ARCHIVE = 'archive';

function editAct(family: FamilyDescription): Act[] {
  const { update } = family.tools;
  if (update === undefined) return [];
  const facts = Object.entries(family.fields).filter(([name]) => !isStateField(family, name));
  return [
    {
      ...BLANK_ACT,
      name: EDIT,
      button: 'Save changes',
      tool: update.name,
      fields: Object.fromEntries(facts),
      isCorrection: true,
    },
  ];
}

const BLANK_ACT = {
  fields: {},
  inputs: {},
  isCorrection: false,
  follows: null,
  missing: [],
  needsReason: false,
  isPossible: true,
} as const satisfies Partial<Act>;

const isStateField = ({ fields }: FamilyDescription, name: string): boolean =>
  ['state', 'status'].includes(name) && fields[name]!.hasOwnEvent === true;

/** Says that somebody looked at the record and found it right. A family with another kind of review has an act of its own. */
function reviewAct({ reviewable, fields, tools }: FamilyDescription, record: RecordRow): Act[] {
  if (!reviewable) return [];
  const next = fields.next_review_due;
  return [
    {
      ...BLANK_ACT,
      name: 'reviewed',
      button: 'Mark reviewed',
      tool: tools.update!.name,
      fields:
        next === undefined
          ? {}
          : { next_review_due: { ...next, note: nextReviewNote(record, 'the planned day if it is to come') } },
      inputs: { reviewed: true },
      follows: 'Its values stay as they are.',
      isPossible: record.status !== 'NOT_ASSESSED',
    },
  ];
}

/** Says on which day the next review is due if nobody gives one. @param otherwise without an interval */
function nextReviewNote({ review_interval_months: months }: RecordRow, otherwise: string): string {
  return `${typeof months === 'number' ? `${monthsText(months)} later` : otherwise}, if you leave it empty`;
}

/** Verbs for the states that people set. They stand before the family's noun, or alone. */
const VERBS_WITH_NOUN: Readonly<Record<string, string>> = {
  IN_PROGRESS: 'Start',
  CLOSED: 'Close',
  COMPLETED: 'Complete',
  REJECTED: 'Reject',
  SUSPENDED: 'Suspend',
  OFFBOARDED: 'Offboard',
  EXCLUDED: 'Exclude',
  INCLUDED: 'Include',
};
const VERBS_ALONE: Readonly<Record<string, string>> = {
  IN_TREATMENT: 'Start treatment',
  PENDING_VERIFICATION: 'Ask for verification',
  IMPLEMENTED: 'Mark implemented',
  NOT_APPLICABLE: 'Mark not applicable',
  OUTDATED: 'Mark outdated',
};

/** States of a record that nobody works on any more. */
const OUT_OF_WORK: readonly string[] = [
  'NOT_APPLICABLE',
  'EXCLUDED',
  'SUSPENDED',
  'OFFBOARDED',
  'REJECTED',
  'OUTDATED',
];

/**
 * Returns the moves that an update can make. Those that the workflow doesn't allow now, such as to the state that the record
 * has, are not possible. `others` lead out of the work, then back.
 */
function stateActs(family: FamilyDescription, record: RecordRow): { forward: Act[]; others: Act[] } {
  const { workflow, fields } = family;
  const { update } = family.tools;
  if (workflow === undefined || update === undefined) return { forward: [], others: [] };
  const { field: name, needs = {}, isOrdered = false } = workflow;
  const stateField = fields[name] as Field & { kind: 'enum' };
  const current = String(record[name]);
  const next = nextStates(family, name, current);
  const isBack = (state: string) => isOrdered && isBackwards(stateField.values, current, state);
  const actOf = (state: string): Act => {
    const required = needs[state] ?? [];
    const reasonField = justificationOf(family, state);
    const kept = reasonField === undefined ? {} : { note: 'kept in the history, for auditors' };
    return {
      ...BLANK_ACT,
      name: state.toLowerCase().replaceAll('_', '-'),
      button: moveText(family, { current, state, label: enumText(stateField, state), isBack: isBack(state) }),
      tool: update.name,
      fields: Object.fromEntries(
        required.map((needed) => [needed, { ...fields[needed]!, required: true as const, ...kept }]),
      ),
      inputs: { [name]: state },
      isCorrection: true,
      follows: `Becomes ${enumText(stateField, state)}.`,
      reaches: state,
      missing: required.filter((needed) => !record[needed]).map((needed) => fields[needed]!.label),
      needsReason: stateField.changesNeedReason === true && reasonField === undefined,
      reasonField,
      isPossible: next.includes(state),
    };
  };
  const states = stateField.values;
  const isForward = (state: string) => !isBack(state) && !OUT_OF_WORK.includes(state);
  const others = states.filter((state) => !isForward(state));
  return {
    forward: states.filter(isForward).map(actOf),
    others: others.toSorted((a, b) => Number(isBack(a)) - Number(isBack(b))).map(actOf),
  };
}

/** Returns the one text that a state needs: its justification, which is the reason of the move. */
export function justificationOf({ workflow, fields }: FamilyDescription, state: string): string | undefined {
  const [name, ...others] = workflow?.needs?.[state] ?? [];
  return name !== undefined && others.length === 0 && fields[name]!.kind === 'text' ? name : undefined;
}

function moveText(
  family: FamilyDescription,
  { current, state, label, isBack }: { current: string; state: string; label: string; isBack: boolean },
): string {
  if (current === 'CLOSED' && state !== current) return `Reopen ${familyNoun(family)}`;
  if (isBack) return `Back to ${label}`;
  const verb = VERBS_WITH_NOUN[state];
  return verb === undefined ? (VERBS_ALONE[state] ?? `Set to ${label}`) : `${verb} ${familyNoun(family)}`;
}

/** Takes back the newest decision, such as a vendor's review. */
function withdrawAct({ withdrawal }: FamilyDescription, { history }: RecordRow): Act[] {
  if (withdrawal === undefined) return [];
  const { noun, of, tool } = withdrawal;
  const { changes } = (history ?? { changes: [] }) as Partial<RecordDetails['record']['history']>;
  return [
    {
      ...BLANK_ACT,
      name: WITHDRAW,
      button: `Withdraw ${noun}`,
      tool,
      inputs: { withdraw: true },
      follows: `The newest ${noun} no longer counts. It stays in the history.`,
      needsReason: true,
      isPossible: (changes ?? []).some(({ event_type }) => of.includes(event_type)),
    },
  ];
}

/** Links with other records. Evidence is attached by a form of its own, but a link with it can end here too. */
function linkActs({ type, prefix }: FamilyDescription, { record, linked }: ActSubject): Act[] {
  const links = (act: Pick<Act, 'name' | 'button' | 'fields'> & Partial<Act>, action: string): Act => ({
    ...BLANK_ACT,
    tool: 'linkRecords',
    inputs: { action },
    toInputs: ({ to_id, relation }) => ({
      links: [to_id ?? []].flat().map((other) => ({ from_id: record.id, to_id: other, relation })),
    }),
    ...act,
  });
  const others = [...linked.records, ...(record.evidence?.records ?? [])];
  const link: Act = links(
    {
      name: LINK,
      button: 'Link records',
      fields: linkFields(type, { ...LINKED_RECORDS, label: 'Record', required: true }),
      isPossible: linkablePrefixes(prefix).length > 0,
    },
    'LINK',
  );
  const unlink: Act = links(
    {
      name: UNLINK,
      button: 'End a link',
      fields: { to_id: { kind: 'id', prefix: '', label: 'Linked record', required: true } },
      choices: { to_id: others.map((other) => ({ value: String(other.id), label: recordLabel(other) })) },
      follows: 'Both records stay.',
      needsReason: true,
      isPossible: others.length > 0,
    },
    'UNLINK',
  );
  return [link, unlink];
}

const recordLabel = ({ reference_id, section_title, name }: RecordRow): string =>
  numberedName({ reference_id: reference_id ?? section_title, name: String(name) });

function archiveActs(family: FamilyDescription, { id }: RecordRow, isArchived: boolean): Act[] {
  const act = { ...BLANK_ACT, tool: 'archiveRecords', needsReason: true };
  return [
    {
      ...act,
      name: ARCHIVE,
      button: `Archive ${familyNoun(family)}`,
      inputs: { ids: [id], action: 'ARCHIVE' },
      follows: 'Hides it from lists and counts. Nothing is deleted.',
      isPossible: !isArchived,
    },
    {
      ...act,
      name: 'restore',
      button: `Restore ${familyNoun(family)}`,
      inputs: { ids: [id], action: 'RESTORE' },
      follows: 'It is in lists and counts again.',
      isPossible: isArchived,
    },
  ];
}

/** The decisions of families that have tools of their own for them. */
function ownActs(family: FamilyDescription, record: RecordRow, today: string): Act[] {
  switch (family.type) {
    case RISK.type:
      return riskActs(record);
    case VENDOR.type:
      return [reviewVendor(record)];
    case OBLIGATION.type:
      return [assessObligation(today)];
    case EVIDENCE.type:
      return renewEvidence(record);
    default:
      return [];
  }
}

const { until, approver_id } = RISK.fields.acceptance.fields;

function riskActs({ status }: RecordRow): Act[] {
  const allowed = DECISIONS_FROM[status as RiskStatus];
  const texts: Record<(typeof DECISIONS)[number], Pick<Act, 'button' | 'follows'> & Partial<Act>> = {
    ACCEPT: {
      button: status === 'ACCEPTED' ? 'Renew acceptance' : 'Accept until…',
      follows: 'Becomes Accepted until that day.',
      permission: 'acceptRisks',
      fields: { until, approver_id: { ...approver_id, note: 'you, unless you choose somebody else' } },
    },
    REVOKE: { button: 'Revoke acceptance', follows: 'Becomes Open.', reaches: 'OPEN' },
    CLOSE: { button: 'Close risk', follows: 'Becomes Closed.', reaches: 'CLOSED' },
    REOPEN: { button: 'Reopen risk', follows: 'Becomes Open.' },
  };
  return DECISIONS.map((decision) => ({
    ...BLANK_ACT,
    name: decision.toLowerCase(),
    tool: 'decideRisk',
    inputs: { decision },
    needsReason: true,
    isPossible: allowed.includes(decision),
    ...texts[decision],
  }));
}

const { outcome, findings, conditions } = VENDOR.fields.review.fields;

const reviewVendor = (record: RecordRow): Act => ({
  ...BLANK_ACT,
  name: 'review',
  button: 'Mark reviewed',
  tool: 'reviewVendor',
  fields: {
    outcome,
    conditions: { ...conditions, note: 'needed if the outcome is Conditional' },
    findings,
    reviewed_at: { kind: 'time', label: 'Reviewed on', note: 'today, if you leave it empty' },
    next_review_due: { ...VENDOR.fields.next_review_due, note: nextReviewNote(record, '365 days later') },
  },
  follows: 'Its status becomes the outcome.',
});

function assessObligation(today: string): Act {
  const { status, last_review_date, due_date } = OBLIGATION.fields;
  return {
    ...BLANK_ACT,
    name: 'assess',
    button: 'Record assessment',
    tool: OBLIGATION.tools.update.name,
    fields: { status, last_review_date, due_date },
    isCorrection: true,
    suggested: { last_review_date: today },
  };
}

/** Adds newer evidence for the same records. Then the older piece is archived, or it counts as replaced. */
function renewEvidence({ id, name, record_ids, owner_id }: RecordRow): Act[] {
  const { record_ids: _records, ...fields } = EVIDENCE_INPUTS;
  const ids = (record_ids ?? []) as readonly string[];
  const renew: Act = {
    ...BLANK_ACT,
    name: 'renew',
    button: 'Attach newer evidence',
    tool: EVIDENCE.tools.add.name,
    fields,
    inputs: { record_ids: ids.slice(0, EVIDENCE.fields.record_ids.maxItems) },
    suggested: { name: String(name), ...(owner_id ? { owner_id: String(owner_id) } : {}) },
    follows: 'Attached to the same records.',
    isPossible: ids.length > 0,
  };
  const replace: Act = {
    ...renew,
    name: 'replace',
    button: 'Replace evidence',
    permission: 'archiveRecords',
    inputs: { ...renew.inputs, replaces: id },
    follows: 'Takes over the links. This piece is archived.',
  };
  return [replace, renew];
}

/** The button of a due item: its text, and the act whose form it opens. */
interface DueAct {
  button: string;
  act: string;
  permission?: Permission;
  /** The act of a role without the permission. */
  otherwise?: DueAct;
}

export const DUE_ACTS: Readonly<Record<string, DueAct>> = {
  RISK_REVIEW: { button: 'Mark reviewed', act: 'reviewed' },
  MEASURE_REVIEW: { button: 'Mark reviewed', act: 'reviewed' },
  CONTROL_REVIEW: { button: 'Mark reviewed', act: 'reviewed' },
  RISK_ACCEPTANCE_ENDS: { button: 'Renew acceptance', act: 'accept', permission: 'acceptRisks' },
  VENDOR_REVIEW: { button: 'Mark reviewed', act: 'review' },
  VENDOR_CONTRACT_ENDS: { button: 'Change contract', act: EDIT },
  MEASURE: { button: 'Mark implemented', act: 'implemented' },
  NONCONFORMITY: { button: 'Close finding', act: 'closed' },
  OBLIGATION: { button: 'Record assessment', act: 'assess' },
  AUDIT_STARTS: { button: 'Start audit', act: 'in-progress' },
  CERTIFICATE_ENDS: { button: 'Change dates', act: EDIT },
  EVIDENCE_ENDS: {
    button: 'Replace evidence',
    act: 'replace',
    permission: 'archiveRecords',
    otherwise: { button: 'Attach newer evidence', act: 'renew' },
  },
};
