import { posture } from './posture.ts';
import type { ReportName, ReportType } from './report-type.ts';
import { riskRegister } from './risk-register.ts';

/** Every report, by its type. Adding one is adding its name here and in REPORT_TYPES. */
export const REPORTS: Readonly<Record<ReportName, ReportType>> = {
  POSTURE: posture,
  RISK_REGISTER: riskRegister,
};
