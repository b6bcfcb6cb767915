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

/** Returns the tone of a field's value; null if the field is not shown as a chip. */
export function stateTone(field: string, value: string): ChipTone | null {
  return STATE_FIELDS.has(field) ? (TONES[value] ?? 'plain') : null;
}
