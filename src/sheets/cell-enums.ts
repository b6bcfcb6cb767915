import { type Cell, displayText } from './cell.ts';
import { cellError, type ParsedCell } from './parsed-cell.ts';

/**
 * Other words for values, each unambiguous wherever the value is allowed. A word stands for several values where no list
 * has two of them. What needs a judgement (an "active" vendor, a "done" nonconformity) is not here: it is refused.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  NOT_STARTED: ['to do', 'planned', 'not begun'],
  IN_PROGRESS: ['ongoing', 'on going', 'started', 'under way', 'wip', 'work in progress', 'in process', 'in work'],
  IMPLEMENTED: ['done', 'complete', 'completed', 'finished', 'in place', 'fully implemented'],
  COMPLETED: ['done', 'complete', 'finished'],
  NOT_APPLICABLE: ['n/a', 'na', 'not relevant'],
  LOW: ['l'],
  MEDIUM: ['m', 'moderate'],
  HIGH: ['h'],
  CRITICAL: ['c'],
  PENDING_REVIEW: ['not reviewed', 'to be reviewed', 'under review', 'in review'],
  CONDITIONAL: ['conditionally approved', 'approved with conditions'],
  IN_TREATMENT: ['treating', 'under treatment', 'being treated', 'in progress'],
  MITIGATED: ['mitigate', 'mitigation', 'reduce', 'reduced', 'reduction'],
  ACCEPTED: ['acceptance', 'retain', 'retained'],
  AVOIDED: ['avoidance'],
  TRANSFERRED: ['transference', 'share', 'shared', 'insured'],
  NON_COMPLIANT: ['not compliant', 'noncompliance'],
  PARTIALLY_COMPLIANT: ['partly compliant', 'in part'],
  COMPLIANT: ['fully compliant'],
  OBSERVATION: ['obs', 'opportunity for improvement', 'ofi'],
  CLOSED: ['close'],
  PENDING_VERIFICATION: ['to be verified', 'under verification'],
  INCLUDED: ['applicable', 'in scope'],
  EXCLUDED: ['n/a', 'not applicable', 'out of scope'],
};

/** Letters that a beginning needs to stand for a value: fewer may be anything. */
const MIN_PREFIX_LENGTH = 3;

/**
 * One of `values`, whatever its case, spaces and hyphens; also a synonym, or a beginning that no other value shares:
 * "partial" is PARTIALLY_COMPLIANT.
 */
export function enumFrom(cell: Cell, values: readonly string[]): ParsedCell<string> {
  const given = fold(displayText(cell));
  const exact = values.find((value) => fold(value) === given);
  if (exact !== undefined) return { value: exact };
  const meant = bySynonym(given, values);
  if (meant.length === 1) return { value: meant[0]! };
  const begun = values.filter((value) => given !== '' && fold(value).startsWith(given));
  if (meant.length === 0 && begun.length === 1 && given.length >= MIN_PREFIX_LENGTH) return { value: begun[0]! };
  const likely = meant.length > 0 ? meant : begun;
  if (likely.length > 0) return cellError(cell, `could be ${likely.join(' or ')}: write it out`);
  return cellError(cell, `is none of its values: give one of ${values.join(', ')}, or leave it empty`);
}

function bySynonym(given: string, values: readonly string[]): readonly string[] {
  return values.filter((value) => SYNONYMS[value]?.some((synonym) => fold(synonym) === given));
}

function fold(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
