import { addDays, dateOf } from './dates.ts';
import type { Decider, DecisionContext } from './decider.ts';
import {
  because,
  decideArchive,
  given,
  isEmpty,
  pick,
  type Reasoned,
  type RecordCommand,
  type RecordEvent,
  type RecordFacts,
  refuseIfArchived,
  refuseIfKnown,
  refuseMove,
  requireReason,
  requireState,
  whatChanges,
} from './record.ts';
import { Refusal } from './refusal.ts';

export const CRITICALITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const OUTCOMES = ['APPROVED', 'CONDITIONAL', 'REJECTED'] as const;
/** Statuses that are set by hand; the others are outcomes of reviews. */
export const OUT_OF_SERVICE = ['SUSPENDED', 'OFFBOARDED'] as const;
export const VENDOR_STATUSES = ['PENDING_REVIEW', ...OUTCOMES, ...OUT_OF_SERVICE] as const;

export type VendorStatus = (typeof VENDOR_STATUSES)[number];
type OutOfService = (typeof OUT_OF_SERVICE)[number];

/** Days from a review to the next one, unless the reviewer says otherwise. */
const REVIEW_INTERVAL_DAYS = 365;

/** What is corrected rather than decided. */
export const VENDOR_DETAILS = [
  'name',
  'description',
  'website_url',
  'category',
  'country',
  'criticality',
  'data_shared',
  'processes_personal_data',
  'contract_until',
  'next_review_due',
] as const;

export interface VendorDetails {
  name: string;
  description: string | null;
  website_url: string | null;
  category: string | null;
  country: string | null;
  criticality: (typeof CRITICALITIES)[number] | null;
  data_shared: string | null;
  processes_personal_data: boolean | null;
  contract_until: string | null;
  next_review_due: string | null;
}

export interface VendorReview {
  outcome: (typeof OUTCOMES)[number];
  findings: string | null;
  conditions: string | null;
  reviewed_by: string;
  reviewed_at: string;
}

export interface VendorState extends VendorDetails, RecordFacts {
  last_reviewed: string | null;
  status: VendorStatus;
  review: VendorReview | null;
}

export type VendorEvent =
  | RecordEvent<'Vendor'>
  | { type: 'VendorAdded'; data: Partial<Omit<VendorState, 'review' | 'archived_at'>> & { name: string } & Reasoned }
  | { type: 'VendorDetailsChanged'; data: { changes: Partial<VendorDetails> } & Reasoned }
  | { type: 'VendorReviewed'; data: VendorReview & { next_review_due: string } & Reasoned }
  | { type: 'VendorSuspended'; data: { reason: string } }
  | { type: 'VendorOffboarded'; data: { reason: string } };

export type VendorCommand =
  | RecordCommand
  | ({ type: 'AddVendor'; fields: Partial<VendorState> & { name: string } } & Reasoned)
  | ({ type: 'UpdateVendor'; changes: Partial<VendorState> } & Reasoned)
  | ({
      type: 'ReviewVendor';
      outcome: VendorReview['outcome'];
      findings?: string | null;
      conditions?: string | null;
      reviewed_at?: string;
      next_review_due?: string | null;
    } & Reasoned);

const UNKNOWN: VendorState = {
  name: '',
  description: null,
  website_url: null,
  category: null,
  country: null,
  criticality: null,
  data_shared: null,
  processes_personal_data: null,
  contract_until: null,
  next_review_due: null,
  owner_id: null,
  archived_at: null,
  last_reviewed: null,
  status: 'PENDING_REVIEW',
  review: null,
};

function decide(command: VendorCommand, state: VendorState | null, context: DecisionContext): VendorEvent[] {
  switch (command.type) {
    case 'AddVendor':
      refuseIfKnown(state);
      return add(command, context);
    case 'UpdateVendor':
      return update(command, requireState(state));
    case 'ReviewVendor':
      return review(command, requireState(state), context);
    case 'Archive':
    case 'Restore':
      return decideArchive('Vendor', command, requireState(state), context);
  }
}

function add(command: Extract<VendorCommand, { type: 'AddVendor' }>, context: DecisionContext): VendorEvent[] {
  const { status = 'PENDING_REVIEW', last_reviewed } = command.fields;
  if (status !== 'PENDING_REVIEW') {
    if (!isOutOfService(status)) {
      refuseMove('A new vendor', status, ['PENDING_REVIEW', ...OUT_OF_SERVICE], 'Add it, then call reviewVendor.');
    }
    requireReason(command.reason, `why the vendor is ${status}`);
  }
  if (last_reviewed) refuseFuture('last_reviewed', last_reviewed, context);
  return [
    { type: 'VendorAdded', data: { ...given(command.fields), name: command.fields.name, ...because(command.reason) } },
  ];
}

function update(command: Extract<VendorCommand, { type: 'UpdateVendor' }>, state: VendorState): VendorEvent[] {
  refuseIfArchived(state);
  const changed = whatChanges(state, command.changes);
  const reason = because(command.reason);
  const events: VendorEvent[] = [];
  const changes = pick(changed, VENDOR_DETAILS);
  if (!isEmpty(changes)) events.push({ type: 'VendorDetailsChanged', data: { changes, ...reason } });
  if (changed.owner_id !== undefined) {
    events.push({ type: 'VendorOwnerAssigned', data: { owner_id: changed.owner_id, ...reason } });
  }
  if (changed.status) events.push(takeOutOfService(state.status, changed.status, command.reason));
  return events;
}

function takeOutOfService(from: VendorStatus, to: VendorStatus, reason: string | undefined): VendorEvent {
  if (!isOutOfService(to)) {
    const allowed = OUT_OF_SERVICE.filter((status) => status !== from);
    refuseMove(from, to, allowed, 'APPROVED, CONDITIONAL and REJECTED are outcomes of reviewVendor.');
  }
  const data = { reason: requireReason(reason, `why the vendor is ${to}`) };
  return to === 'SUSPENDED' ? { type: 'VendorSuspended', data } : { type: 'VendorOffboarded', data };
}

function review(
  command: Extract<VendorCommand, { type: 'ReviewVendor' }>,
  state: VendorState,
  context: DecisionContext,
): VendorEvent[] {
  refuseIfArchived(state);
  if (command.outcome === 'CONDITIONAL' && !command.conditions) {
    throw new Refusal('invalid_input', 'A CONDITIONAL outcome needs the conditions the vendor has to meet.', {
      field: 'conditions',
    });
  }
  const reviewed_at = command.reviewed_at ?? context.now;
  refuseFuture('reviewed_at', reviewed_at, context);
  const next_review_due = command.next_review_due ?? addDays(reviewed_at, REVIEW_INTERVAL_DAYS);
  if (next_review_due < dateOf(reviewed_at)) {
    throw new Refusal('invalid_input', 'The next review cannot be due before this one took place.', {
      field: 'next_review_due',
    });
  }
  const data = {
    outcome: command.outcome,
    findings: command.findings ?? null,
    conditions: command.conditions ?? null,
    reviewed_by: context.actor_id,
    reviewed_at,
    next_review_due,
    ...because(command.reason),
  };
  return [{ type: 'VendorReviewed', data }];
}

function isOutOfService(status: VendorStatus): status is OutOfService {
  return OUT_OF_SERVICE.some((s) => s === status);
}

function refuseFuture(field: string, timestamp: string, context: DecisionContext): void {
  if (timestamp <= context.now) return;
  throw new Refusal('invalid_input', `${field} is in the future: give a time up to now (${context.now}).`, { field });
}

function evolve(state: VendorState | null, event: VendorEvent): VendorState {
  if (event.type === 'VendorAdded') {
    const { reason: _reason, ...fields } = event.data;
    return { ...UNKNOWN, ...fields };
  }
  const vendor = requireState(state);
  switch (event.type) {
    case 'VendorDetailsChanged':
      return { ...vendor, ...event.data.changes };
    case 'VendorOwnerAssigned':
      return { ...vendor, owner_id: event.data.owner_id };
    case 'VendorReviewed':
      return reviewed(vendor, event.data);
    case 'VendorSuspended':
      return { ...vendor, status: 'SUSPENDED' };
    case 'VendorOffboarded':
      return { ...vendor, status: 'OFFBOARDED' };
    case 'VendorArchived':
      return { ...vendor, archived_at: event.data.archived_at };
    case 'VendorRestored':
      return { ...vendor, archived_at: null };
  }
}

/** A review older than the newest stays in the history and changes nothing else. */
function reviewed(vendor: VendorState, data: Extract<VendorEvent, { type: 'VendorReviewed' }>['data']): VendorState {
  if (vendor.last_reviewed !== null && data.reviewed_at < vendor.last_reviewed) return vendor;
  const { next_review_due, reason: _reason, ...review } = data;
  return { ...vendor, status: data.outcome, last_reviewed: data.reviewed_at, next_review_due, review };
}

export const vendor: Decider<VendorState, VendorCommand, VendorEvent> = { decide, evolve };
