import { initialControl } from '../commands/control.ts';
import { type FrameworkState, framework } from '../commands/framework.ts';
import type { AdoptedControl, FrameworkEvent } from '../register/framework.ts';
import { orderedText } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { FRAMEWORK_ARCHIVED, relatedCount, timeLabel } from './relations/related-counts.ts';

type Framework = Omit<FrameworkState, 'controls'>;

/** Its controls are records of their own, so a framework's document does without the list of them. */
function evolve(state: Framework | null, event: FrameworkEvent): Framework {
  const { controls: _controls, ...rest } = framework.evolve(state as FrameworkState | null, event);
  return rest;
}

export const frameworks: ReadModel<Framework> = {
  family: { ...framework, evolve },
  derive: (_framework, relatedCounts) => {
    const included_count = relatedCount(relatedCounts, 'CONTROL:INCLUDED');
    const implemented_count = relatedCount(relatedCounts, 'CONTROL:INCLUDED:FULL');
    const coverage = included_count === 0 ? null : implemented_count / included_count;
    return { control_count: relatedCount(relatedCounts, 'CONTROL'), included_count, implemented_count, coverage };
  },
  keys: { name: orderedText('name') },
  orders: ['name'],
  missingOptions: ['OWNER', 'EVIDENCE'],
  searchFields: { short: ['name'], long: ['description'] },
  childRecords: (type, data) => {
    if (type !== 'FrameworkAdopted') return [];
    return (data.controls as AdoptedControl[]).map((control) => ({ id: control.id, state: initialControl(control) }));
  },
  exposedLabelsWhenArchived: ({ archived_at }) => [timeLabel(FRAMEWORK_ARCHIVED, archived_at!)],
  countedLabels: ['CONTROL:INCLUDED', 'CONTROL:INCLUDED:FULL'],
};
