/*
 * All state machines of the register, written from the contract and not from the code: the transitions from each state, and the
 * fields that they need. Every other transition is refused.
 */
import { daysAgo } from '../past.ts';

/** Fields that a transition requires in addition to the new state. */
type RequiredFields = readonly string[];

export interface StateMachine {
  /** The family's title in tool names: Risk in addRisk. */
  title: string;
  /** The tool that makes the transition, and its input that names the target. */
  tool: string;
  field: string;
  /** The member of an answer that holds the state. */
  stateField: 'status' | 'state';
  /** Allowed inputs from each state, with their required fields. */
  transitions: Readonly<Record<string, Readonly<Record<string, RequiredFields>>>>;
  /** All values of the field, in the order of `allowed` in an answer. */
  allInputs: readonly string[];
  /** The target state, if the field's value is not the state itself. */
  leadsTo?: Readonly<Record<string, string>>;
  /** True if setting the current state again changes nothing. */
  acceptsCurrentState: boolean;
}

/** Initial states: the fields that a new record needs for each, or null if no record may start in it. */
export interface InitialStates {
  title: string;
  field: 'status' | 'state';
  required: object;
  requiredByState: Readonly<Record<string, RequiredFields | null>>;
}

/** A value for every required field. */
export const REQUIRED_VALUES: Readonly<Record<string, string>> = {
  reason: 'Because it is so',
  justification: 'We have none of these',
  exclusion_justification: 'We have none of these',
  root_cause: 'Nobody was named',
  corrective_action: 'Somebody is named',
  effectiveness_check: 'It was done four times',
  conditions: 'Encrypts by summer',
  until: daysAgo(-30),
};

const TREATMENT_FIELDS = ['root_cause', 'corrective_action'];
const SUSPEND_OR_OFFBOARD = { SUSPENDED: ['reason'], OFFBOARDED: ['reason'] };
const REVIEW = { APPROVED: [], CONDITIONAL: ['conditions'], REJECTED: [] };
const VENDOR_STATUSES = ['PENDING_REVIEW', 'APPROVED', 'CONDITIONAL', 'REJECTED', 'SUSPENDED', 'OFFBOARDED'];
const COMPLIANCE = ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'];

export const STATE_MACHINES: readonly StateMachine[] = [
  {
    title: 'Risk',
    tool: 'updateRisk',
    field: 'status',
    stateField: 'status',
    acceptsCurrentState: true,
    allInputs: ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'],
    transitions: { OPEN: { IN_TREATMENT: [] }, IN_TREATMENT: { OPEN: [] }, ACCEPTED: {}, CLOSED: {} },
  },
  {
    title: 'Risk',
    tool: 'decideRisk',
    field: 'decision',
    stateField: 'status',
    acceptsCurrentState: false,
    allInputs: ['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN'],
    leadsTo: { ACCEPT: 'ACCEPTED', REVOKE: 'OPEN', CLOSE: 'CLOSED', REOPEN: 'OPEN' },
    transitions: {
      OPEN: { ACCEPT: ['reason', 'until'], CLOSE: ['reason'] },
      IN_TREATMENT: { ACCEPT: ['reason', 'until'], CLOSE: ['reason'] },
      ACCEPTED: { REVOKE: [], CLOSE: ['reason'] },
      CLOSED: { REOPEN: ['reason'] },
    },
  },
  {
    title: 'Vendor',
    tool: 'updateVendor',
    field: 'status',
    stateField: 'status',
    acceptsCurrentState: true,
    allInputs: VENDOR_STATUSES,
    transitions: {
      PENDING_REVIEW: SUSPEND_OR_OFFBOARD,
      APPROVED: SUSPEND_OR_OFFBOARD,
      CONDITIONAL: SUSPEND_OR_OFFBOARD,
      REJECTED: SUSPEND_OR_OFFBOARD,
      SUSPENDED: { OFFBOARDED: ['reason'] },
      OFFBOARDED: { SUSPENDED: ['reason'] },
    },
  },
  {
    title: 'Vendor',
    tool: 'reviewVendor',
    field: 'outcome',
    stateField: 'status',
    acceptsCurrentState: false,
    allInputs: ['APPROVED', 'CONDITIONAL', 'REJECTED'],
    transitions: Object.fromEntries(VENDOR_STATUSES.map((status) => [status, REVIEW])),
  },
  {
    title: 'Measure',
    tool: 'updateMeasure',
    field: 'state',
    stateField: 'state',
    acceptsCurrentState: true,
    allInputs: ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'],
    transitions: {
      NOT_STARTED: { IN_PROGRESS: [], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
      IN_PROGRESS: { NOT_STARTED: ['reason'], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
      IMPLEMENTED: { NOT_STARTED: ['reason'], IN_PROGRESS: ['reason'], NOT_APPLICABLE: ['justification'] },
      NOT_APPLICABLE: { NOT_STARTED: ['reason'], IN_PROGRESS: ['reason'], IMPLEMENTED: ['reason'] },
    },
  },
  {
    title: 'Obligation',
    tool: 'updateObligation',
    field: 'status',
    stateField: 'status',
    acceptsCurrentState: false,
    allInputs: COMPLIANCE,
    transitions: Object.fromEntries(
      COMPLIANCE.map((from) => [from, Object.fromEntries(COMPLIANCE.map((to): [string, RequiredFields] => [to, []]))]),
    ),
  },
  {
    title: 'Nonconformity',
    tool: 'updateNonconformity',
    field: 'status',
    stateField: 'status',
    acceptsCurrentState: true,
    allInputs: ['OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'],
    transitions: {
      OPEN: {
        IN_PROGRESS: [],
        PENDING_VERIFICATION: TREATMENT_FIELDS,
        CLOSED: [...TREATMENT_FIELDS, 'effectiveness_check'],
      },
      IN_PROGRESS: {
        OPEN: ['reason'],
        PENDING_VERIFICATION: TREATMENT_FIELDS,
        CLOSED: [...TREATMENT_FIELDS, 'effectiveness_check'],
      },
      PENDING_VERIFICATION: { OPEN: ['reason'], IN_PROGRESS: ['reason'], CLOSED: ['effectiveness_check'] },
      CLOSED: { OPEN: ['reason'] },
    },
  },
  {
    title: 'Control',
    tool: 'updateControl',
    field: 'status',
    stateField: 'status',
    acceptsCurrentState: true,
    allInputs: ['INCLUDED', 'EXCLUDED'],
    transitions: { INCLUDED: { EXCLUDED: ['exclusion_justification'] }, EXCLUDED: { INCLUDED: [] } },
  },
  {
    title: 'Audit',
    tool: 'updateAudit',
    field: 'state',
    stateField: 'state',
    acceptsCurrentState: true,
    allInputs: ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED'],
    transitions: {
      NOT_STARTED: { IN_PROGRESS: [], COMPLETED: [], REJECTED: [] },
      IN_PROGRESS: { COMPLETED: [], REJECTED: [] },
      COMPLETED: { IN_PROGRESS: ['reason'], OUTDATED: [] },
      REJECTED: {},
      OUTDATED: {},
    },
  },
];

const NAME_ONLY = { name: 'New record' };

export const INITIAL_STATES: readonly InitialStates[] = [
  {
    title: 'Risk',
    field: 'status',
    required: NAME_ONLY,
    requiredByState: { OPEN: [], IN_TREATMENT: [], ACCEPTED: null, CLOSED: ['reason'] },
  },
  {
    title: 'Vendor',
    field: 'status',
    required: NAME_ONLY,
    requiredByState: { PENDING_REVIEW: [], APPROVED: null, CONDITIONAL: null, REJECTED: null, ...SUSPEND_OR_OFFBOARD },
  },
  {
    title: 'Measure',
    field: 'state',
    required: NAME_ONLY,
    requiredByState: { NOT_STARTED: [], IN_PROGRESS: [], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
  },
  {
    // Reviewed on a past day, because setting the same status on the same day changes nothing.
    title: 'Obligation',
    field: 'status',
    required: { requirement: 'Begun', last_review_date: '2020-01-01' },
    requiredByState: { NOT_ASSESSED: [], NON_COMPLIANT: [], PARTIALLY_COMPLIANT: [], COMPLIANT: [] },
  },
  {
    title: 'Nonconformity',
    field: 'status',
    required: { description: 'Begun' },
    requiredByState: {
      OPEN: [],
      IN_PROGRESS: [],
      PENDING_VERIFICATION: TREATMENT_FIELDS,
      CLOSED: [...TREATMENT_FIELDS, 'effectiveness_check'],
    },
  },
  {
    title: 'Audit',
    field: 'state',
    required: NAME_ONLY,
    requiredByState: { NOT_STARTED: [], IN_PROGRESS: [], COMPLETED: null, REJECTED: [], OUTDATED: [] },
  },
];
