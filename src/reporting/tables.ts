import type { ReportingColumn, ReportingSchema, ReportingTable, ReportingView } from '../stores/reporting-store.ts';
import { CHANGED_COLUMN, ORGANIZATION_COLUMN, RECORD_TABLES, SPAN_COLUMNS } from './family-tables.ts';

/*
 * The tables of the reporting database. Names and meanings are a promise: docs/read-models.md says which.
 * test/fixtures/reporting-schema.json lists everything that was ever promised.
 */

/** Raise this number when the same documents make other rows, though no column has changed. */
export const REPORTING_VERSION = 1;

const POSITION: ReportingColumn = {
  name: 'position',
  type: 'INTEGER',
  description: 'Position of the event: its number in the organization’s log, from 1.',
};

function text(name: string, description: string): ReportingColumn {
  return { name, type: 'TEXT', description };
}

function recordColumns(prefix: string, description: string): ReportingColumn[] {
  return [
    text(`${prefix}_id`, `Id of ${description}.`),
    text(`${prefix}_type`, `Family of ${description}, such as RISK.`),
    text(`${prefix}_name`, `Name of ${description} at that time.`),
  ];
}

export const CHANGES_TABLE: ReportingTable = {
  name: 'changes',
  description: 'an event of the log, as in listChanges, without those of seals',
  columns: [
    ORGANIZATION_COLUMN,
    POSITION,
    {
      name: 'log_time',
      type: 'TIMESTAMP',
      description: 'Time of the event in the log. It never decreases from one position to the next.',
    },
    text('event_type', 'What happened, such as VendorReviewed.'),
    ...recordColumns('record', 'the changed record'),
    ...recordColumns('linked', 'the other record of a link, else null'),
    { name: 'revision', type: 'INTEGER', description: 'Revision of the record after the event; null for links.' },
    { name: 'recorded_at', type: 'TIMESTAMP', description: 'Time that the service recorded.' },
    { name: 'effective_on', type: 'DATE', description: 'Day that the event itself states, such as that of a review.' },
    {
      name: 'effective_at',
      type: 'TIMESTAMP',
      description: 'Time that the event itself states. A day without a time is its midnight.',
    },
    text('actor_id', 'Account that made the change, or SYSTEM. `people` has the name.'),
    text('client_name', 'Name of the assistant or program through which it was made; null in a browser.'),
    text('client_version', 'Version of that program.'),
    text('reason', 'Reason that was given.'),
    text('event_id', 'Id of the event, which proofs name.'),
    {
      name: 'stale',
      type: 'BOOLEAN',
      description: 'True if the event could not be read, so that its changes are unknown.',
    },
  ],
  key: ['organization_id', 'position'],
};

export const CHANGE_FIELDS_TABLE: ReportingTable = {
  name: 'change_fields',
  description: 'a field that an event changed, with its value before and after',
  columns: [
    ORGANIZATION_COLUMN,
    POSITION,
    text('field', 'Name of the field, as in the tools. A member of an organization is `members.acc_…`.'),
    text('from_value', 'Value before, as text; objects are JSON; null for none.'),
    text('to_value', 'Value after, as text; objects are JSON; null for none.'),
  ],
  key: ['organization_id', 'position', 'field'],
};

export const CHANGE_RECORDS_TABLE: ReportingTable = {
  name: 'change_records',
  description: 'a record that an event is about. An event can be about several, such as evidence of three controls',
  columns: [
    ORGANIZATION_COLUMN,
    POSITION,
    text('record_id', 'Id of the record.'),
    text('record_type', 'Family of the record, such as RISK.'),
  ],
  key: ['record_id', 'position'],
};

export const LINKS_TABLE: ReportingTable = {
  name: 'links',
  description:
    'a pair of connected records, now or in the past: by a link, as evidence, or because one names the other. Each pair is there once',
  columns: [
    ORGANIZATION_COLUMN,
    text('record_id', 'The record with the lower id.'),
    text('record_type', 'Its family.'),
    text('other_id', 'The record with the higher id.'),
    text('other_type', 'Its family.'),
    text('relation', 'Relation of the first control to the other, such as SUPPORTS; null without one.'),
    ...SPAN_COLUMNS,
    CHANGED_COLUMN,
  ],
  key: ['record_id', 'other_id', 'from_position'],
  openBy: ['record_id', 'other_id'],
};

const FIGURE_COLUMNS: readonly ReportingColumn[] = [
  { name: 'day', type: 'DATE', description: 'Day in UTC. The figures of the newest day are those of now.' },
  text('figure', 'Name of the figure. `figures` says what it means.'),
  { name: 'value', type: 'REAL', description: 'Value; null for a share of nothing.' },
  { ...POSITION, description: 'Position of the newest event that it counts.' },
];

const ON_CHANGED_DAYS = 'There are rows for each day on which a figure changed: take the newest day up to yours';

export const FIGURES_DAILY_TABLE: ReportingTable = {
  name: 'figures_daily',
  description: `a figure of an organization at the end of a day. ${ON_CHANGED_DAYS}`,
  columns: [ORGANIZATION_COLUMN, ...FIGURE_COLUMNS],
  key: ['organization_id', 'day', 'figure'],
};

export const FRAMEWORK_FIGURES_DAILY_TABLE: ReportingTable = {
  name: 'framework_figures_daily',
  description: `a figure of a framework’s controls at the end of a day. ${ON_CHANGED_DAYS}`,
  columns: [ORGANIZATION_COLUMN, text('framework_id', 'Framework.'), ...FIGURE_COLUMNS],
  key: ['framework_id', 'day', 'figure'],
};

export const FIGURES_TABLE: ReportingTable = {
  name: 'figures',
  description: 'a figure of figures_daily, and what it means',
  columns: [
    text('figure', 'Name of the figure.'),
    text('family', 'Family that it counts, such as RISK; null for all.'),
    text('label', 'Heading for people.'),
    text('meaning', 'What it counts. Archived records never count.'),
  ],
  key: ['figure'],
};

export const ENUM_VALUES_TABLE: ReportingTable = {
  name: 'enum_values',
  description: 'a value that a column can have, with its place in the order of values',
  columns: [
    text('table_name', 'Table of current records. Its history has the same columns.'),
    text('column_name', 'Column.'),
    text('value', 'Value, such as HIGH.'),
    { name: 'sort_order', type: 'INTEGER', description: '1 for the first value.' },
    text('label', 'The value for people, such as High.'),
  ],
  key: ['table_name', 'column_name', 'value'],
};

export const PEOPLE_TABLE: ReportingTable = {
  name: 'people',
  description: 'a current or former member of an organization. Erased accounts are not there',
  columns: [
    ORGANIZATION_COLUMN,
    text('id', 'Account, as in owner_id and actor_id.'),
    text('display_name', 'Name now.'),
    { name: 'present', type: 'BOOLEAN', description: 'True for a member of now, false for a former one.' },
  ],
  key: ['organization_id', 'id'],
};

export const DUE_DATES_TABLE: ReportingTable = {
  name: 'due_dates',
  description: 'something of a record that falls due. The report DUE_ITEMS lists the same dates',
  columns: [
    ORGANIZATION_COLUMN,
    text('record_id', 'Id of the record.'),
    text('what', 'What falls due, such as RISK_REVIEW.'),
    text('record_type', 'Family of the record.'),
    text('record_name', 'Name of the record.'),
    text('owner_id', 'Account of the owner.'),
    { name: 'due_date', type: 'DATE', description: 'Day on which it falls due; null for nothing due.' },
    text('label', 'What falls due, for people.'),
    CHANGED_COLUMN,
  ],
  key: ['record_id', 'what'],
};

export const PROGRESS_TABLE: ReportingTable = {
  name: 'progress',
  description: 'how far a table follows an organization’s log',
  columns: [
    ORGANIZATION_COLUMN,
    text('table_name', 'Table.'),
    { ...POSITION, description: 'Position up to which the table has every event.' },
    { name: 'log_time', type: 'TIMESTAMP', description: 'Time of that event.' },
    { name: 'parked', type: 'INTEGER', description: 'Events up to there that could not be read.' },
  ],
  key: ['organization_id', 'table_name'],
};

/** Depends on today, so it is a view. The rule for what falls due is in the families' descriptions. */
const DUE_ITEMS_VIEW: ReportingView = {
  name: 'due_items',
  description: 'something that is due or overdue now',
  columns: [
    ...DUE_DATES_TABLE.columns.filter(({ name }) => name !== CHANGED_COLUMN.name),
    { name: 'overdue', type: 'BOOLEAN', description: 'True from the day after due_date, in UTC.' },
  ],
  sql: `SELECT organization_id, record_id, what, record_type, record_name, owner_id, due_date, label,
    CAST(due_date < CURRENT_DATE AS INTEGER) AS overdue FROM due_dates WHERE due_date IS NOT NULL`,
};

/** Tables that have an organization's events. Each has a row in `progress`. */
export const FOLLOWING_TABLES: readonly ReportingTable[] = [
  ...RECORD_TABLES.flatMap(({ current, history }) => [current, history]),
  CHANGES_TABLE,
  CHANGE_FIELDS_TABLE,
  CHANGE_RECORDS_TABLE,
  LINKS_TABLE,
  FIGURES_DAILY_TABLE,
  FRAMEWORK_FIGURES_DAILY_TABLE,
  DUE_DATES_TABLE,
];

export const REPORTING_SCHEMA: ReportingSchema = {
  tables: [...FOLLOWING_TABLES, FIGURES_TABLE, ENUM_VALUES_TABLE, PEOPLE_TABLE, PROGRESS_TABLE],
  views: [DUE_ITEMS_VIEW],
};
