import { z } from 'zod';
import { CONTROL_STATUSES, IMPLEMENTATIONS } from '../commands/control.ts';
import { controlQuery } from '../queries/controls.ts';
import * as field from './schema/fields.ts';
import { type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const controls = toolFamily({
  query: controlQuery,
  required: { name: field.name() },
  settable: {
    description: field.clearable(field.text()),
    status: field.enumOf(CONTROL_STATUSES).optional(),
    inclusion_justification: field.clearable(field.text()),
    exclusion_justification: field.clearable(field.text()),
    owner_id: field.clearable(field.account()),
  },
  derived: {
    framework_id: field.id('frm'),
    section_title: field.name().describe('the control number, such as A.5.1'),
    measure_count: z.int(),
    implementation: field
      .enumOf(IMPLEMENTATIONS)
      .describe(
        'FULL, PARTIAL or NONE: all, some or none of the linked measures that count are IMPLEMENTED. STARTED: none, but one is IN_PROGRESS',
      ),
  },
  filter: {
    framework_id: field.listOf(field.id('frm')).optional(),
    section_title: field.listOf(field.name()).optional(),
    status: field.enumList(CONTROL_STATUSES).optional(),
    implementation: field
      .enumList(IMPLEMENTATIONS)
      .optional()
      .describe('FULL: all measures that count are IMPLEMENTED'),
  },
  descriptions: {
    list: 'List controls of adopted frameworks by section_title (the control number). Gaps: status [INCLUDED], implementation [NONE, STARTED, PARTIAL].',
    update:
      'Change a control; find its id by listControls filter.section_title. If not applicable: EXCLUDED with exclusion_justification.',
  },
  examples: {
    list: { filter: { status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] }, size: 2 },
    update: { status: 'EXCLUDED', exclusion_justification: 'We run no machines of our own', reason: 'Moved to Nimbus' },
  },
});

/** The list and update tools. There is no addControl: controls come with their framework. */
export const controlTools: FamilyTools = {
  record: controls.record,
  list: listTool('listControls', controls),
  update: updateTool('updateControl', controls),
};
