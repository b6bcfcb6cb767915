/**
 * Rebuilds an organization's records from its export, as docs/trail-format.md says. It was written from that page alone,
 * imports nothing of src, and reads only the page's table of members. Numbers in comments are the page's rules.
 */
import { readFileSync } from 'node:fs';

type Fields = Record<string, unknown>;

/** The relation of two controls. `from_id` is null if it has no direction. */
interface Relation {
  relation: string;
  from_id: string | null;
}

interface ExportedEvent {
  stream: string;
  type: string;
  data: Fields;
  metadata: { organization_id: string; recorded_at: string; schema_version: number };
}

export interface FoldedRecord extends Fields {
  id: string;
  archived_at: string | null;
}

const PAGE = readFileSync(new URL('../../../docs/trail-format.md', import.meta.url), 'utf8');

/** The first events of the kinds that have one of their own. */
const FIRST_EVENTS: Readonly<Record<string, string>> = {
  vendor: 'VendorAdded',
  risk: 'RiskAdded',
  measure: 'MeasureAdded',
  obligation: 'ObligationAdded',
  nonconformity: 'NonconformityRaised',
  framework: 'FrameworkAdopted',
  audit: 'AuditAdded',
  evidence: 'EvidenceAdded',
};

/** Rules 1 and 2: fields beside those of the first event, and values that aren't null. */
const INITIAL_VALUES: Readonly<Record<string, Fields>> = {
  vendor: { status: 'PENDING_REVIEW', review: null, imported: null },
  risk: { status: 'OPEN', acceptance: null, imported: null },
  nonconformity: { status: 'OPEN' },
  obligation: { status: 'NOT_ASSESSED' },
  measure: { state: 'NOT_STARTED' },
  audit: { state: 'NOT_STARTED', completed_position: null },
};

/** Returns the members that the page lists for a type of event, in its newest schema version. */
function membersOnPage(type: string): string[] {
  const rows = [...PAGE.matchAll(new RegExp(`^\\| \`${type}\` \\| \\d+ \\| (.*) \\|$`, 'gm'))];
  const row = rows.at(-1);
  if (row === undefined) throw new Error(`the page has no members of ${type}`);
  const flat = row[1]!.replace(/\{.*?\}/g, '');
  return [...flat.matchAll(/(\w+): /g)].map(([, name]) => name!);
}

const FIELDS = new Map(
  Object.entries(FIRST_EVENTS).map(([kind, type]) => [
    kind,
    membersOnPage(type).filter((name) => !['reason', 'controls', 'record_ids'].includes(name)),
  ]),
);

/** An organization's records at the end of an export, or at a position in it. */
export class FoldedExport {
  readonly organization: Record<'members' | 'membership_ends' | 'domains' | 'tokens', Fields> & {
    name: string;
    import_key: string;
    second_factor_from?: string | null;
    four_eyes_suspended?: readonly string[];
  };
  readonly records = new Map<string, FoldedRecord>();
  /** Proposals, by stream: no answer lists them among records. */
  readonly proposals = new Map<string, Fields>();
  /** Rule 7: by record and connected record, the relation of two controls. */
  private readonly connections = new Map<string, Map<string, Relation | null>>();

  constructor(lines: readonly string[], upTo = Number.POSITIVE_INFINITY) {
    this.organization = { name: '', import_key: '', members: {}, membership_ends: {}, domains: {}, tokens: {} };
    for (const line of lines) {
      const { position, event } = JSON.parse(line) as { position?: number; event?: ExportedEvent };
      if (event === undefined || position! > upTo) continue;
      this.apply(event, position!);
    }
  }

  ids(): string[] {
    return [...this.records.keys()];
  }

  /** Returns a record as answers show it. Rule 6: a control is archived while its framework is. */
  record(id: string): FoldedRecord {
    const record = this.records.get(id)!;
    const framework = id.startsWith('ctl_') ? this.records.get(String(record.framework_id))! : null;
    const [latest = null] = [record.archived_at, framework?.archived_at].filter(Boolean).sort().reverse();
    return { ...record, archived_at: latest! };
  }

  /** Rule 8: the connected records that answers list, without archived ones unless asked for. */
  connectedTo(id: string, withArchived = false): { evidence: string[]; others: string[] } {
    const all = [...(this.connections.get(id)?.keys() ?? [])].sort();
    const visible = all.filter((other) => withArchived || this.record(other).archived_at === null);
    const isEvidence = (other: string) => other.startsWith('evd_');
    return { evidence: visible.filter(isEvidence), others: visible.filter((other) => !isEvidence(other)) };
  }

  /** Returns the relation of a control to another, as answers have it; undefined for other records. */
  relation(id: string, other: string): string | undefined {
    const relation = this.connections.get(id)?.get(other);
    if (!relation) return undefined;
    const isOpposite = relation.from_id === other;
    return isOpposite
      ? { SUPPORTS: 'SUPPORTED_BY', PARTLY: 'PARTLY_COVERED_BY' }[relation.relation]
      : relation.relation;
  }

  apply(exported: ExportedEvent, position: number): void {
    const event = withDates(exported);
    const [kind, id] = split(event.stream);
    if (kind === 'organization') this.applyToOrganization(event);
    else if (kind === 'link') this.applyToLink(event);
    else if (kind === 'crosswalk') this.applyToCrosswalk(event);
    else if (kind === 'proposal')
      this.proposals.set(event.stream, { ...this.proposals.get(event.stream), ...effectOnProposal(event) });
    else if (kind !== 'seal') this.applyToRecord(kind, id, event, position);
  }

  private applyToRecord(kind: string, id: string, event: ExportedEvent, position: number): void {
    const before = this.records.get(id) ?? null;
    const set = event.type === FIRST_EVENTS[kind] ? this.begin(kind, id, event) : effectOf(event, before!, position);
    this.records.set(id, {
      ...before,
      ...(set as FoldedRecord),
      id,
      organization_id: event.metadata.organization_id,
      created_at: before?.created_at ?? event.metadata.recorded_at,
      updated_at: event.metadata.recorded_at,
      revision: Number(before?.revision ?? 0) + 1,
    });
    for (const field of ['framework_id', 'audit_id']) {
      if (kind !== 'control' && field in set) this.reconnect(id, before?.[field], set[field]);
    }
  }

  /** Rules 2, 6 and 7: a record's first event, and what begins with it. */
  private begin(kind: string, id: string, { data, metadata }: ExportedEvent): Fields {
    const { reason: _reason, controls = [], record_ids = [], ...fields } = data;
    for (const control of controls as Fields[]) this.beginControl(control, id, metadata);
    for (const other of record_ids as string[]) this.reconnect(id, null, other);
    const empty = Object.fromEntries(FIELDS.get(kind)!.map((name) => [name, null]));
    return { ...empty, owner_id: null, archived_at: null, ...INITIAL_VALUES[kind], ...fields };
  }

  private beginControl(entry: Fields, framework_id: string, metadata: ExportedEvent['metadata']): void {
    const { organization_id, recorded_at } = metadata;
    const id = String(entry.id);
    this.records.set(id, {
      ...{ description: null, group: null, parent: null },
      ...entry,
      ...{ id, organization_id, framework_id, status: 'INCLUDED', owner_id: null, archived_at: null },
      ...{ inclusion_justification: null, exclusion_justification: null },
      ...{ next_review_due: null, review_interval_months: null, last_reviewed: null },
      ...{ created_at: recorded_at, updated_at: recorded_at, revision: 1 },
    });
    this.reconnect(id, null, framework_id);
  }

  private applyToLink({ type, data }: ExportedEvent): void {
    const [a, b] = data.ids as [string, string];
    if (type === 'RecordsLinked') this.reconnect(a, null, b, data.relation as Relation);
    else if (type === 'RecordsUnlinked') this.reconnect(a, b, null);
    else if (type === 'LinkRelationChanged') this.reconnect(a, null, b, data.to as Relation);
    else throw new Error(type);
  }

  /** Rule 7: a crosswalk connects its pairs. It never disconnects any. */
  private applyToCrosswalk({ type, data }: ExportedEvent): void {
    if (type !== 'CrosswalkImported') throw new Error(type);
    for (const { from_id, to_id, relation } of data.pairs as Record<string, string>[]) {
      const hasDirection = relation !== 'EQUIVALENT';
      this.reconnect(from_id!, null, to_id, { relation: relation!, from_id: hasDirection ? from_id! : null });
    }
  }

  private reconnect(id: string, from: unknown, to: unknown, relation: Relation | null = null): void {
    const connectionsOf = (record: string) => {
      if (!this.connections.has(record)) this.connections.set(record, new Map());
      return this.connections.get(record)!;
    };
    if (typeof from === 'string') {
      connectionsOf(id).delete(from);
      connectionsOf(from).delete(id);
    }
    if (typeof to === 'string') {
      connectionsOf(id).set(to, relation);
      connectionsOf(to).set(id, relation);
    }
  }

  private applyToOrganization({ type, data }: ExportedEvent): void {
    const { members, membership_ends, domains, tokens } = this.organization;
    const { account_id, domain, token_id } = data as Record<string, string>;
    const suspended = this.organization.four_eyes_suspended ?? [];
    switch (type) {
      case 'OrganizationCreated':
        this.organization.name = String(data.name);
        this.organization.import_key = String(data.import_key);
        return;
      case 'OrganizationRenamed':
        this.organization.name = String(data.to);
        return;
      case 'MemberAdded':
        members[account_id!] = data.role;
        delete membership_ends[account_id!];
        if (typeof data.until === 'string') membership_ends[account_id!] = data.until;
        return;
      case 'MemberRoleChanged':
        members[account_id!] = data.to;
        return;
      case 'MemberRemoved':
        delete members[account_id!];
        delete membership_ends[account_id!];
        return;
      case 'DomainAdmitted':
        domains[domain!] = data.role;
        return;
      case 'DomainWithdrawn':
        delete domains[domain!];
        return;
      case 'SecondFactorRequired':
        this.organization.second_factor_from = String(data.from);
        return;
      case 'SecondFactorMadeOptional':
        this.organization.second_factor_from = null;
        return;
      case 'ApprovalPolicyChanged': {
        const { reason: _reason, ...policy } = data;
        const chosen = [...(data.four_eyes as string[]), 'ORGANIZATION_LOWER_FOUR_EYES'];
        const kept = suspended.filter((name) => (data.four_eyes as string[]).length > 0 && chosen.includes(name));
        Object.assign(this.organization, policy, { four_eyes_suspended: kept });
        return;
      }
      case 'FourEyesSuspended':
        this.organization.four_eyes_suspended = [...suspended, ...(data.decisions as string[])];
        return;
      case 'FourEyesResumed':
        this.organization.four_eyes_suspended = suspended.filter(
          (name) => !(data.decisions as string[]).includes(name),
        );
        return;
      case 'TokenCreated': {
        const { token_id: _id, ...token } = data;
        tokens[token_id!] = { ...token, revoked: false };
        return;
      }
      case 'TokenAutonomyChanged':
        tokens[token_id!] = { ...(tokens[token_id!] as Fields), autonomy: data.to };
        return;
      case 'TokenRegenerated':
        tokens[token_id!] = { ...(tokens[token_id!] as Fields), expires_at: data.expires_at };
        return;
      case 'TokenRevoked':
        tokens[token_id!] = { ...(tokens[token_id!] as Fields), revoked: true };
        return;
      default:
        throw new Error(type);
    }
  }
}

/** Returns what the page says that an event of a proposal sets. */
function effectOnProposal({ type, data }: ExportedEvent): Fields {
  const reason = data.reason ?? null;
  const decided = (state: string, by: unknown) => ({ state, decided_by: by, decision_reason: reason });
  switch (type) {
    case 'ProposalMade':
      return { ...data, state: 'OPEN', depends_on: data.depends_on ?? [] };
    case 'ProposalApproved':
      return {
        ...decided('APPROVED', data.approved_by),
        approved_streams: data.streams,
        approved_input: data.input ?? null,
        approved_effects: data.effects ?? null,
        call_id: data.call_id ?? null,
      };
    case 'ProposalDeclined':
      return decided('DECLINED', data.declined_by);
    case 'ProposalWithdrawn':
      return decided('WITHDRAWN', data.withdrawn_by);
    case 'ProposalCarriedOut':
      return { state: 'CARRIED_OUT', call_id: data.call_id, done: data.done, refused: data.refused };
    default:
      throw new Error(type);
  }
}

function split(stream: string): [kind: string, id: string] {
  const dash = stream.indexOf('-');
  return [stream.slice(0, dash), stream.slice(dash + 1)];
}

/** A date counts as the end of its day. */
const endOf = (time: string): string => (time.length === 10 ? `${time}T23:59:59.999Z` : time);

/** The date that a vendor was added or imported with counts as the start of its day. */
function instantOfNewest({ last_reviewed, review, imported }: FoldedRecord): string {
  return review && !imported ? endOf(String(last_reviewed)) : String(last_reviewed);
}

/** The members that may be a date since schema version 2, and how version 1 wrote the date as a time. */
const STATED_TIMES: Readonly<Record<string, readonly [member: string, time: string]>> = {
  VendorAdded: ['last_reviewed', 'T00:00:00.000Z'],
  VendorReviewed: ['reviewed_at', 'T23:59:59.999Z'],
  VendorReviewImported: ['reviewed_at', 'T00:00:00.000Z'],
  MeasureAdded: ['implemented_at', 'T00:00:00.000Z'],
  EvidenceAdded: ['collected_at', 'T00:00:00.000Z'],
  RiskAcceptanceImported: ['accepted_at', 'T00:00:00.000Z'],
};

/** Returns an event with dates where schema version 1 has them as times. */
function withDates(event: ExportedEvent): ExportedEvent {
  if (event.metadata.schema_version > 1 || !(event.type in STATED_TIMES)) return event;
  const [member, time] = STATED_TIMES[event.type]!;
  const value = String(event.data[member]);
  return value.endsWith(time) ? { ...event, data: { ...event.data, [member]: value.slice(0, 10) } } : event;
}

/** Rule 3: returns the fields that an event sets, and their values. */
function effectOf({ type, data }: ExportedEvent, before: FoldedRecord, position: number): Fields {
  const common = /(DetailsChanged|OwnerAssigned|Archived|Restored|Undone)$/.exec(type)?.[1];
  if (common === 'DetailsChanged') return data.changes as Fields;
  if (common === 'OwnerAssigned') return { owner_id: data.owner_id };
  if (common === 'Undone') return data.fields as Fields;
  const { reason: _reason, ...members } = data;
  if (common === 'Archived') return members;
  if (common === 'Restored') return { archived_at: null, ...('replaced_by' in before ? { replaced_by: null } : {}) };
  switch (type) {
    case 'VendorReviewed': {
      const { next_review_due, ...review } = members;
      if (before.last_reviewed !== null && instantOfNewest(before) > endOf(String(review.reviewed_at))) return {};
      const { outcome: status, reviewed_at: last_reviewed } = review;
      return { status, last_reviewed, next_review_due, review, imported: null };
    }
    case 'VendorReviewImported': {
      const { name_id, source, ...review } = members;
      return { status: review.outcome, last_reviewed: review.reviewed_at, review, imported: { name_id, source } };
    }
    case 'VendorReviewWithdrawn':
    case 'ObligationAssessmentWithdrawn':
      return data.fields as Fields;
    case 'VendorSuspended':
      return { status: 'SUSPENDED' };
    case 'VendorOffboarded':
      return { status: 'OFFBOARDED' };
    case 'RiskAssessed': {
      const ratings = data.ratings as Fields;
      const isRated = Object.values(ratings).some((rating) => rating !== null);
      return isRated ? { ...ratings, last_assessed_at: data.assessed_at } : ratings;
    }
    case 'RiskTreatmentStarted':
      return { status: 'IN_TREATMENT' };
    case 'RiskTreatmentHalted':
      return { status: 'OPEN' };
    case 'RiskAccepted':
      return { status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance: data, imported: null };
    case 'RiskAcceptanceImported': {
      const { name_id, source, ...acceptance } = data;
      return { status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance, imported: { name_id, source } };
    }
    case 'RiskAcceptanceRevoked':
    case 'RiskReopened':
      return { status: 'OPEN', acceptance: null, imported: null };
    case 'RiskClosed':
      return { status: 'CLOSED', acceptance: null, imported: null };
    case 'MeasureStarted':
      return { state: 'IN_PROGRESS' };
    case 'MeasureImplemented':
      return { state: 'IMPLEMENTED', ...members };
    case 'MeasureSetBack':
      return { state: data.to, implemented_at: null };
    case 'MeasureRuledOut':
      return { state: 'NOT_APPLICABLE', ...members, implemented_at: null };
    case 'MeasureReinstated':
      return { state: data.to, implemented_at: data.implemented_at };
    case 'RiskTreatmentPlanned':
    case 'RiskReviewed':
    case 'MeasureReviewed':
    case 'ControlReviewed':
    case 'MeasureJustificationChanged':
    case 'ObligationAssessed':
    case 'ObligationReviewDateCorrected':
    case 'ControlJustified':
      return members;
    case 'NonconformityWorkStarted':
      return { status: 'IN_PROGRESS' };
    case 'NonconformitySubmittedForVerification':
      return { status: 'PENDING_VERIFICATION' };
    case 'NonconformityClosed':
      return { status: 'CLOSED', ...members };
    case 'NonconformitySetBack':
      return { status: data.to };
    case 'NonconformityReopened':
      return { status: 'OPEN', closed_at: null };
    case 'ControlExcluded':
      return { status: 'EXCLUDED', ...members };
    case 'ControlIncluded':
      return { status: 'INCLUDED', ...members };
    case 'AuditStarted':
    case 'AuditReopened':
      return { state: 'IN_PROGRESS' };
    case 'AuditCompleted':
      return { state: 'COMPLETED', completed_position: String(position) };
    case 'AuditReinstated':
      return { state: 'COMPLETED' };
    case 'AuditRejected':
      return { state: 'REJECTED' };
    case 'AuditOutdated':
      return { state: 'OUTDATED' };
    default:
      throw new Error(`the page has no effect of ${type}`);
  }
}
