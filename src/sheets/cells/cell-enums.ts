import { type Cell, cellError, displayText, type ParsedCell } from './cell.ts';
import { foldLetters } from './fold.ts';

/**
 * Synonyms of enumeration values, in English, German and French. A synonym may belong to several values that never appear in one list. A word that needs
 * a judgement is missing on purpose, such as an "active" vendor or a "done" nonconformity: the cell is refused.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  NOT_STARTED: 'to do, planned, not begun, geplant, nicht begonnen, planifié, non commencé, non démarré, à faire',
  IN_PROGRESS:
    'ongoing, on going, started, under way, wip, work in progress, in process, in work, in bearbeitung, in umsetzung, begonnen, laufend, en cours',
  IMPLEMENTED:
    'done, complete, completed, finished, in place, fully implemented, umgesetzt, erledigt, abgeschlossen, réalisé, réalisée, terminé, terminée, mis en œuvre, mise en œuvre',
  COMPLETED: 'done, complete, finished, erledigt, abgeschlossen, terminé, achevé',
  NOT_APPLICABLE: 'n/a, na, not relevant, nicht anwendbar, nicht zutreffend, entfällt, non applicable, sans objet',
  LOW: 'l, very low, minor, negligible, insignificant, gering, niedrig, sehr gering, sehr niedrig, faible, très faible, mineur',
  MEDIUM: 'm, moderate, mittel, moyen, moyenne, modéré, modérée',
  HIGH: 'h, major, hoch, élevé, élevée, fort, forte, majeur',
  CRITICAL:
    'c, very high, extreme, catastrophic, business critical, mission critical, kritisch, sehr hoch, critique, très élevé, très élevée, très fort, très forte',
  PENDING_REVIEW: 'not reviewed, to be reviewed, under review, in review, in prüfung, à évaluer, en cours d’évaluation',
  CONDITIONAL:
    'conditionally approved, approved with conditions, mit auflagen, unter auflagen, freigegeben mit auflagen, genehmigt mit auflagen, zugelassen mit auflagen, sous conditions, approuvé sous conditions',
  IN_TREATMENT:
    'treating, under treatment, being treated, in progress, in behandlung, in bearbeitung, en traitement, en cours de traitement',
  MITIGATED:
    'mitigate, mitigation, reduce, reduced, reduction, mindern, vermindern, vermindert, reduzieren, reduziert, réduire, réduit, réduction, atténuer',
  ACCEPTED: 'acceptance, retain, retained, akzeptieren, akzeptiert, tragen, accepter, accepté',
  AVOIDED: 'avoidance, vermeiden, vermieden, vermeidung, éviter, évité',
  TRANSFERRED:
    'transference, share, shared, insured, übertragen, übertragung, transférer, transféré, partager, partagé',
  NON_COMPLIANT: 'not compliant, noncompliance, nicht konform, nicht erfüllt, non conforme',
  PARTIALLY_COMPLIANT:
    'partly compliant, in part, teilweise konform, teilweise erfüllt, teilweise, partiellement conforme, partiellement',
  COMPLIANT: 'fully compliant, konform, erfüllt, conforme',
  OBSERVATION: 'obs, opportunity for improvement, ofi, hinweis, beobachtung, remarque',
  CLOSED: 'close, geschlossen, fermé, clos, clôturé, clôturée',
  PENDING_VERIFICATION: 'to be verified, under verification',
  INCLUDED: 'applicable, in scope, anwendbar, yes, y, ja, oui, sí, si, sim, ano, tak, true, selected',
  EQUIVALENT: 'equal, equals, equal to, equivalent to, same, identical',
  SUPPORTS: 'support',
  PARTLY: 'partial, partially, in part, covers a part of, subset, subset of, narrower, narrower than',
  PARTLY_COVERED_BY: 'superset, superset of, broader, broader than',
  EXCLUDED:
    'n/a, not applicable, out of scope, nicht anwendbar, non applicable, no, n, nein, non, não, ne, nie, nee, false, not selected',
  OPEN: 'offen, ouvert, ouverte',
  APPROVED: 'genehmigt, freigegeben, zugelassen, approuvé, approuvée',
  REJECTED: 'abgelehnt, rejeté, refusé, refusée',
  MAJOR: 'hauptabweichung, wesentlich, majeure, majeur',
  MINOR: 'nebenabweichung, geringfügig, mineure, mineur',
  NOT_ASSESSED: 'nicht bewertet, non évalué, non évaluée',
  SUSPENDED: 'gesperrt, suspendu',
  OFFBOARDED: 'beendet',
};

/** Synonyms by value, by `foldLetters`. */
const FOLDED_SYNONYMS = new Map(
  Object.entries(SYNONYMS).map(([value, words]) => [value, new Set(words.split(', ').map(foldLetters))] as const),
);

/** Letters. A shorter prefix does not stand for a value. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Reads one of `values`. Case, accents, spaces and hyphens don't matter. Also accepts synonyms and unambiguous prefixes:
 * "partial" is PARTIALLY_COMPLIANT.
 */
export function enumFrom(cell: Cell, values: readonly string[]): ParsedCell<string> {
  const word = foldLetters(displayText(cell));
  const exactMatch = values.find((value) => foldLetters(value) === word);
  if (exactMatch !== undefined) return { value: exactMatch };
  const synonyms = bySynonym(word, values);
  if (synonyms.length === 1) return { value: synonyms[0]! };
  const prefixed = values.filter((value) => word !== '' && foldLetters(value).startsWith(word));
  if (synonyms.length === 0 && prefixed.length === 1 && word.length >= MIN_PREFIX_LENGTH)
    return { value: prefixed[0]! };
  const likely = synonyms.length > 0 ? synonyms : prefixed;
  if (likely.length > 0) return cellError(cell, `could be ${likely.join(' or ')}. Write it out`);
  return cellError(cell, `is not a valid value. Give one of ${values.join(', ')}, or leave it empty`);
}

function bySynonym(word: string, values: readonly string[]): readonly string[] {
  return values.filter((value) => FOLDED_SYNONYMS.get(value)?.has(word));
}
