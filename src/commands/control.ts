import { CONTROL, type ControlState } from '../register/control.ts';
import { type AdoptedControl, FRAMEWORK, type FrameworkState } from '../register/framework.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { controlIndex, frameworkOfControl } from './engine/ids.ts';
import { Refusal } from './engine/refusal.ts';
import { framework } from './framework.ts';
import { isEmpty, pick, withReason } from './record.ts';

type SpecificEvent = SpecificEventOf<typeof CONTROL>;

const JUSTIFICATIONS = ['inclusion_justification', 'exclusion_justification'] as const;

export type ControlCommand = CommandOf<typeof CONTROL, ControlState>;

/** Returns the state that a control has when its framework is adopted. */
export function initialControl({ id, section_title, name, ...adopted }: AdoptedControl): ControlState {
  const framework_id = frameworkOfControl(id);
  const { description = null, group = null, parent = null } = adopted;
  return { ...control.initialState, framework_id, section_title, name, description, group, parent };
}

/** Finds a control's first state in its framework's stream. */
function origin(id: string) {
  const firstState = ({ controls }: FrameworkState): ControlState | null => {
    const control = controls[controlIndex(id)];
    return control?.id === id ? initialControl(control) : null;
  };
  const aggregate = { stream: `${FRAMEWORK.singular}-${frameworkOfControl(id)}`, decider: framework };
  return { aggregate, firstState };
}

function refuseAlone(): never {
  throw new Refusal('invalid_input', 'A control comes with its framework. Adopt one with addFramework.');
}

function update(state: ControlState, changed: Partial<ControlState>, reason: string | undefined): SpecificEvent[] {
  const optionalReason = withReason(reason);
  const { inclusion_justification, exclusion_justification } = { ...state, ...changed };
  const justifications = pick(changed, JUSTIFICATIONS);
  const events: SpecificEvent[] = [];
  if (changed.status === 'EXCLUDED') {
    events.push({
      type: 'ControlExcluded',
      data: { exclusion_justification: exclusion_justification!, ...optionalReason },
    });
    delete justifications.exclusion_justification;
  }
  if (changed.status === 'INCLUDED') {
    events.push({ type: 'ControlIncluded', data: { inclusion_justification, ...optionalReason } });
    delete justifications.inclusion_justification;
  }
  if (!isEmpty(justifications))
    events.push({ type: 'ControlJustified', data: { ...justifications, ...optionalReason } });
  return events;
}

function evolve(control: ControlState, event: SpecificEvent): ControlState {
  switch (event.type) {
    case 'ControlIncluded':
      return { ...control, status: 'INCLUDED', inclusion_justification: event.data.inclusion_justification };
    case 'ControlExcluded':
      return { ...control, status: 'EXCLUDED', exclusion_justification: event.data.exclusion_justification };
    case 'ControlJustified': {
      const { reason: _reason, ...justifications } = event.data;
      return { ...control, ...justifications };
    }
  }
}

export const control = defineFamily(CONTROL, { add: refuseAlone, update, evolve, origin, parent: frameworkOfControl });
