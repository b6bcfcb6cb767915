import { FAMILY_DESCRIPTIONS, type FamilyName } from '../register/families.ts';
import { evidenceTools } from './evidence-tools.ts';
import { type FamilyTools, familyTools } from './family-tools.ts';
import { frameworkTools } from './framework-tools.ts';
import { riskTools } from './risk-tools.ts';
import { vendorTools } from './vendor-tools.ts';

/** The tools of families that have more than their description asks for. */
const SPECIAL_TOOLS: Partial<Record<FamilyName, FamilyTools>> = {
  EVIDENCE: evidenceTools,
  FRAMEWORK: frameworkTools,
  RISK: riskTools,
  VENDOR: vendorTools,
};

/** The families' tools, in the order in which clients see them. */
export const FAMILY_TOOLS: readonly FamilyTools[] = FAMILY_DESCRIPTIONS.map(
  (family) => SPECIAL_TOOLS[family.type] ?? familyTools(family),
);
