import { auditQuery } from '../queries/audits.ts';
import { AUDIT_KINDS, AUDIT_STATES } from '../register/audit.ts';
import * as field from './schema/fields.ts';
import { position } from './schema/output.ts';
import { addTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const audits = toolFamily({
  query: auditQuery,
  required: { framework_id: field.id('frm'), name: field.name() },
  settable: {
    kind: field.clearable(field.enumOf(AUDIT_KINDS)),
    auditor: field.clearable(field.name()),
    starts_on: field.clearable(field.date()),
    period_from: field.clearable(field.date()).describe('the period it examines'),
    period_until: field.clearable(field.date()),
    valid_from: field.clearable(field.date()).describe("the certificate's validity"),
    valid_until: field.clearable(field.date()),
    owner_id: field.clearable(field.account()),
    state: field.enumOf(AUDIT_STATES).optional(),
  },
  derived: {
    completed_position: position().nullable().describe('of the newest completion; works as as_of'),
  },
  filter: {
    state: field.enumList(AUDIT_STATES).optional(),
    framework_id: field.listOf(field.id('frm')).optional(),
    kind: field.enumList(AUDIT_KINDS).optional(),
    starts_after: field.date().optional(),
    starts_before: field.date().optional(),
    valid_on: field.date().optional(),
  },
  descriptions: {
    list: "List audits by starts_on. A completed audit's pack: getReport; its id works as as_of, and as from in listChanges.",
    add: 'Plan an audit of a framework, NOT_STARTED by default; COMPLETED only later. For findings: addNonconformity with audit_id.',
    update:
      'Change an audit. COMPLETED pins the register for its pack; then only IN_PROGRESS (with reason) or OUTDATED. REJECTED and OUTDATED are final.',
  },
  examples: {
    list: { filter: { framework_id: ['{framework}'], state: ['NOT_STARTED', 'IN_PROGRESS'] } },
    add: {
      framework_id: '{framework}',
      name: 'Internal audit of backups',
      kind: 'INTERNAL',
      auditor: 'Ida Inspector',
      starts_on: '{today+14}',
    },
    update: { state: 'IN_PROGRESS', starts_on: '{today}' },
  },
});

export const auditTools: FamilyTools = {
  record: audits.record,
  list: listTool('listAudits', audits),
  add: addTool('addAudit', audits),
  update: updateTool('updateAudit', audits),
};
