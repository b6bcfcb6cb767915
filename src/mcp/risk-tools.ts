import { z } from 'zod';
import { DECISIONS, PRIORITIES } from '../commands/risk.ts';
import { riskQuery } from '../queries/risks.ts';
import { RISK_STATUSES, TREATMENTS } from '../register/risk.ts';
import * as field from './schema/fields.ts';
import { time } from './schema/output.ts';
import { addTool, changeTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const score = z.int().min(1).max(25).nullable();

const risks = toolFamily({
  query: riskQuery,
  required: { name: field.name() },
  settable: {
    reference_id: field.clearable(field.name()),
    description: field.clearable(field.text()),
    category: field.clearable(field.name()),
    note: field.clearable(field.text()),
    inherent_likelihood: field.clearable(field.rating()),
    inherent_impact: field.clearable(field.rating()),
    residual_likelihood: field.clearable(field.rating()),
    residual_impact: field.clearable(field.rating()),
    next_review_due: field.clearable(field.date()),
    treatment: field.clearable(field.enumOf(TREATMENTS)).describe('only the plan'),
    owner_id: field.clearable(field.account()),
    status: field.enumOf(RISK_STATUSES).optional(),
  },
  derived: {
    inherent_score: score,
    residual_score: score,
    score: score.describe('residual_score once assessed, otherwise inherent_score'),
    priority: field.enumOf(PRIORITIES).nullable(),
    last_assessed_at: time().nullable(),
    measure_count: z.int(),
    acceptance: z
      .strictObject({
        approver_id: field.id('acc'),
        recorded_by: field.id('acc'),
        accepted_at: time(),
        until: field.date(),
        reason: field.reason(),
        expired: z.boolean().describe('until is past'),
      })
      .nullable(),
  },
  filter: {
    status: field.enumList(RISK_STATUSES).optional(),
    priority: field.enumList(PRIORITIES).optional().describe('LOW up to 4, MEDIUM 9, HIGH 14'),
    treatment: field.enumList(TREATMENTS).optional(),
    category: field.listOf(field.name()).optional(),
    min_score: z.int().min(1).max(25).optional(),
    max_score: z.int().min(1).max(25).optional(),
    acceptance_expired: z.boolean().optional(),
    acceptance_until_before: field.date().optional(),
    due_before: field.date().optional(),
    overdue: z.boolean().optional(),
  },
  descriptions: {
    list: 'List risks, highest score first. High priority: filter.priority [HIGH, CRITICAL]. Expired acceptances: acceptance_expired.',
    add: 'Add an OPEN risk. Ratings 1-5; score is likelihood × impact, residual at most inherent. To accept it: decideRisk.',
    update:
      'Rate a risk (1-5), plan its treatment, or move status between OPEN and IN_TREATMENT. A higher score revokes an acceptance. To accept, close or reopen: decideRisk.',
  },
  examples: {
    list: { filter: { priority: ['HIGH', 'CRITICAL'], owner_id: ['ME'] } },
    add: {
      reference_id: 'R-1',
      name: 'Backups cannot be restored',
      inherent_likelihood: 4,
      inherent_impact: 4,
      owner_id: 'ME',
    },
    update: {
      residual_likelihood: 3,
      residual_impact: 4,
      treatment: 'MITIGATED',
      status: 'IN_TREATMENT',
      reason: 'Restores are tested every month',
    },
  },
});

export const riskTools: FamilyTools = {
  record: risks.record,
  list: listTool('listRisks', risks),
  add: addTool('addRisk', risks),
  update: updateTool('updateRisk', risks),
  others: [
    changeTool('decideRisk', risks, {
      description:
        'ACCEPT a risk until a date (reason; ADMIN), REVOKE the acceptance, CLOSE or REOPEN the risk (reason). For ratings and plans: updateRisk.',
      fields: {
        decision: field.enumOf(DECISIONS),
        until: field.date().optional().describe('at most 366 days ahead by default'),
        approver_id: field.account().optional().describe('you by default'),
      },
      example: { decision: 'ACCEPT', until: '{today+180}', reason: 'A second site costs more than the loss' },
      command: (decision) => ({ type: 'DecideRisk', ...decision }),
    }),
  ],
};
