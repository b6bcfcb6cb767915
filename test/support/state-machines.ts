/*
 * Every state machine of the register, written from the contract (its section on records), not from the code: what each
 * state may become, and what a move has to come with. What is not named here is refused.
 */
import { daysAgo } from './past.ts';

/** What a move needs beside the state it leads to: each of these fields, without which it is refused. */
type Needs = readonly string[];

export interface StateMachine {
  /** In tools: Risk of addRisk. */
  title: string;
  /** The tool that moves, and its input that says where to. */
  tool: string;
  field: string;
  /** Where in an answer the state stands. */
  shown: 'status' | 'state';
  /** From each state, what the tool may be told, with what it needs. */
  moves: Readonly<Record<string, Readonly<Record<string, Needs>>>>;
  /** All that the field may say, in the order in which an answer tells what is allowed. */
  all: readonly string[];
  /** The state that a move leads to, where the field does not say so itself. */
  leadsTo?: Readonly<Record<string, string>>;
  /** Saying the state that it has again changes nothing, rather than being a move. */
  settable: boolean;
}

/** How each state is begun: what a new record needs to be in it, and null where none begins so. */
export interface Beginnings {
  title: string;
  field: 'status' | 'state';
  required: object;
  begins: Readonly<Record<string, Needs | null>>;
}

/** A value for everything that a move or a beginning can need. */
export const NEEDED: Readonly<Record<string, string>> = {
  reason: 'Because it is so',
  justification: 'We have none of these',
  exclusion_justification: 'We have none of these',
  root_cause: 'Nobody was named',
  corrective_action: 'Somebody is named',
  effectiveness_check: 'It was done four times',
  conditions: 'Encrypts by summer',
  until: daysAgo(-30),
};

const TREATED = ['root_cause', 'corrective_action'];
const OUT = { SUSPENDED: ['reason'], OFFBOARDED: ['reason'] };
const REVIEW = { APPROVED: [], CONDITIONAL: ['conditions'], REJECTED: [] };
const VENDOR_STATUSES = ['PENDING_REVIEW', 'APPROVED', 'CONDITIONAL', 'REJECTED', 'SUSPENDED', 'OFFBOARDED'];
const COMPLIANCE = ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'];

export const MACHINES: readonly StateMachine[] = [
  {
    ...{ title: 'Risk', tool: 'updateRisk', field: 'status', shown: 'status', settable: true },
    all: ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'],
    moves: { OPEN: { IN_TREATMENT: [] }, IN_TREATMENT: { OPEN: [] }, ACCEPTED: {}, CLOSED: {} },
  },
  {
    ...{ title: 'Risk', tool: 'decideRisk', field: 'decision', shown: 'status', settable: false },
    all: ['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN'],
    leadsTo: { ACCEPT: 'ACCEPTED', REVOKE: 'OPEN', CLOSE: 'CLOSED', REOPEN: 'OPEN' },
    moves: {
      OPEN: { ACCEPT: ['reason', 'until'], CLOSE: ['reason'] },
      IN_TREATMENT: { ACCEPT: ['reason', 'until'], CLOSE: ['reason'] },
      ACCEPTED: { REVOKE: [], CLOSE: ['reason'] },
      CLOSED: { REOPEN: ['reason'] },
    },
  },
  {
    ...{ title: 'Vendor', tool: 'updateVendor', field: 'status', shown: 'status', settable: true },
    all: VENDOR_STATUSES,
    moves: {
      PENDING_REVIEW: OUT,
      APPROVED: OUT,
      CONDITIONAL: OUT,
      REJECTED: OUT,
      SUSPENDED: { OFFBOARDED: ['reason'] },
      OFFBOARDED: { SUSPENDED: ['reason'] },
    },
  },
  {
    ...{ title: 'Vendor', tool: 'reviewVendor', field: 'outcome', shown: 'status', settable: false },
    all: ['APPROVED', 'CONDITIONAL', 'REJECTED'],
    moves: Object.fromEntries(VENDOR_STATUSES.map((status) => [status, REVIEW])),
  },
  {
    ...{ title: 'Measure', tool: 'updateMeasure', field: 'state', shown: 'state', settable: true },
    all: ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'],
    moves: {
      NOT_STARTED: { IN_PROGRESS: [], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
      IN_PROGRESS: { NOT_STARTED: ['reason'], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
      IMPLEMENTED: { NOT_STARTED: ['reason'], IN_PROGRESS: ['reason'], NOT_APPLICABLE: ['justification'] },
      NOT_APPLICABLE: { NOT_STARTED: ['reason'], IN_PROGRESS: ['reason'], IMPLEMENTED: ['reason'] },
    },
  },
  {
    ...{ title: 'Obligation', tool: 'updateObligation', field: 'status', shown: 'status', settable: false },
    all: COMPLIANCE,
    moves: Object.fromEntries(
      COMPLIANCE.map((from) => [from, Object.fromEntries(COMPLIANCE.map((to): [string, Needs] => [to, []]))]),
    ),
  },
  {
    ...{ title: 'Nonconformity', tool: 'updateNonconformity', field: 'status', shown: 'status', settable: true },
    all: ['OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'],
    moves: {
      OPEN: { IN_PROGRESS: [], PENDING_VERIFICATION: TREATED, CLOSED: [...TREATED, 'effectiveness_check'] },
      IN_PROGRESS: {
        OPEN: ['reason'],
        PENDING_VERIFICATION: TREATED,
        CLOSED: [...TREATED, 'effectiveness_check'],
      },
      PENDING_VERIFICATION: { OPEN: ['reason'], IN_PROGRESS: ['reason'], CLOSED: ['effectiveness_check'] },
      CLOSED: { OPEN: ['reason'] },
    },
  },
  {
    ...{ title: 'Control', tool: 'updateControl', field: 'status', shown: 'status', settable: true },
    all: ['INCLUDED', 'EXCLUDED'],
    moves: { INCLUDED: { EXCLUDED: ['exclusion_justification'] }, EXCLUDED: { INCLUDED: [] } },
  },
  {
    ...{ title: 'Audit', tool: 'updateAudit', field: 'state', shown: 'state', settable: true },
    all: ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED'],
    moves: {
      NOT_STARTED: { IN_PROGRESS: [], COMPLETED: [], REJECTED: [] },
      IN_PROGRESS: { COMPLETED: [], REJECTED: [] },
      COMPLETED: { IN_PROGRESS: ['reason'], OUTDATED: [] },
      REJECTED: {},
      OUTDATED: {},
    },
  },
];

const NAMED = { name: 'Begun' };

export const BEGINNINGS: readonly Beginnings[] = [
  {
    ...{ title: 'Risk', field: 'status', required: NAMED },
    begins: { OPEN: [], IN_TREATMENT: [], ACCEPTED: null, CLOSED: ['reason'] },
  },
  {
    ...{ title: 'Vendor', field: 'status', required: NAMED },
    begins: { PENDING_REVIEW: [], APPROVED: null, CONDITIONAL: null, REJECTED: null, ...OUT },
  },
  {
    ...{ title: 'Measure', field: 'state', required: NAMED },
    begins: { NOT_STARTED: [], IN_PROGRESS: [], IMPLEMENTED: [], NOT_APPLICABLE: ['justification'] },
  },
  {
    // What was assessed today already is not assessed again by the same status.
    ...{ title: 'Obligation', field: 'status', required: { requirement: 'Begun', last_review_date: '2020-01-01' } },
    begins: { NOT_ASSESSED: [], NON_COMPLIANT: [], PARTIALLY_COMPLIANT: [], COMPLIANT: [] },
  },
  {
    ...{ title: 'Nonconformity', field: 'status', required: { description: 'Begun' } },
    begins: {
      OPEN: [],
      IN_PROGRESS: [],
      PENDING_VERIFICATION: TREATED,
      CLOSED: [...TREATED, 'effectiveness_check'],
    },
  },
  {
    ...{ title: 'Audit', field: 'state', required: NAMED },
    begins: { NOT_STARTED: [], IN_PROGRESS: [], COMPLETED: null, REJECTED: [], OUTDATED: [] },
  },
];
