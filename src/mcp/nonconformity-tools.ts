import { z } from 'zod';
import { nonconformityQuery } from '../queries/nonconformities.ts';
import { NONCONFORMITY_STATUSES, SEVERITIES } from '../register/nonconformity.ts';
import * as field from './schema/fields.ts';
import { time } from './schema/output.ts';
import { addTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const nonconformities = toolFamily({
  query: nonconformityQuery,
  required: { description: field.requiredText() },
  settable: {
    reference_id: field.clearable(field.name()),
    severity: field.clearable(field.enumOf(SEVERITIES)),
    audit_id: field.clearable(field.id('aud')),
    date_identified: field.clearable(field.date()),
    root_cause: field.clearable(field.text()),
    corrective_action: field.clearable(field.text()),
    due_date: field.clearable(field.date()),
    effectiveness_check: field.clearable(field.text()),
    owner_id: field.clearable(field.account()),
    status: field.enumOf(NONCONFORMITY_STATUSES).optional(),
  },
  derived: {
    closed_at: time().nullable().describe('null unless CLOSED'),
    overdue: z.boolean().describe('due before today, and not CLOSED'),
  },
  filter: {
    status: field.enumList(NONCONFORMITY_STATUSES).optional(),
    open: z.boolean().optional(),
    severity: field.enumList(SEVERITIES).optional(),
    audit_id: field.listOf(field.id('aud')).optional(),
    due_before: field.date().optional(),
    overdue: z.boolean().optional(),
  },
  descriptions: {
    list: 'List nonconformities (findings, of audits or not) by due_date. For what could go wrong: listRisks.',
    add: 'Add a nonconformity (a finding), OPEN by default. Then linkRecords to the records it concerns.',
    update:
      'Change a nonconformity. PENDING_VERIFICATION needs root_cause and corrective_action, CLOSED also effectiveness_check; moving back (from CLOSED only to OPEN) needs reason.',
  },
  examples: {
    list: { filter: { open: true, severity: ['MAJOR'] } },
    add: {
      reference_id: 'NC-1',
      description: 'Restores are not tested',
      severity: 'MAJOR',
      audit_id: '{audit}',
      date_identified: '{today-2}',
      due_date: '{today+60}',
    },
    update: {
      root_cause: 'Nobody was named for it',
      corrective_action: 'A monthly restore test',
      status: 'PENDING_VERIFICATION',
    },
  },
});

export const nonconformityTools: FamilyTools = {
  record: nonconformities.record,
  list: listTool('listNonconformities', nonconformities),
  add: addTool('addNonconformity', nonconformities),
  update: updateTool('updateNonconformity', nonconformities),
};
