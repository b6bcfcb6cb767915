/**
 * Builds the register from the log in the slow and simple way. Links are a set of pairs, and derived facts are counted from
 * scratch at each call. It shares no code with the projections.
 */
import type { StoredEvent } from '../../../src/stores/event-store.ts';

type Fields = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: events of every type are read here as they are written
type Data = { [field: string]: any };

export interface Plain {
  id: string;
  type: string;
  fields: Fields;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
  /** The number of the record's events. */
  revision: number;
}

const BLANKS: Readonly<Record<string, Fields>> = {
  RISK: { status: 'OPEN', last_assessed_at: null, acceptance: null, imported: null },
  VENDOR: { status: 'PENDING_REVIEW', last_reviewed: null, review: null, imported: null },
  MEASURE: { state: 'NOT_STARTED' },
  CONTROL: { status: 'INCLUDED' },
  OBLIGATION: { status: 'NOT_ASSESSED' },
  NONCONFORMITY: { status: 'OPEN', closed_at: null },
  AUDIT: { state: 'NOT_STARTED', completed_position: null },
};

type Effect = (fields: Fields, data: Data, event: { position: number; recorded_at: string; actor: string }) => void;

const setting =
  (change: Fields): Effect =>
  (fields) =>
    Object.assign(fields, change);
const leaving =
  (...parts: string[]): Effect =>
  (fields, data) => {
    for (const part of parts) fields[part] = data[part];
  };

const settingBack: Effect = (recordFields, { fields }) => Object.assign(recordFields, fields);

/** Applies event types other than those for adding, correcting, assigning, archiving and linking. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  RiskAssessed: (fields, { ratings, assessed_at }) => {
    Object.assign(fields, ratings);
    if (Object.values(ratings as object).some((rating) => rating !== null)) fields.last_assessed_at = assessed_at;
  },
  RiskTreatmentPlanned: leaving('treatment'),
  RiskTreatmentStarted: setting({ status: 'IN_TREATMENT' }),
  RiskTreatmentHalted: setting({ status: 'OPEN' }),
  RiskAccepted: (fields, { approver_id, recorded_by, accepted_at, until, reason }) => {
    const acceptance = { approver_id, recorded_by, accepted_at, until, reason };
    Object.assign(fields, { status: 'ACCEPTED', acceptance, imported: null });
  },
  RiskAcceptanceImported: (fields, { name_id, source, ...acceptance }) => {
    Object.assign(fields, { status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance, imported: { name_id, source } });
  },
  RiskAcceptanceRevoked: setting({ status: 'OPEN', acceptance: null, imported: null }),
  RiskReopened: setting({ status: 'OPEN', acceptance: null, imported: null }),
  RiskClosed: setting({ status: 'CLOSED', acceptance: null, imported: null }),
  VendorReviewed: (fields, { reviewed_at, outcome, findings, conditions, reviewed_by, next_review_due }) => {
    const newest = fields.last_reviewed as string | null;
    // A date with which the vendor came is as early as its day.
    const isOwn = fields.review !== null && fields.imported === null;
    const newestText = newest?.length === 10 && isOwn ? `${newest}U` : newest;
    if (newestText !== null && newestText > (reviewed_at.length === 10 ? `${reviewed_at}U` : reviewed_at)) return;
    Object.assign(fields, { last_reviewed: reviewed_at, status: outcome, next_review_due, imported: null });
    fields.review = { outcome, findings, conditions, reviewed_by, reviewed_at };
  },
  VendorReviewImported: (fields, { reviewed_at, outcome, findings, conditions, reviewed_by, name_id, source }) => {
    Object.assign(fields, { last_reviewed: reviewed_at, status: outcome, imported: { name_id, source } });
    fields.review = { outcome, findings, conditions, reviewed_by, reviewed_at };
  },
  VendorSuspended: setting({ status: 'SUSPENDED' }),
  VendorOffboarded: setting({ status: 'OFFBOARDED' }),
  RiskReviewed: leaving('last_reviewed', 'next_review_due'),
  MeasureReviewed: leaving('last_reviewed', 'next_review_due'),
  ControlReviewed: leaving('last_reviewed', 'next_review_due'),
  MeasureStarted: setting({ state: 'IN_PROGRESS' }),
  MeasureImplemented: setting({ state: 'IMPLEMENTED' }),
  MeasureSetBack: (fields, { to }) => Object.assign(fields, { state: to }),
  MeasureRuledOut: setting({ state: 'NOT_APPLICABLE' }),
  MeasureReinstated: (fields, { to }) => Object.assign(fields, { state: to }),
  MeasureJustificationChanged: () => undefined,
  ControlIncluded: setting({ status: 'INCLUDED' }),
  ControlExcluded: setting({ status: 'EXCLUDED' }),
  ControlJustified: () => undefined,
  ObligationAssessed: leaving('status', 'last_review_date'),
  ObligationReviewDateCorrected: leaving('last_review_date'),
  NonconformityWorkStarted: setting({ status: 'IN_PROGRESS' }),
  NonconformitySubmittedForVerification: setting({ status: 'PENDING_VERIFICATION' }),
  NonconformityClosed: (fields, { closed_at }) => Object.assign(fields, { status: 'CLOSED', closed_at }),
  NonconformitySetBack: (fields, { to }) => Object.assign(fields, { status: to }),
  NonconformityReopened: setting({ status: 'OPEN', closed_at: null }),
  AuditStarted: setting({ state: 'IN_PROGRESS' }),
  AuditReopened: setting({ state: 'IN_PROGRESS' }),
  AuditCompleted: (fields, _data, { position }) =>
    Object.assign(fields, { state: 'COMPLETED', completed_position: String(position) }),
  AuditRejected: setting({ state: 'REJECTED' }),
  AuditOutdated: setting({ state: 'OUTDATED' }),
  AuditReinstated: setting({ state: 'COMPLETED' }),
  VendorReviewWithdrawn: settingBack,
  ObligationAssessmentWithdrawn: settingBack,
};

const INITIAL_STATES = ['Added', 'Adopted', 'Raised'];
/** Fields that refer to another record. */
const REFERENCES = ['framework_id', 'audit_id'];

export class NaiveRegister {
  readonly records = new Map<string, Plain>();
  private readonly links = new Map<string, readonly [string, string]>();
  position = 0;
  /** The day of the newest log time. */
  today = '';

  take(event: StoredEvent): void {
    this.position += 1;
    const { recorded_at } = event.metadata;
    if (recorded_at.slice(0, 10) > this.today) this.today = recorded_at.slice(0, 10);
    const [stream = '', id = ''] = [
      event.stream.slice(0, event.stream.indexOf('-')),
      event.stream.slice(event.stream.indexOf('-') + 1),
    ];
    const data = event.data as Data;
    if (stream === 'organization') return;
    if (stream === 'link') {
      this.link(event.type !== 'RecordsUnlinked', data.ids);
      return;
    }
    if (stream === 'crosswalk') {
      for (const { from_id, to_id } of data.pairs) this.link(true, [from_id, to_id]);
      return;
    }
    const type = stream.toUpperCase();
    const title = `${type[0]}${stream.slice(1)}`;
    const happened = event.type.slice(title.length);
    if (INITIAL_STATES.includes(happened)) this.begin(id, type, data, recorded_at);
    else this.change(this.records.get(id)!, happened, event);
  }

  private begin(id: string, type: string, { controls, record_ids, ...fields }: Data, at: string): void {
    const facts = { archived_at: null, created_at: at, updated_at: at, revision: 1 };
    this.records.set(id, { id, type, fields: { ...BLANKS[type], ...fields }, ...facts });
    for (const control of controls ?? []) {
      const fields = { ...BLANKS.CONTROL, ...control, framework_id: id };
      this.records.set(control.id, { id: control.id, type: 'CONTROL', fields, ...facts });
    }
    for (const recordId of record_ids ?? []) this.link(true, [id, recordId]);
  }

  private change(record: Plain, happened: string, { type, data, metadata }: StoredEvent): void {
    record.revision += 1;
    record.updated_at = metadata.recorded_at;
    const eventData = data as Data;
    if (happened === 'DetailsChanged') Object.assign(record.fields, eventData.changes);
    else if (happened === 'OwnerAssigned') record.fields.owner_id = eventData.owner_id;
    else if (happened === 'Archived' || happened === 'Restored') {
      record.archived_at = eventData.archived_at ?? null;
      if (record.type === 'EVIDENCE') record.fields.replaced_by = eventData.replaced_by ?? null;
    } else if (happened === 'Undone') {
      const { archived_at = record.archived_at, ...fields } = eventData.fields as Fields;
      Object.assign(record.fields, fields);
      record.archived_at = archived_at as string | null;
    } else {
      const effect = EFFECTS[type];
      if (effect === undefined) throw new Error(`EFFECTS in ${import.meta.url} has to say what ${type} does`);
      effect(record.fields, eventData, {
        position: this.position,
        recorded_at: metadata.recorded_at,
        actor: metadata.actor_id,
      });
    }
  }

  private link(isLinked: boolean, ids: readonly [string, string]): void {
    const key = [...ids].sort().join(' ');
    if (isLinked) this.links.set(key, ids);
    else this.links.delete(key);
  }

  /** A control is archived with its framework, too. */
  archivedAt({ type, archived_at, fields }: Plain): string | null {
    const above = type === 'CONTROL' ? this.records.get(String(fields.framework_id))!.archived_at : null;
    return (
      [archived_at, above]
        .filter((at) => at !== null)
        .sort()
        .at(-1) ?? null
    );
  }

  /** Returns all records linked with one, archived or not: by a link, or by a reference in either direction. */
  linkedTo(id: string): Plain[] {
    const neighbours = new Set<string>();
    for (const [a, b] of this.links.values()) {
      if (a === id) neighbours.add(b);
      if (b === id) neighbours.add(a);
    }
    for (const record of this.records.values()) {
      for (const field of REFERENCES) {
        if (record.fields[field] === id) neighbours.add(record.id);
        if (record.id === id && record.fields[field]) neighbours.add(String(record.fields[field]));
      }
    }
    return [...neighbours].map((other) => this.records.get(other)!);
  }

  /** Returns the linked records of a type that are not archived. */
  live(id: string, type: string): Plain[] {
    return this.linkedTo(id).filter((other) => other.type === type && this.archivedAt(other) === null);
  }

  ofType(type: string): Plain[] {
    return [...this.records.values()].filter((record) => record.type === type);
  }
}
