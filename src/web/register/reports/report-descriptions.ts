import type { ReportName } from '../../../reports/all-reports.ts';

/** A report as the gallery introduces it. */
export interface ReportDescription {
  title: string;
  question: string;
  /** The people who read it. */
  audience: string;
}

/** All reports, in the gallery's order. */
export const REPORT_DESCRIPTIONS: Readonly<Record<ReportName, ReportDescription>> = {
  POSTURE: {
    title: 'Posture',
    question: 'How do we stand, and are we getting better? Figures, trends and coverage on a few pages.',
    audience: 'the board and management reviews',
  },
  RISK_REGISTER: {
    title: 'Risk register',
    question: 'Which risks do we have, how high are they, and what do we do about each?',
    audience: 'risk owners, management and auditors',
  },
  STATEMENT_OF_APPLICABILITY: {
    title: 'Statement of applicability',
    question: 'Which controls of a framework apply to us, why, and are they in place?',
    audience: 'certification bodies and customers',
  },
  AUDIT_PACK: {
    title: 'Audit pack',
    question: 'What did the auditor see? Scope, controls, evidence and findings on the day the audit was completed.',
    audience: 'auditors, and whoever prepares the next audit',
  },
  CHANGES_BETWEEN: {
    title: 'Changes between two moments',
    question: 'What was changed, by whom, and for which reason?',
    audience: 'auditors and management reviews',
  },
  DUE_ITEMS: {
    title: 'Due items',
    question: 'What is overdue, what comes next, and who has to do it?',
    audience: 'owners of records and the compliance officer',
  },
  VENDORS: {
    title: 'Vendors',
    question: 'Whom do we depend on, how critical are they, and when did we last review each?',
    audience: 'purchasing, data protection and auditors',
  },
  OBLIGATIONS: {
    title: 'Obligations',
    question: 'Which laws, contracts and standards bind us, and do we comply?',
    audience: 'legal counsel and the compliance officer',
  },
  NONCONFORMITIES: {
    title: 'Findings',
    question: 'Which findings are open, what caused them, and what corrects them?',
    audience: 'auditors and the owners of corrective actions',
  },
  EVIDENCE: {
    title: 'Evidence',
    question: 'What can we show, for which records, and until when is it valid?',
    audience: 'auditors and those who collect evidence',
  },
  UNAPPROVED_DECISIONS: {
    title: 'Decisions without a person',
    question: 'Which decisions did assistants and scripts make that no person approved? It should be empty.',
    audience: 'auditors and the compliance officer',
  },
};
