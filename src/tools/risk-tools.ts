import { DECISIONS } from '../commands/risk.ts';
import { RISK } from '../register/risk.ts';
import { changeTool, type FamilyTools, familyTools } from './family-tools.ts';
import * as field from './schema/fields.ts';

const risks = familyTools(RISK);

export const riskTools: FamilyTools = {
  ...risks,
  others: [
    changeTool('decideRisk', risks.record, {
      title: 'Accept, close or reopen a risk',
      idempotent: true,
      description:
        'ACCEPT or renew a risk until a date (reason; ADMIN), REVOKE, CLOSE or REOPEN it (reason). Ratings and plans: updateRisk.',
      fields: () => ({
        decision: field.enumOf(DECISIONS),
        until: field.withoutDescription(field.date().optional().describe('at most 366 days ahead by default')),
        approver_id: field.account().optional().describe('you by default'),
      }),
      example: { decision: 'ACCEPT', until: '{today+180}', reason: 'A second site costs more than the loss' },
      command: (decision) => ({ type: 'DecideRisk', ...decision }),
    }),
  ],
};
