import { z } from 'zod';
import { measureQuery } from '../queries/measures.ts';
import { MEASURE_STATES } from '../register/measure.ts';
import * as field from './schema/fields.ts';
import { addTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const measures = toolFamily({
  query: measureQuery,
  required: { name: field.name() },
  settable: {
    reference_id: field.clearable(field.name()),
    description: field.clearable(field.text()),
    category: field.clearable(field.name()),
    due_date: field.clearable(field.date()),
    owner_id: field.clearable(field.account()),
    state: field.enumOf(MEASURE_STATES).optional(),
    justification: field.clearable(field.text()),
  },
  settableWhenAdding: { implemented_at: field.clearable(field.timestamp()).describe('only if IMPLEMENTED') },
  derived: {
    evidence_count: z.int(),
    control_count: z.int(),
    risk_count: z.int(),
    overdue: z.boolean().describe('due before today, and neither IMPLEMENTED nor NOT_APPLICABLE'),
  },
  filter: {
    state: field.enumList(MEASURE_STATES).optional(),
    category: field.listOf(field.name()).optional(),
    due_before: field.date().optional(),
    overdue: z.boolean().optional(),
  },
  descriptions: {
    list: "List measures (actions that treat risks or implement controls) by name. A framework's requirements: listControls.",
    add: 'Add a measure, NOT_STARTED by default; NOT_APPLICABLE needs justification. Then linkRecords to controls and risks.',
    update:
      'Change a measure. IMPLEMENTED sets implemented_at; moving back, or out of NOT_APPLICABLE, needs reason. If a control does not apply: updateControl.',
  },
  examples: {
    list: { filter: { overdue: true }, order_by: { field: 'due_date' } },
    add: { reference_id: 'M-1', name: 'Monthly restore test', due_date: '{today-10}', owner_id: 'ME' },
    update: { state: 'IN_PROGRESS', category: 'Continuity' },
  },
});

export const measureTools: FamilyTools = {
  record: measures.record,
  list: listTool('listMeasures', measures),
  add: addTool('addMeasure', measures),
  update: updateTool('updateMeasure', measures),
};
