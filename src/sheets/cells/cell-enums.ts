import { type Cell, cellError, displayText, type ParsedCell } from './cell.ts';

/**
 * Synonyms of enumeration values. A synonym may belong to several values that never appear in one list. A word that needs
 * a judgement is missing on purpose, such as an "active" vendor or a "done" nonconformity: the cell is refused.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  NOT_STARTED: ['to do', 'planned', 'not begun'],
  IN_PROGRESS: ['ongoing', 'on going', 'started', 'under way', 'wip', 'work in progress', 'in process', 'in work'],
  IMPLEMENTED: ['done', 'complete', 'completed', 'finished', 'in place', 'fully implemented'],
  COMPLETED: ['done', 'complete', 'finished'],
  NOT_APPLICABLE: ['n/a', 'na', 'not relevant'],
  LOW: ['l', 'very low', 'minor', 'negligible', 'insignificant'],
  MEDIUM: ['m', 'moderate'],
  HIGH: ['h', 'major'],
  CRITICAL: ['c', 'very high', 'extreme', 'catastrophic', 'business critical', 'mission critical'],
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
  EQUIVALENT: ['equal', 'equals', 'equal to', 'equivalent to', 'same', 'identical'],
  SUPPORTS: ['support'],
  PARTLY: ['partial', 'partially', 'in part', 'covers a part of', 'subset', 'subset of'],
  PARTLY_COVERED_BY: ['superset', 'superset of'],
  EXCLUDED: ['n/a', 'not applicable', 'out of scope'],
};

/** Letters. A shorter prefix does not stand for a value. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Reads one of `values`. Case, spaces and hyphens don't matter. Also accepts synonyms and unambiguous prefixes: "partial"
 * is PARTIALLY_COMPLIANT.
 */
export function enumFrom(cell: Cell, values: readonly string[]): ParsedCell<string> {
  const word = fold(displayText(cell));
  const exactMatch = values.find((value) => fold(value) === word);
  if (exactMatch !== undefined) return { value: exactMatch };
  const synonyms = bySynonym(word, values);
  if (synonyms.length === 1) return { value: synonyms[0]! };
  const prefixed = values.filter((value) => word !== '' && fold(value).startsWith(word));
  if (synonyms.length === 0 && prefixed.length === 1 && word.length >= MIN_PREFIX_LENGTH)
    return { value: prefixed[0]! };
  const likely = synonyms.length > 0 ? synonyms : prefixed;
  if (likely.length > 0) return cellError(cell, `could be ${likely.join(' or ')}. Write it out`);
  return cellError(cell, `is not a valid value. Give one of ${values.join(', ')}, or leave it empty`);
}

function bySynonym(word: string, values: readonly string[]): readonly string[] {
  return values.filter((value) => SYNONYMS[value]?.some((synonym) => fold(synonym) === word));
}

function fold(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
