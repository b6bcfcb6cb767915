/** Computes derived facts by their definitions, from scratch, in a plain register. */
import type { NaiveRegister, Plain } from './naive-register.ts';

type Facts = Record<string, unknown>;
type Fields = Plain['fields'];

const text = (value: unknown) => (value === undefined || value === null ? null : String(value));

function product(a: unknown, b: unknown): number | null {
  return a && b ? Number(a) * Number(b) : null;
}

function priorityOf(score: number | null): string | null {
  if (score === null) return null;
  return score <= 4 ? 'LOW' : score <= 9 ? 'MEDIUM' : score <= 14 ? 'HIGH' : 'CRITICAL';
}

function isPast(date: unknown, today: string): boolean {
  return text(date) !== null && String(date) < today;
}

function isValid({ today }: NaiveRegister, { fields }: Plain): boolean {
  return !isPast(fields.valid_until, today);
}

/** Returns true if the obligation is compliant and its last review is no more than 366 days older than the due date. */
function isMet({ status, last_review_date, due_date }: Facts): boolean {
  if (status !== 'COMPLIANT' || !last_review_date) return false;
  return Date.parse(String(due_date)) - Date.parse(String(last_review_date)) <= 366 * 86_400_000;
}

function implementationOf(register: NaiveRegister, control: Plain): string {
  const counting = register.live(control.id, 'MEASURE').filter(({ fields }) => fields.state !== 'NOT_APPLICABLE');
  const states = counting.map(({ fields }) => fields.state);
  if (states.length > 0 && states.every((state) => state === 'IMPLEMENTED')) return 'FULL';
  if (states.includes('IMPLEMENTED')) return 'PARTIAL';
  return states.includes('IN_PROGRESS') ? 'STARTED' : 'NONE';
}

/** Returns true if a record of the evidence, no framework or audit, has evidence that is collected later and valid longer. */
export function isReplaced(register: NaiveRegister, { id, fields, created_at }: Plain): boolean {
  const until = (evidence: Fields) => text(evidence.valid_until) ?? '9999-12-31';
  const collected = (evidence: Fields, added: string) => (text(evidence.collected_at) ?? added).slice(0, 10);
  const records = register
    .linkedTo(id)
    .filter((record) => register.archivedAt(record) === null && !['FRAMEWORK', 'AUDIT'].includes(record.type));
  const isReplacedAt = (record: Plain) =>
    register
      .live(record.id, 'EVIDENCE')
      .some(
        (other) =>
          until(other.fields) > until(fields) &&
          collected(other.fields, other.created_at) > collected(fields, created_at),
      );
  return records.some(isReplacedAt);
}

const FACTS: Readonly<Record<string, (register: NaiveRegister, record: Plain) => Facts>> = {
  RISK: (register, { id, fields }) => {
    const inherent_score = product(fields.inherent_likelihood, fields.inherent_impact);
    const residual_score = product(fields.residual_likelihood, fields.residual_impact);
    const score = residual_score ?? inherent_score;
    const acceptance = fields.acceptance as { until: string } | null;
    return {
      inherent_score,
      residual_score,
      score,
      priority: priorityOf(score),
      last_assessed_at: fields.last_assessed_at,
      acceptance: acceptance && { ...acceptance, expired: isPast(acceptance.until, register.today) },
      measure_count: register.live(id, 'MEASURE').length,
    };
  },
  VENDOR: (_register, { fields: { last_reviewed, review } }) => ({ last_reviewed, review }),
  MEASURE: (register, { id, fields }) => ({
    state: fields.state,
    evidence_count: register.live(id, 'EVIDENCE').length,
    valid_evidence_count: register.live(id, 'EVIDENCE').filter((evidence) => isValid(register, evidence)).length,
    control_count: register.live(id, 'CONTROL').length,
    risk_count: register.live(id, 'RISK').length,
    overdue:
      isPast(fields.due_date, register.today) && fields.state !== 'IMPLEMENTED' && fields.state !== 'NOT_APPLICABLE',
  }),
  FRAMEWORK: (register, { id }) => {
    const controls = register.live(id, 'CONTROL');
    const included = controls.filter(({ fields }) => fields.status === 'INCLUDED');
    const implemented = included.filter((control) => implementationOf(register, control) === 'FULL');
    return {
      control_count: controls.length,
      included_count: included.length,
      implemented_count: implemented.length,
      coverage: included.length === 0 ? null : implemented.length / included.length,
    };
  },
  CONTROL: (register, control) => ({
    framework_id: control.fields.framework_id,
    measure_count: register.live(control.id, 'MEASURE').length,
    implementation: implementationOf(register, control),
  }),
  OBLIGATION: (register, { fields }) => ({ overdue: isPast(fields.due_date, register.today) && !isMet(fields) }),
  NONCONFORMITY: (register, { fields }) => ({
    status: fields.status,
    closed_at: fields.closed_at,
    overdue: isPast(fields.due_date, register.today) && fields.status !== 'CLOSED',
  }),
  AUDIT: (_register, { fields: { completed_position } }) => ({ completed_position }),
  EVIDENCE: (register, evidence) => {
    const { id, fields } = evidence;
    const live = register.linkedTo(id).filter((other) => register.archivedAt(other) === null);
    const expired = isPast(fields.valid_until, register.today);
    const replaced = Boolean(fields.replaced_by) || isReplaced(register, evidence);
    return { replaced, expired, record_ids: live.map((other) => other.id).sort(), record_count: live.length };
  },
};

/** Returns all derived facts of a record: those common to all families and those of its family. */
export function factsOf(register: NaiveRegister, record: Plain): Facts {
  const { id, created_at, updated_at, revision, type } = record;
  const archived_at = register.archivedAt(record);
  return { id, created_at, updated_at, revision, archived_at, ...FACTS[type]!(register, record) };
}

/** Tests for each value of `missing`, as of `register.today`. */
export const MISSING_TESTS: Readonly<Record<string, (register: NaiveRegister, record: Plain) => boolean>> = {
  OWNER: (_register, { fields }) => text(fields.owner_id) === null,
  // No history here removes a member.
  OWNER_GONE: () => false,
  SCORE: (register, record) => FACTS.RISK!(register, record).score === null,
  MEASURES: (register, { id }) => register.live(id, 'MEASURE').length === 0,
  CONTROLS: (register, { id }) => register.live(id, 'CONTROL').length === 0,
  RISKS: (register, { id }) => register.live(id, 'RISK').length === 0,
  EVIDENCE: (register, { id }) => !register.live(id, 'EVIDENCE').some((evidence) => isValid(register, evidence)),
  ROOT_CAUSE: (_register, { fields }) => !fields.root_cause,
};
