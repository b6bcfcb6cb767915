/**
 * Synonyms of enumeration values, in English, German and French. A synonym may belong to several values that never appear
 * in one list. A word that needs a judgement is missing on purpose, such as an "active" vendor or a "done" nonconformity: the cell is refused.
 */
export const SYNONYMS: Readonly<Record<string, string>> = {
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
  EQUIVALENT: 'full, fully, equal, equals, equal to, equivalent to, same, identical',
  SUPPORTS: 'support',
  PARTLY:
    'partial, partially, in part, covers a part of, intersects, intersects with, subset, subset of, narrower, narrower than',
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

/** The same in Spanish, Portuguese, Italian, Dutch, Polish, Czech and Japanese. */
export const SYNONYMS_IN_FURTHER_LANGUAGES: Readonly<Record<string, string>> = {
  NOT_STARTED:
    'no iniciado, no iniciada, sin iniciar, pendiente, não iniciado, não iniciada, pendente, non iniziato, non iniziata, da fare, niet gestart, niet begonnen, nie rozpoczęto, nierozpoczęte, nezahájeno, 未着手, 未実施',
  IN_PROGRESS:
    'en curso, en proceso, en progreso, em andamento, em curso, in corso, in uitvoering, in behandeling, w toku, w trakcie, probíhá, v řešení, 進行中, 実施中, 対応中',
  IMPLEMENTED:
    'implementado, implementada, completado, completada, concluído, concluída, implementato, implementata, completato, completata, geïmplementeerd, afgerond, gereed, wdrożone, wdrożony, zakończone, zavedeno, hotovo, dokončeno, 実施済, 実施済み, 完了',
  COMPLETED:
    'completado, completada, concluído, concluída, completato, completata, afgerond, zakończone, dokončeno, 完了',
  NOT_APPLICABLE:
    'no aplica, não aplicável, não se aplica, non applicabile, niet van toepassing, nvt, nie dotyczy, nevztahuje se, netýká se, 対象外, 該当なし, 適用外',
  LOW: 'bajo, baja, muy bajo, muy baja, baixo, baixa, muito baixo, muito baixa, basso, bassa, molto basso, molto bassa, laag, zeer laag, niski, niska, niskie, nízký, nízká, nízké, 低, 低い',
  MEDIUM:
    'medio, media, moderado, moderada, médio, média, moderato, moderata, gemiddeld, middel, średni, średnia, średnie, střední, 中, 中程度',
  HIGH: 'alto, alta, elevado, elevada, elevato, elevata, hoog, wysoki, wysoka, wysokie, vysoký, vysoká, vysoké, 高, 高い',
  CRITICAL: [
    'crítico, crítica, muy alto, muy alta, muito alto, muito alta, critico, critica, molto alto, molto alta, kritiek, zeer hoog',
    'krytyczny, krytyczna, krytyczne, bardzo wysoki, bardzo wysoka, kritický, kritická, kritické, velmi vysoký, velmi vysoká, 非常に高い, 最重要',
  ].join(', '),
  PENDING_REVIEW:
    'en revisión, em análise, in revisione, in beoordeling, w trakcie oceny, v posuzování, 審査中, 評価中',
  APPROVED:
    'aprobado, aprobada, aprovado, aprovada, approvato, approvata, goedgekeurd, zatwierdzony, zatwierdzone, schválen, schváleno, schválený, 承認, 承認済, 承認済み',
  CONDITIONAL:
    'aprobado con condiciones, aprovado com condições, approvato con condizioni, goedgekeurd onder voorwaarden, zatwierdzony warunkowo, schváleno s podmínkami, 条件付き, 条件付き承認',
  REJECTED:
    'rechazado, rechazada, rejeitado, rejeitada, rifiutato, rifiutata, respinto, afgewezen, odrzucony, odrzucone, zamítnut, zamítnuto, 却下, 否認',
  SUSPENDED:
    'suspendido, suspendida, suspenso, suspensa, sospeso, sospesa, opgeschort, zawieszony, pozastaven, pozastaveno, 停止, 停止中',
  OPEN: 'abierto, abierta, aberto, aberta, aperto, aperta, open, otwarty, otwarta, otwarte, otevřený, otevřená, otevřené, otevřeno, 未対応, 未解決',
  CLOSED:
    'cerrado, cerrada, fechado, fechada, encerrado, encerrada, chiuso, chiusa, gesloten, zamknięty, zamknięta, zamknięte, uzavřen, uzavřeno, uzavřený, クローズ, 終了',
  IN_TREATMENT:
    'en tratamiento, em tratamento, in trattamento, in behandeling, w trakcie postępowania, v řešení, 対応中',
  MITIGATED:
    'mitigar, mitigado, reducir, reducido, reduzir, mitigare, ridurre, mitigeren, verminderen, ograniczyć, ograniczanie, redukcja, zmírnit, snížit, zmírnění, 低減, 軽減',
  ACCEPTED:
    'aceptar, aceptado, aceitar, aceito, accettare, accettato, accepteren, geaccepteerd, akceptować, akceptacja, zaakceptowane, akceptovat, akceptace, 受容, 保有',
  AVOIDED: 'evitar, evitado, evitare, evitato, vermijden, unikać, unikanie, vyhnout se, 回避',
  TRANSFERRED:
    'transferir, transferido, compartir, compartilhar, trasferire, trasferito, overdragen, przenieść, przeniesienie, přenést, přenos, 移転, 共有',
  NON_COMPLIANT:
    'no conforme, no cumple, não conforme, não cumpre, non conforme, niet conform, voldoet niet, niezgodne, niezgodny, nesplněno, v nesouladu, 不適合, 未遵守',
  PARTIALLY_COMPLIANT:
    'parcialmente conforme, cumple parcialmente, parcial, parcialmente, cumpre parcialmente, parzialmente conforme, parziale, parzialmente, gedeeltelijk, częściowo, częściowo zgodne, částečně, částečně splněno, 一部適合, 一部遵守',
  COMPLIANT: 'cumple, cumpre, conforme, conform, voldoet, zgodne, zgodny, splněno, v souladu, 適合, 遵守',
  OBSERVATION: 'observación, observação, osservazione, observatie, obserwacja, pozorování, 観察事項',
  MAJOR: 'mayor, maior, maggiore, grote afwijking, poważna, duża, závažná, velká, 重大',
  MINOR: 'menor, minore, kleine afwijking, drobna, mała, drobná, malá, 軽微',
};
