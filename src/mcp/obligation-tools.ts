import { z } from 'zod';
import { obligationQuery } from '../queries/obligations.ts';
import { COMPLIANCE } from '../register/obligation.ts';
import * as field from './schema/fields.ts';
import { addTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const obligations = toolFamily({
  query: obligationQuery,
  required: { requirement: field.requiredText() },
  settable: {
    area: field.clearable(field.name()),
    source: field.clearable(field.name()).describe('law or contract'),
    regulator: field.clearable(field.name()),
    actions_to_be_implemented: field.clearable(field.text()),
    due_date: field.clearable(field.date()),
    last_review_date: field.clearable(field.date()),
    owner_id: field.clearable(field.account()),
    status: field.enumOf(COMPLIANCE).optional(),
  },
  derived: {
    overdue: z
      .boolean()
      .describe('due before today, and not COMPLIANT, never reviewed, or last reviewed over 366 days before due_date'),
  },
  filter: {
    status: field.enumList(COMPLIANCE).optional(),
    area: field.listOf(field.name()).optional(),
    source: field.listOf(field.name()).optional(),
    regulator: field.listOf(field.name()).optional(),
    due_before: field.date().optional(),
    due_after: field.date().optional(),
    overdue: z.boolean().optional().describe('includes COMPLIANT ones reviewed over a year before'),
  },
  descriptions: {
    list: "List obligations (from laws, regulators and contracts) by due_date. A framework's requirements: listControls.",
    add: 'Add an obligation, NOT_ASSESSED by default. For actions that meet it: addMeasure, then linkRecords.',
    update: 'Correct or assess an obligation. Setting status sets last_review_date, by default to today.',
  },
  examples: {
    list: { filter: { due_before: '{today+60}' } },
    add: {
      requirement: 'Report a personal data breach to the authority within 72 hours',
      area: 'Privacy',
      source: 'GDPR Art. 33',
      regulator: 'Data protection authority',
      due_date: '{today+30}',
    },
    update: { status: 'PARTIALLY_COMPLIANT', actions_to_be_implemented: 'Rehearse the reporting path' },
  },
});

export const obligationTools: FamilyTools = {
  record: obligations.record,
  list: listTool('listObligations', obligations),
  add: addTool('addObligation', obligations),
  update: updateTool('updateObligation', obligations),
};
