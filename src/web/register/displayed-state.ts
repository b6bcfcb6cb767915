export type ChipTone = 'danger' | 'warning' | 'done' | 'plain';

/** The fields whose values are shown as chips. */
const STATE_FIELDS = new Set(['status', 'state', 'implementation', 'priority', 'criticality', 'severity']);

/** The tones of values. Values of other states are plain. */
const TONES: Readonly<Record<string, ChipTone>> = {
  OPEN: 'danger',
  CRITICAL: 'danger',
  HIGH: 'danger',
  MAJOR: 'danger',
  NONE: 'danger',
  NON_COMPLIANT: 'danger',
  REJECTED: 'danger',
  SUSPENDED: 'danger',
  IN_TREATMENT: 'warning',
  IN_PROGRESS: 'warning',
  PENDING_VERIFICATION: 'warning',
  PENDING_REVIEW: 'warning',
  PARTIAL: 'warning',
  PARTIALLY_COMPLIANT: 'warning',
  STARTED: 'warning',
  MEDIUM: 'warning',
  MINOR: 'warning',
  OUTDATED: 'warning',
  ACCEPTED: 'done',
  APPROVED: 'done',
  ACTIVE: 'done',
  CLOSED: 'done',
  COMPLETED: 'done',
  COMPLIANT: 'done',
  FULL: 'done',
  IMPLEMENTED: 'done',
};

/** Returns true for a field whose values are shown as chips. */
export function isStateField(name: string): boolean {
  return STATE_FIELDS.has(name);
}

/** A state as pages show it, on the day that they show. */
export type DisplayedState =
  | { kind: 'VALUE'; tone: ChipTone }
  /** An accepted risk whose acceptance ended on this day. It needs a new decision, so nothing says that it is accepted. */
  | { kind: 'ACCEPTANCE_EXPIRED'; on: string }
  /** Says nothing about such a record: an excluded control needs no implementation. */
  | { kind: 'NOT_APPLICABLE' };

/** Returns how a field's value is shown; null if it isn't shown as a chip. @param row the record, with its facts of the day */
export function displayedState(
  field: string,
  value: string,
  { status, acceptance }: Readonly<Record<string, unknown>>,
): DisplayedState | null {
  if (!isStateField(field)) return null;
  const { until, expired } = (acceptance ?? {}) as { until?: string; expired?: boolean };
  if (field === 'status' && value === 'ACCEPTED' && expired) return { kind: 'ACCEPTANCE_EXPIRED', on: until! };
  if (field === 'implementation' && status === 'EXCLUDED') return { kind: 'NOT_APPLICABLE' };
  return { kind: 'VALUE', tone: TONES[value] ?? 'plain' };
}
