import { auditPack } from './audit-pack.ts';
import { changesReport } from './changes-between.ts';
import { dueItems } from './due-items.ts';
import { posture } from './posture.ts';
import { nonconformities, obligations, vendors } from './registers.ts';
import type { ReportName, ReportType } from './report-type.ts';
import { riskRegister } from './risk-register.ts';
import { statement } from './statement.ts';

/** Every report, by its type. Adding one is adding its name here and in REPORT_TYPES. */
export const REPORTS: Readonly<Record<ReportName, ReportType>> = {
  POSTURE: posture,
  RISK_REGISTER: riskRegister,
  VENDORS: vendors,
  OBLIGATIONS: obligations,
  NONCONFORMITIES: nonconformities,
  STATEMENT_OF_APPLICABILITY: statement,
  AUDIT_PACK: auditPack,
  DUE_ITEMS: dueItems,
  CHANGES_BETWEEN: changesReport,
};
