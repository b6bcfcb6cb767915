import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { type AdoptedControl, type FrameworkState, framework } from './framework.ts';
import { frameworkOfControl, placeOfControl } from './ids.ts';
import { requireFields } from './moves.ts';
import { because, isEmpty, pick, type Reasoned, type RecordFacts } from './record.ts';
import { Refusal } from './refusal.ts';

export const CONTROL_STATUSES = ['INCLUDED', 'EXCLUDED'] as const;
export type ControlStatus = (typeof CONTROL_STATUSES)[number];

export const IMPLEMENTATIONS = ['NONE', 'STARTED', 'PARTIAL', 'FULL'] as const;

const DETAILS = {
  name: '',
  description: null as string | null,
};

/** Why a control applies, and why it does not: the one of the other status is kept, and serves when it comes back. */
const JUSTIFICATIONS = {
  inclusion_justification: null as string | null,
  exclusion_justification: null as string | null,
};

const DECIDED = {
  framework_id: '',
  section_title: '',
  status: 'INCLUDED' as ControlStatus,
  ...JUSTIFICATIONS,
};

export type ControlState = typeof DETAILS & typeof DECIDED & RecordFacts;

type Own =
  | { type: 'ControlIncluded'; data: { inclusion_justification: string | null } & Reasoned }
  | { type: 'ControlExcluded'; data: { exclusion_justification: string } & Reasoned }
  | { type: 'ControlJustified'; data: Partial<typeof JUSTIFICATIONS> & Reasoned };
export type ControlEvent = EventOf<'Control', ControlState, typeof DETAILS, Own>;
export type ControlCommand = CommandOf<'Control', ControlState>;

/** What a control is when its framework is adopted. */
export function adoptedControl({ id, section_title, name, description }: AdoptedControl): ControlState {
  const framework_id = frameworkOfControl(id);
  const given = { framework_id, section_title, name, description: description ?? null };
  return { ...DETAILS, ...DECIDED, ...given, owner_id: null, archived_at: null };
}

/** A framework's stream says of each of its controls what it was at first. */
function origin(id: string) {
  const first = ({ controls }: FrameworkState): ControlState | null => {
    const found = controls[placeOfControl(id)];
    return found?.id === id ? adoptedControl(found) : null;
  };
  const aggregate = { stream: `${framework.singular}-${frameworkOfControl(id)}`, decider: framework };
  return { aggregate, first };
}

function refuseAlone(): never {
  throw new Refusal('invalid_input', 'A control comes with its framework: adopt one with addFramework.');
}

function update(state: ControlState, changed: Partial<ControlState>, why: string | undefined): Own[] {
  const reason = because(why);
  const { status, inclusion_justification, exclusion_justification } = { ...state, ...changed };
  if (status === 'EXCLUDED') requireFields({ exclusion_justification }, status, ['exclusion_justification']);
  const justified = pick(changed, Object.keys(JUSTIFICATIONS) as (keyof typeof JUSTIFICATIONS)[]);
  const events: Own[] = [];
  if (changed.status === 'EXCLUDED') {
    events.push({ type: 'ControlExcluded', data: { exclusion_justification: exclusion_justification!, ...reason } });
    delete justified.exclusion_justification;
  }
  if (changed.status === 'INCLUDED') {
    events.push({ type: 'ControlIncluded', data: { inclusion_justification, ...reason } });
    delete justified.inclusion_justification;
  }
  if (!isEmpty(justified)) events.push({ type: 'ControlJustified', data: { ...justified, ...reason } });
  return events;
}

function evolve(control: ControlState, event: Own): ControlState {
  switch (event.type) {
    case 'ControlIncluded':
      return { ...control, status: 'INCLUDED', inclusion_justification: event.data.inclusion_justification };
    case 'ControlExcluded':
      return { ...control, status: 'EXCLUDED', exclusion_justification: event.data.exclusion_justification };
    case 'ControlJustified': {
      const { reason: _reason, ...justified } = event.data;
      return { ...control, ...justified };
    }
  }
}

export const control = recordFamily(
  { type: 'CONTROL', title: 'Control', singular: 'control', plural: 'controls', prefix: 'ctl' },
  { details: DETAILS, decided: DECIDED, add: refuseAlone, update, evolve, origin, parent: frameworkOfControl },
);
