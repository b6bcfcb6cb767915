import type { Permission } from '../commands/organization/permissions.ts';
import { auditPack } from './definitions/audit-pack.ts';
import { changesBetween } from './definitions/changes-between.ts';
import { dueItems } from './definitions/due-items.ts';
import { evidenceRegister } from './definitions/evidence-register.ts';
import { nonconformitiesReport } from './definitions/nonconformities.ts';
import { postureReport } from './definitions/posture.ts';
import { obligationsReport, vendorsReport } from './definitions/registers.ts';
import { riskRegister } from './definitions/risk-register.ts';
import { statementOfApplicability } from './definitions/statement-of-applicability.ts';
import { unapprovedDecisions } from './definitions/unapproved-decisions.ts';
import type { AnswerFormatName, ReportInputs, ReportType } from './report-type.ts';

const REPORTS_BY_TYPE = {
  POSTURE: postureReport,
  RISK_REGISTER: riskRegister,
  VENDORS: vendorsReport,
  OBLIGATIONS: obligationsReport,
  NONCONFORMITIES: nonconformitiesReport,
  STATEMENT_OF_APPLICABILITY: statementOfApplicability,
  AUDIT_PACK: auditPack,
  DUE_ITEMS: dueItems,
  CHANGES_BETWEEN: changesBetween,
  EVIDENCE: evidenceRegister,
  UNAPPROVED_DECISIONS: unapprovedDecisions,
} satisfies Record<string, ReportType>;

export type ReportName = keyof typeof REPORTS_BY_TYPE;

/** All reports by type. A new report is added to REPORTS_BY_TYPE. */
export const REPORTS: Readonly<Record<ReportName, ReportType>> = REPORTS_BY_TYPE;
export const REPORT_TYPES = Object.keys(REPORTS_BY_TYPE) as ReportName[];

/** Returns the permission to generate a report of a type. */
export const reportPermission = (type: ReportName): Permission => REPORTS[type].permission ?? 'readRecords';

export interface ReportRequest extends ReportInputs {
  organization_id: string;
  type: ReportName;
  format: AnswerFormatName;
  as_of?: string | undefined;
  cursor?: string | undefined;
}
