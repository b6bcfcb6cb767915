import { auditTools } from '../audit-tools.ts';
import { controlTools } from '../control-tools.ts';
import { evidenceTools } from '../evidence-tools.ts';
import { frameworkTools } from '../framework-tools.ts';
import { importTools } from '../import/import-tools.ts';
import { measureTools } from '../measure-tools.ts';
import { nonconformityTools } from '../nonconformity-tools.ts';
import { obligationTools } from '../obligation-tools.ts';
import { riskTools } from '../risk-tools.ts';
import { vendorTools } from '../vendor-tools.ts';
import type { ToolService } from './define-tool.ts';
import { registerTools } from './register-tools.ts';
import { reportTools } from './report-tools.ts';
import type { Tool } from './tool.ts';

/** Returns all tools, in the order in which clients see them. */
export function allTools(service: ToolService): Tool[] {
  const families = [
    ...evidenceTools(service),
    ...vendorTools(service),
    ...riskTools(service),
    ...measureTools(service),
    ...frameworkTools(service),
    ...controlTools(service),
    ...auditTools(service),
    ...obligationTools(service),
    ...nonconformityTools(service),
  ];
  return [...registerTools(service, families), ...reportTools(service), ...families, ...importTools(service, families)];
}
