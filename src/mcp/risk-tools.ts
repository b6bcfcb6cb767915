import { z } from 'zod';
import { DECISIONS, RISK_STATUSES, TREATMENTS } from '../commands/risk.ts';
import { listRecords } from '../queries/list.ts';
import { riskQuery } from '../queries/risks.ts';
import * as field from './fields.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';
import { addRecord, changeRecord } from './write.ts';

const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;

const details = {
  reference_id: field.clearable(field.name()),
  description: field.clearable(field.text()),
  category: field.clearable(field.name()),
  note: field.clearable(field.text()),
  inherent_likelihood: field.clearable(field.rating()),
  inherent_impact: field.clearable(field.rating()),
  residual_likelihood: field.clearable(field.rating()),
  residual_impact: field.clearable(field.rating()),
  next_review_due: field.clearable(field.date()),
  treatment: field.clearable(field.oneOf(TREATMENTS)).describe('the plan; accepts nothing by itself'),
  owner_id: field.clearable(field.account()),
  status: field.oneOf(RISK_STATUSES).optional(),
};

const filter = z.strictObject({
  ...field.commonFilters('rsk', ['OWNER', 'SCORE']),
  status: field.someOf(RISK_STATUSES).optional(),
  priority: field.someOf(PRIORITIES).optional().describe('of score: LOW 1-4, MEDIUM 5-9, HIGH 10-14, CRITICAL 15-25'),
  treatment: field.someOf(TREATMENTS).optional(),
  category: field.some(field.name()).optional(),
  min_score: z.int().min(1).max(25).optional(),
  max_score: z.int().min(1).max(25).optional(),
  acceptance_expired: z.boolean().optional(),
  acceptance_until_before: field.date().optional(),
  due_before: field.date().optional().describe('next_review_due before it'),
  overdue: z.boolean().optional(),
});

export function riskTools(service: Service): Tool[] {
  const family = 'RISK';
  const singular = 'risk';
  return [
    tool({
      name: 'listRisks',
      description:
        'Risks, highest score first unless ordered otherwise. High-priority risks: filter.priority [HIGH, CRITICAL]. To read known ids whole, use getRecords.',
      readOnly: true,
      input: z.strictObject({
        organization_id: field.organizationId(),
        filter: filter.optional(),
        ...field.listFields(['score', 'name', 'next_review_due', 'created_at', 'updated_at']),
      }),
      run: (input, { caller }) => listRecords(service.reader, riskQuery, 'listRisks', caller, input),
    }),
    tool({
      name: 'addRisk',
      description:
        'Add a risk; ratings 1-5, a score is likelihood × impact, the residual score at most the inherent one. Begins OPEN; ACCEPTED only by decideRisk.',
      input: z.strictObject({
        organization_id: field.organizationId(),
        name: field.name(),
        ...details,
        ...field.writeFields,
      }),
      run: ({ organization_id, reason, idempotency_key, ...fields }, { caller }) =>
        addRecord(service, caller, {
          tool: 'addRisk',
          family,
          singular,
          input: { organization_id, idempotency_key },
          command: { type: 'AddRisk', fields, ...(reason ? { reason } : {}) },
        }),
    }),
    tool({
      name: 'updateRisk',
      description:
        'Change a risk: rate it, plan its treatment, move status between OPEN and IN_TREATMENT. A raised score revokes an acceptance. Accept, revoke, close and reopen with decideRisk.',
      input: z.strictObject({
        id: field.id('rsk'),
        organization_id: field.organizationId().optional(),
        name: field.name().optional(),
        ...details,
        ...field.writeFields,
        expected_revision: field.expectedRevision(),
      }),
      run: ({ id, organization_id, reason, idempotency_key, expected_revision, ...changes }, { caller }) =>
        changeRecord(service, caller, id, {
          tool: 'updateRisk',
          family,
          singular,
          input: { organization_id, idempotency_key, expected_revision },
          command: { type: 'UpdateRisk', changes, ...(reason ? { reason } : {}) },
        }),
    }),
    tool({
      name: 'decideRisk',
      description:
        'Decide on a risk: ACCEPT until a date (reason, ADMIN), REVOKE the acceptance, CLOSE or REOPEN it (reason). To change ratings or plans, use updateRisk.',
      input: z.strictObject({
        id: field.id('rsk'),
        organization_id: field.organizationId().optional(),
        decision: field.oneOf(DECISIONS),
        until: field.date().optional().describe('ACCEPT: last day, at most 366 days ahead'),
        approver_id: field.account().optional().describe('who decided; you unless given'),
        ...field.writeFields,
        expected_revision: field.expectedRevision(),
      }),
      run: ({ id, organization_id, idempotency_key, expected_revision, ...decision }, { caller }) =>
        changeRecord(service, caller, id, {
          tool: 'decideRisk',
          family,
          singular,
          input: { organization_id, idempotency_key, expected_revision },
          command: { type: 'DecideRisk', ...decision },
        }),
    }),
  ];
}
