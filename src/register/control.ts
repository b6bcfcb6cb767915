import { commonEvents, commonEventTypes } from './common-events.ts';
import { correctedMembers } from './event-members.ts';
import { type EventOf, eventWithReason, nullable, optional, reviewedEvent, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import {
  type Fields,
  LAST_REVIEWED_FIELD,
  OWNER_FIELD,
  REVIEW_INTERVAL_FIELD,
  type StateOf,
  stateField,
} from './field.ts';
import { countByState, equals, type FamilyFigures } from './figure.ts';

/** Numbers of Annex A in ISO's standards for management systems, such as A.5.1. Clauses have plain numbers. */
export const ANNEX_NUMBER = /^A\.\d/;

export const CONTROL_STATUSES = ['INCLUDED', 'EXCLUDED'] as const;
export const IMPLEMENTATIONS = ['NONE', 'STARTED', 'PARTIAL', 'FULL'] as const;

const FIELDS = {
  name: { kind: 'name', label: 'Control', required: true, search: 'SHORT' },
  description: { kind: 'text', label: 'Description', search: 'LONG' },
  framework_id: {
    kind: 'id',
    label: 'Framework id',
    prefix: 'frm',
    required: true,
    setBy: 'COMMAND',
    source: 'is fixed by addFramework',
    filter: true,
  },
  section_title: {
    kind: 'name',
    label: 'Number',
    note: 'the control number, such as A.5.1',
    required: true,
    setBy: 'COMMAND',
    source: 'is fixed by addFramework',
    naturalOrder: true,
    filter: true,
    search: 'SHORT',
  },
  group: {
    kind: 'name',
    label: 'Group',
    note: 'the publisher’s headings above it',
    setBy: 'COMMAND',
    source: 'is fixed by addFramework',
  },
  parent: {
    kind: 'name',
    label: 'Part of',
    note: 'the number of the control that it belongs to',
    setBy: 'COMMAND',
    source: 'is fixed by addFramework',
  },
  status: stateField(CONTROL_STATUSES, 'INCLUDED'),
  // A change of status keeps both justifications, so it can be undone.
  inclusion_justification: { kind: 'text', label: 'Reason for inclusion', hasOwnEvent: true },
  exclusion_justification: { kind: 'text', label: 'Reason for exclusion', hasOwnEvent: true },
  owner_id: OWNER_FIELD,
  next_review_due: { kind: 'date', label: 'Next review' },
  review_interval_months: REVIEW_INTERVAL_FIELD,
  last_reviewed: LAST_REVIEWED_FIELD,
  measure_count: { kind: 'count', label: 'Measures', of: 'MEASURE' },
  implementation: {
    kind: 'enum',
    label: 'Implementation',
    note: 'FULL, PARTIAL or NONE: all, some or none of the linked measures that count are IMPLEMENTED. STARTED: none, but one is IN_PROGRESS',
    values: IMPLEMENTATIONS,
    required: true,
    derived: true,
    source: 'follows from state of the linked measures: use updateMeasure and linkRecords',
    filter: true,
  },
} as const satisfies Fields;

export type ControlState = StateOf<typeof FIELDS>;

/** The events of a control's own stream. Its first state is in its framework's `FrameworkAdopted`. */
export const CONTROL_EVENTS = {
  ControlDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  ControlReviewed: reviewedEvent(),
  ControlIncluded: eventWithReason({ inclusion_justification: nullable(string()) }),
  ControlExcluded: eventWithReason({ exclusion_justification: string() }),
  ControlJustified: eventWithReason({
    inclusion_justification: optional(nullable(string())),
    exclusion_justification: optional(nullable(string())),
  }),
  ...commonEvents('Control', FIELDS),
};

export type ControlEvent = EventOf<typeof CONTROL_EVENTS>;

const FILTERS = {
  review_due_before: { kind: 'date', test: 'BEFORE', key: 'next_review_due' },
} as const satisfies KeyFilters<typeof FIELDS>;

const IMPLEMENTATION_WORDS: Record<(typeof IMPLEMENTATIONS)[number], string> = {
  FULL: 'fully implemented',
  PARTIAL: 'partly implemented',
  STARTED: 'started',
  NONE: 'not started',
};

const FIGURES = {
  group: 'Frameworks and controls',
  groupBy: ['status', 'implementation'],
  total: { label: 'All controls', meaning: 'controls' },
  listed: [
    countByState('controls', 'status', CONTROL_STATUSES),
    [...IMPLEMENTATIONS].reverse().map((implementation) => ({
      name: `controls_${implementation.toLowerCase()}`,
      label: `Included, ${IMPLEMENTATION_WORDS[implementation]}`,
      meaning: `INCLUDED controls with implementation ${implementation}`,
      where: [equals('status', 'INCLUDED'), equals('implementation', implementation)],
    })),
    [
      {
        name: 'coverage',
        label: 'Coverage of controls',
        meaning:
          'share of the INCLUDED controls of all frameworks, clauses too, that are fully implemented: all their applicable measures are IMPLEMENTED',
        share: ['controls_full', 'controls_included'],
      },
    ],
  ],
} as const satisfies FamilyFigures<typeof FIELDS>;

export const CONTROL = {
  type: 'CONTROL',
  title: 'Control',
  singular: 'control',
  plural: 'controls',
  prefix: 'ctl',
  fields: FIELDS,
  events: CONTROL_EVENTS,
  commands: { add: 'AddControl', update: 'UpdateControl' },
  commonEvents: {
    ...commonEventTypes('Control'),
    detailsChanged: 'ControlDetailsChanged',
    reviewed: 'ControlReviewed',
  },
  workflow: {
    field: 'status',
    transitions: { INCLUDED: ['EXCLUDED'], EXCLUDED: ['INCLUDED'] },
    needs: { EXCLUDED: ['exclusion_justification'] },
  },
  reviewable: true,
  orders: ['section_title'],
  leadingIndexKeys: ['framework_id'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE', 'MEASURES', 'RISKS', 'EVIDENCE'],
  summary: ['section_title', 'name', 'status', 'implementation'],
  links: ['CONTROL'],
  dueItems: [
    {
      name: 'CONTROL_REVIEW',
      isLater: true,
      label: 'Control reviews',
      meaning: 'next reviews of controls',
      request: 'Review the control: is what it says still right?',
      date: 'next_review_due',
    },
  ],
  importable: true,
  aboutFile: 'Each control with its framework, justification and implementation.',
  figures: FIGURES,
  decisions: { EXCLUDE: ['ControlExcluded'] },
  tools: {
    list: {
      name: 'listControls',
      title: 'List controls',
      description:
        "List controls (a framework's requirements) by section_title, the control number. Gaps: INCLUDED, implementation not FULL. No evidence, no measures: filter.missing. Shared by two frameworks: linked_framework_id.",
      example: { filter: { status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] }, size: 2 },
    },
    update: {
      name: 'updateControl',
      title: 'Change a control',
      description: 'Change a control found by listControls. Not applicable: EXCLUDED with exclusion_justification.',
      example: {
        status: 'EXCLUDED',
        exclusion_justification: 'We run no machines of our own',
        reason: 'Moved to Nimbus',
      },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof CONTROL_EVENTS, readonly [], typeof FILTERS>;
