import { initialControl } from '../../commands/control.ts';
import { framework } from '../../commands/framework.ts';
import type { AdoptedControl, FrameworkEvent, FrameworkState } from '../../register/framework.ts';
import type { ReadModel } from '../read-models/read-model.ts';
import { FRAMEWORK_ARCHIVED, relatedCount, timeLabel } from './related-counts.ts';

type Framework = Omit<FrameworkState, 'controls'>;

/** Its controls are records of their own, so a framework's document does without the list of them. */
function evolve(state: Framework | null, event: FrameworkEvent): Framework {
  const { controls: _controls, ...rest } = framework.evolve(state as FrameworkState | null, event);
  return rest;
}

export const frameworkRelations: Partial<ReadModel> = {
  family: { ...framework, evolve },
  derive: (_framework, relatedCounts) => {
    const includedControls = relatedCount(relatedCounts, 'CONTROL:INCLUDED');
    return {
      coverage: includedControls === 0 ? null : relatedCount(relatedCounts, 'CONTROL:INCLUDED:FULL') / includedControls,
    };
  },
  childRecords: (type, data) => {
    if (type !== 'FrameworkAdopted') return [];
    return (data.controls as AdoptedControl[]).map((control) => ({ id: control.id, state: initialControl(control) }));
  },
  exposedLabelsWhenArchived: ({ archived_at }) => [timeLabel(FRAMEWORK_ARCHIVED, archived_at!)],
  countedLabels: ['CONTROL:INCLUDED', 'CONTROL:INCLUDED:FULL'],
};
