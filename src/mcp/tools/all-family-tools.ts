import { auditTools } from '../audit-tools.ts';
import { controlTools } from '../control-tools.ts';
import { evidenceTools } from '../evidence-tools.ts';
import { frameworkTools } from '../framework-tools.ts';
import { measureTools } from '../measure-tools.ts';
import { nonconformityTools } from '../nonconformity-tools.ts';
import { obligationTools } from '../obligation-tools.ts';
import { riskTools } from '../risk-tools.ts';
import { vendorTools } from '../vendor-tools.ts';
import type { FamilyTools } from './family-tools.ts';

/** The families' tools, in the order in which clients see them. A new family must be added here. */
export const FAMILY_TOOLS: readonly FamilyTools[] = [
  evidenceTools,
  vendorTools,
  riskTools,
  measureTools,
  frameworkTools,
  controlTools,
  auditTools,
  obligationTools,
  nonconformityTools,
];
