import { auditPack } from './audit-pack.ts';
import { changesBetween } from './changes-between.ts';
import { dueItems } from './due-items.ts';
import { posture } from './posture.ts';
import { nonconformities, obligations, vendors } from './registers.ts';
import type { Narrowings, ReportFormat, ReportType } from './report-type.ts';
import { riskRegister } from './risk-register.ts';
import { statement } from './statement.ts';

const TYPES = {
  POSTURE: posture,
  RISK_REGISTER: riskRegister,
  VENDORS: vendors,
  OBLIGATIONS: obligations,
  NONCONFORMITIES: nonconformities,
  STATEMENT_OF_APPLICABILITY: statement,
  AUDIT_PACK: auditPack,
  DUE_ITEMS: dueItems,
  CHANGES_BETWEEN: changesBetween,
} satisfies Record<string, ReportType>;

export type ReportName = keyof typeof TYPES;

/** Every report, by its type. Adding one is adding its name here. */
export const REPORTS: Readonly<Record<ReportName, ReportType>> = TYPES;
export const REPORT_TYPES = Object.keys(TYPES) as ReportName[];

export interface ReportInput extends Narrowings {
  organization_id: string;
  type: ReportName;
  format: ReportFormat;
  as_of?: string | undefined;
  cursor?: string | undefined;
}
