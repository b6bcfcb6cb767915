import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers } from './event-members.ts';
import { type DataOf, type EventOf, event, list, object, optional, string } from './event-schema.ts';
import type { Described } from './family-description.ts';
import { type Fields, OWNER_FIELD, type StateOf } from './field.ts';
import type { FamilyFigures } from './figure.ts';

const FIELDS = {
  library_id: { kind: 'name', label: 'Library', setBy: 'ADD' },
  name: { kind: 'name', label: 'Framework', required: true, setBy: 'ADD', search: 'SHORT', lookalike: true },
  version: { kind: 'name', label: 'Version', setBy: 'ADD' },
  description: { kind: 'text', label: 'Description', setBy: 'ADD', search: 'LONG' },
  note: { kind: 'text', label: 'Note', note: 'withdrawn controls that an import left out', setBy: 'ADD' },
  control_count: { kind: 'count', label: 'Controls', of: 'CONTROL' },
  included_count: { kind: 'count', label: 'Included', note: 'controls INCLUDED', of: 'CONTROL:INCLUDED' },
  implemented_count: {
    kind: 'count',
    label: 'Implemented',
    note: 'of those, fully implemented',
    of: 'CONTROL:INCLUDED:FULL',
  },
  coverage: {
    kind: 'share',
    label: 'Coverage of the framework',
    note: 'implemented_count ÷ included_count, clauses too',
    derived: true,
    source: 'follows from implementation of the controls',
  },
  owner_id: OWNER_FIELD,
} as const satisfies Fields;

export type FrameworkState = StateOf<typeof FIELDS> & { controls: readonly AdoptedControl[] };

const ADOPTED_CONTROL_1 = {
  id: string(),
  section_title: string(),
  name: string(),
  description: optional(string()),
};

const ADOPTED_CONTROL = {
  ...ADOPTED_CONTROL_1,
  group: optional(string()),
  parent: optional(string()),
};

/** A control in an adoption. Its id contains its index in the list. */
export type AdoptedControl = DataOf<typeof ADOPTED_CONTROL>;

export const FRAMEWORK_EVENTS = {
  // Version 2 added note, and group and parent of controls. Instances that read only version 1 would lose them.
  FrameworkAdopted: event(
    {
      library_id: optional(string()),
      name: string(),
      version: optional(string()),
      description: optional(string()),
      owner_id: optional(string()),
      controls: list(object(ADOPTED_CONTROL_1)),
      reason: optional(string()),
    },
    { ...addedMembers(FIELDS), controls: list(object(ADOPTED_CONTROL)), reason: optional(string()) },
  ),
  ...commonEvents('Framework', FIELDS),
};

export type FrameworkEvent = EventOf<typeof FRAMEWORK_EVENTS>;

const FIGURES = {
  group: 'Frameworks and controls',
  groupBy: [],
  total: { label: 'Frameworks adopted', meaning: 'adopted frameworks' },
  listed: [],
} as const satisfies FamilyFigures<typeof FIELDS>;

export const FRAMEWORK = {
  type: 'FRAMEWORK',
  title: 'Framework',
  singular: 'framework',
  plural: 'frameworks',
  prefix: 'frm',
  fields: FIELDS,
  events: FRAMEWORK_EVENTS,
  // Only the owner can change.
  commands: { add: 'AddFramework', update: 'UpdateFramework' },
  commonEvents: { ...commonEventTypes('Framework'), added: 'FrameworkAdopted' },
  orders: ['name'],
  missing: ['OWNER', 'OWNER_GONE', 'EVIDENCE'],
  summary: ['name', 'version', 'included_count', 'coverage'],
  aboutFile: 'Each framework with its version, and how many of its controls are covered.',
  figures: FIGURES,
  decisions: { ADOPT: ['FrameworkAdopted'] },
  tools: {
    list: {
      name: 'listFrameworks',
      title: 'List frameworks',
      description:
        'List adopted frameworks by name, with coverage (implemented ÷ included controls). Their controls: listControls.',
      example: {},
    },
  },
} as const satisfies Described<typeof FIELDS, typeof FRAMEWORK_EVENTS>;
