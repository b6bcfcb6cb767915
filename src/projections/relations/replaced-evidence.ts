import { MAX_DATE } from '../../commands/engine/dates.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { AUDIT } from '../../register/audit.ts';
import type { EvidenceState } from '../../register/evidence.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import type { RecordDocument } from '../read-models/read-model.ts';
import { EVIDENCE_UNTIL, type RelatedCounts } from './related-counts.ts';

/*
 * Evidence is replaced too if one of its records has other evidence that was collected on a later day and is valid longer.
 * Nobody must renew it. Evidence tells its records both days by a label. A record tells its evidence by labels the days of
 * its newest: those that no other evidence of the record replaces.
 */

/** Begins the labels by which a record tells its newest evidence. Both days follow. */
export const NEWEST_EVIDENCE = 'NEWEST_EVIDENCE:';

/** The families whose records have evidence of many things, so that newer evidence doesn't replace older. */
const COLLECTIVE_PREFIXES: readonly (string | null)[] = [FRAMEWORK.prefix, AUDIT.prefix];

/** With more evidence, a record tells nothing, because each new piece would change all others. So none is replaced. */
const MAX_TOLD = 100;

const DAY_LENGTH = 10;

/** Both days as labels end in them, such as `2027-01-31~2026-02-01`. */
interface Days {
  until: string;
  collected: string;
}

const daysIn = (text: string): Days => ({ until: text.slice(0, DAY_LENGTH), collected: text.slice(DAY_LENGTH + 1) });

function isReplacedBy({ until, collected }: Days, other: Days): boolean {
  return other.until > until && other.collected > collected;
}

type DatedEvidence = Pick<EvidenceState, 'valid_until' | 'collected_at'> & Pick<RecordDocument, 'created_at'>;

function daysOf({ valid_until, collected_at, created_at }: DatedEvidence): Days {
  return { until: valid_until ?? MAX_DATE, collected: (collected_at ?? created_at).slice(0, DAY_LENGTH) };
}

/** Returns the label by which records count live evidence. */
export function evidenceLabel(evidence: DatedEvidence): string {
  const { until, collected } = daysOf(evidence);
  return `${EVIDENCE_UNTIL}${until}~${collected}`;
}

/** Returns the labels by which a record tells its newest evidence. */
export function newestEvidenceLabels({ id, related_counts = {} }: RecordDocument): string[] {
  const labels = Object.keys(related_counts).filter((label) => label.startsWith(EVIDENCE_UNTIL));
  if (labels.length === 0 || related_counts.EVIDENCE! > MAX_TOLD || COLLECTIVE_PREFIXES.includes(idPrefix(id)))
    return [];
  const texts = labels.map((label) => label.slice(EVIDENCE_UNTIL.length)).sort();
  const newest = texts.filter((text) => !texts.some((other) => isReplacedBy(daysIn(text), daysIn(other))));
  return newest.map((text) => `${NEWEST_EVIDENCE}${text}`);
}

/** Returns true if a record of the evidence tells of evidence that replaces it. */
export function isReplaced(evidence: DatedEvidence, relatedCounts: RelatedCounts): boolean {
  const labels = Object.keys(relatedCounts).filter((label) => label.startsWith(NEWEST_EVIDENCE));
  // A new record has no `created_at` yet, and no labels.
  return labels.some((label) => isReplacedBy(daysOf(evidence), daysIn(label.slice(NEWEST_EVIDENCE.length))));
}
