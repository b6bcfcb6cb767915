import { z } from 'zod';
import { CONTROL_STATUSES, IMPLEMENTATIONS } from '../commands/control.ts';
import { controlQuery } from '../queries/controls.ts';
import type { ToolService } from './define-tool.ts';
import { listTool, updateTool } from './family-tools.ts';
import * as field from './fields.ts';
import type { Tool } from './tool.ts';

const controls = {
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
    section_title: field.name().describe('its number, such as A.5.1'),
    measure_count: z.int(),
    implementation: field
      .enumOf(IMPLEMENTATIONS)
      .describe(
        'of the linked measures that count, all (FULL), some (PARTIAL) or none are IMPLEMENTED; STARTED: none, but one is IN_PROGRESS',
      ),
  },
  filter: {
    framework_id: field.listOf(field.id('frm')).optional(),
    section_title: field.listOf(field.name()).optional(),
    status: field.enumList(CONTROL_STATUSES).optional(),
    implementation: field.enumList(IMPLEMENTATIONS).optional().describe('FULL: all its measures that count are done'),
  },
  descriptions: {
    list: 'Controls of adopted frameworks, by section_title (their number). Gaps: status [INCLUDED], implementation [NONE, STARTED, PARTIAL].',
    update:
      'Change a control; find it by listControls filter.section_title. Not applicable: EXCLUDED with exclusion_justification.',
  },
  examples: {
    list: { filter: { status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] }, size: 2 },
    update: { status: 'EXCLUDED', exclusion_justification: 'We run no machines of our own', reason: 'Moved to Nimbus' },
  },
};

/** Controls come with their framework: there is nothing to add. */
export function controlTools(service: ToolService): Tool[] {
  return [listTool(service, controls), updateTool(service, controls)];
}
