import type { ComponentChildren } from 'preact';
import type { LinkedSummary, RecordAnswer, RecordDetails } from '../../../queries/records/record-details.ts';
import type { FamilyName } from '../../../register/families.ts';
import { codeWords, shareText } from '../../../texts/words.ts';
import { LongDay } from '../../components/components.tsx';

type Reason = (details: RecordDetails) => ComponentChildren;

/** The sentences that explain a record's state, by family. Null if the facts explain nothing. */
const REASONS: Readonly<Partial<Record<FamilyName, Reason>>> = {
  RISK: riskReason,
  CONTROL: controlReason,
  MEASURE: measureReason,
  VENDOR: vendorReason,
  OBLIGATION: obligationReason,
  NONCONFORMITY: nonconformityReason,
  AUDIT: auditReason,
  FRAMEWORK: frameworkReason,
  EVIDENCE: evidenceReason,
};

/** Returns the sentence that explains a record's state; null for an archived record and where nothing can be said. */
export function stateReason(type: FamilyName, details: RecordDetails): ComponentChildren {
  return details.record.archived_at === null ? (REASONS[type]?.(details) ?? null) : null;
}

function riskReason(details: RecordDetails): ComponentChildren {
  const { status, score, priority, acceptance } = details.record;
  const { until, expired } = (acceptance ?? {}) as { until?: string; expired?: boolean };
  if (expired) {
    return (
      <>
        The acceptance ended on <LongDay at={until!} />. The risk needs a new decision.
      </>
    );
  }
  if (status === 'CLOSED') return null;
  if (score === null) return 'Not scored: it has no likelihood or no impact.';
  const measures = measureSentence(details);
  return (
    <>
      {codeWords(String(priority))}: <Factors record={details.record} />.{measures !== null && ` ${measures}`}
    </>
  );
}

/** The ratings behind the score, and their newest rise: `residual likelihood 3 × impact 4; likelihood rose …`. */
function Factors({ record }: { record: RecordAnswer }) {
  const basis = record.residual_score === null ? 'inherent' : 'residual';
  return (
    <>
      {basis} likelihood {record[`${basis}_likelihood`]} × impact {record[`${basis}_impact`]}
      {riseSentence(record, basis)}
    </>
  );
}

/** Returns the newest rise of a rating, if the rating still has that value. */
function riseSentence({ history, ...record }: RecordAnswer, basis: string): ComponentChildren {
  for (const factor of ['likelihood', 'impact']) {
    const name = `${basis}_${factor}`;
    const change = history.changes.find(({ changes }) => changes.some(({ field }) => field === name));
    const { from, to } = change?.changes.find(({ field }) => field === name) ?? {};
    if (typeof from !== 'number' || Number(to) <= from || to !== record[name]) continue;
    return (
      <>
        ; {factor} rose from {from} to {String(to)} on <LongDay at={change!.recorded_at} />
      </>
    );
  }
  return null;
}

function measureSentence(details: RecordDetails): string | null {
  const measures = countedMeasures(details);
  if (measures === null) return null;
  if (measures.length === 0) return 'No measure that applies is linked.';
  const implemented = measures.length - measures.filter(isNotImplemented).length;
  if (measures.length === 1)
    return `${numberOf(measures[0]!)} is linked${implemented ? ' and' : ' but not'} implemented.`;
  return `${measures.length} measures are linked; ${implemented === 0 ? 'none' : implemented} of them ${implemented === 1 ? 'is' : 'are'} implemented.`;
}

function controlReason(details: RecordDetails): string | null {
  const { status, implementation, exclusion_justification } = details.record;
  if (status === 'EXCLUDED') return exclusion_justification ? `Excluded: ${exclusion_justification}` : null;
  const measures = countedMeasures(details);
  if (measures === null) return null;
  if (measures.length === 0) return 'Not covered: no measure that applies is linked.';
  const open = measures.filter(isNotImplemented);
  if (implementation === 'FULL') return open.length === 0 ? `Covered: ${implementedText(measures)}.` : null;
  const verdict = implementation === 'PARTIAL' ? 'Partly covered' : 'Not covered';
  return open.length === 0 ? null : `${verdict}: ${listed(open)} ${be(open)} linked but not implemented.`;
}

function implementedText(measures: readonly LinkedSummary[]): string {
  return `${listed(measures)} ${be(measures)} implemented`;
}

function measureReason({ record, dueDates }: RecordDetails): ComponentChildren {
  const { state, justification, evidence_count, valid_evidence_count } = record;
  if (state === 'NOT_APPLICABLE') return justification ? `Not applicable: ${justification}` : null;
  if (record.overdue) return <Overdue due={dueDates[0]!.date} state={state} />;
  if (state !== 'IMPLEMENTED') return null;
  if (evidence_count === 0) return 'Implemented, but no evidence is attached.';
  return valid_evidence_count === 0 ? 'Implemented, but its evidence has expired.' : null;
}

function vendorReason({ record, dueDates }: RecordDetails): ComponentChildren {
  const { status, last_reviewed, review } = record;
  if (status === 'OFFBOARDED') return null;
  if (last_reviewed === null) {
    return review ? 'The date of its last review is unknown.' : 'It was never reviewed.';
  }
  const overdue = dueDates.find(({ field, isOverdue }) => field === 'next_review_due' && isOverdue);
  if (overdue) {
    return (
      <>
        Its review was due on <LongDay at={overdue.date} />.
      </>
    );
  }
  const { conditions } = (review ?? {}) as { conditions?: string | null };
  return status === 'CONDITIONAL' && conditions ? `Approved on conditions: ${conditions}` : null;
}

function obligationReason({ record }: RecordDetails): ComponentChildren {
  const { overdue, status, due_date, last_review_date } = record;
  if (!overdue) return null;
  if (status !== 'COMPLIANT') return <Overdue due={due_date} state={status} />;
  const due = <LongDay at={String(due_date)} />;
  if (last_review_date === null) return <>Overdue: it was due on {due}, and the date of its last review is unknown.</>;
  const review = <LongDay at={String(last_review_date)} />;
  return (
    <>
      Overdue: it was due on {due}, and its last review, on {review}, was more than a year before.
    </>
  );
}

function nonconformityReason({ record }: RecordDetails): ComponentChildren {
  const { overdue, status, due_date, root_cause, corrective_action, effectiveness_check } = record;
  if (status === 'CLOSED') {
    const texts = {
      'root cause': root_cause,
      'corrective action': corrective_action,
      'effectiveness check': effectiveness_check,
    };
    const absent = Object.entries(texts).filter(([, text]) => text === null);
    return absent.length === 0
      ? null
      : `It was imported as closed. Not recorded: ${absent.map(([name]) => name).join(', ')}.`;
  }
  if (overdue) return <Overdue due={due_date} state={status} />;
  if (root_cause === null) return 'Its root cause is not recorded.';
  if (status !== 'PENDING_VERIFICATION') return null;
  return effectiveness_check === null ? 'It can’t be closed: the check of its effectiveness is not recorded.' : null;
}

function auditReason({ linked }: RecordDetails): string | null {
  const findings = linked.records.filter(({ type, archived_at }) => type === 'NONCONFORMITY' && !archived_at);
  if (linked.total > linked.records.length || findings.length === 0) return null;
  const notClosed = findings.filter(({ status }) => status !== 'CLOSED').length;
  if (findings.length === 1) return `Its one finding is ${notClosed === 1 ? 'not closed' : 'closed'}.`;
  if (notClosed === 0) return `All of its ${findings.length} findings are closed.`;
  return `${notClosed} of its ${findings.length} findings ${notClosed === 1 ? 'is' : 'are'} not closed.`;
}

function frameworkReason({ record }: RecordDetails): string | null {
  const { coverage, implemented_count, included_count } = record;
  if (typeof coverage !== 'number') return null;
  return `Coverage of the framework ${shareText(coverage)}: ${implemented_count} of ${included_count} controls and clauses in scope are fully implemented.`;
}

function evidenceReason({ record }: RecordDetails): ComponentChildren {
  if (!record.expired) return null;
  if (record.replaced) {
    return (
      <span class="muted">
        Replaced by newer evidence: it was valid until <LongDay at={String(record.valid_until)} />.
      </span>
    );
  }
  return (
    <>
      It expired: it was valid until <LongDay at={String(record.valid_until)} />.
    </>
  );
}

function Overdue({ due, state }: { due: unknown; state: unknown }) {
  return (
    <>
      Overdue: it was due on <LongDay at={String(due)} /> and is {stateWords(state)}.
    </>
  );
}

/** Returns the linked measures that coverage counts: neither archived nor NOT_APPLICABLE. Null if not all are known. */
function countedMeasures({ linked }: RecordDetails): LinkedSummary[] | null {
  if (linked.total > linked.records.length) return null;
  return linked.records.filter(
    ({ type, archived_at, state }) => type === 'MEASURE' && !archived_at && state !== 'NOT_APPLICABLE',
  );
}

const isNotImplemented = ({ state }: LinkedSummary): boolean => state !== 'IMPLEMENTED';

const be = (records: readonly unknown[]): string => (records.length === 1 ? 'is' : 'are');

const stateWords = (state: unknown): string => codeWords(String(state)).toLowerCase();

const numberOf = ({ reference_id, name }: LinkedSummary): string => String(reference_id ?? name);

/** The most records that a sentence names. It counts more. */
const MAX_NAMES = 3;

/** Returns `M-08`, `M-08 and M-09`, or `5 measures`. */
function listed(measures: readonly LinkedSummary[]): string {
  if (measures.length > MAX_NAMES) return `${measures.length} measures`;
  return new Intl.ListFormat('en').format(measures.map(numberOf));
}
