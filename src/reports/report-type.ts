import type { PinnedMoment } from '../queries/moments/moment.ts';
import type { Snapshot } from '../queries/moments/snapshot.ts';
import type { Field } from '../register/field.ts';
import type { Priority } from '../register/risk.ts';
import type { Scalar } from '../stores/read-store.ts';

/** The facts by which a report can group its rows. */
export const GROUPINGS = ['OWNER', 'SEVERITY'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const ANSWER_FORMAT_NAMES = ['MARKDOWN', 'JSON', 'CSV'] as const;
export type AnswerFormatName = (typeof ANSWER_FORMAT_NAMES)[number];

/** Inputs that narrow a report. Each type accepts some of them. */
export const REPORT_INPUTS = [
  'framework_id',
  'audit_id',
  'owner_id',
  'until',
  'from',
  'to',
  'trend',
  'trend_figures',
  'only',
  'kinds',
  'record_types',
  'group_by',
  'filter',
  'report_version',
] as const;
export type ReportInputName = (typeof REPORT_INPUTS)[number];
type ReportListName = 'kinds' | 'record_types';
export type ReportInputs = {
  [Name in ReportInputName]?:
    | (Name extends 'filter' ? ReportFilter : Name extends ReportListName ? readonly string[] : string)
    | undefined;
};
/** A filter, as lists of records take it. */
export type ReportFilter = Readonly<Record<string, unknown>>;

export interface ReportContext {
  snapshot: Snapshot;
  organizationId: string;
  /** The position and day that the report shows. A report of now has a position too. */
  moment: PinnedMoment;
  /**
   * True if current records may be read in place of their versions at the position, which costs less. Pages of today do
   * so. A report reads one position, so that its pages and digest agree.
   */
  readsCurrent?: boolean;
  /** The caller's inputs. ME is resolved to the caller's account id. A list is a text with commas. */
  inputs: Readonly<Partial<Record<ReportInputName, string>>>;
  /** Called with the number of records just read, to report progress. */
  recordsRead?(count: number): void;
  /** Stops reading when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** A number with its name. The digest covers `name`, `kind`, `value` and `change`; the other members are wording. */
export interface Figure {
  name: string;
  /** The heading. Figures of one group follow one another. */
  group: string;
  /** The name below that heading. */
  label: string;
  kind: 'COUNT' | 'SHARE';
  /** A count, or a share between 0 and 1. Null for a share of nothing. */
  value: number | null;
  /** The exact definition of what the figure counts, without its heading. */
  counts: string;
  /** The difference to the value 30, 90 or 365 days before, such as `days_30`. Null if the organization did not exist then. */
  change?: Readonly<Record<`days_${number}`, number | null>>;
}

/** One row of a section, as plain JSON. Empty fields are left out. People are account ids. */
export type ReportRow = Readonly<Record<string, unknown>>;

/** A line at the head of a document, such as "Framework: ISO 27001". */
export interface HeadFact {
  label: string;
  /** Renderers replace an account id by the person's name. */
  value: string;
}

/** Defines how text formats show a field of the rows. */
export interface ReportColumn {
  field: string;
  title: string;
  /**
   * CODE: an enumeration, or a list of its values. INSTANT: a time. ALARM: true when something must be done. SHARE: shown in
   * per cent. TO_SIGN: true when documents need a line to sign on. TECHNICAL: not for paper.
   */
  kind?: 'CODE' | 'INSTANT' | 'ALARM' | 'SHARE' | 'TO_SIGN' | 'TECHNICAL';
  /** The words for values of an enumeration whose own words aren't readable. */
  labels?: Readonly<Record<string, string>>;
  /** Long text: Markdown answers cut it, JSON and CSV don't. */
  prose?: true;
  /** Left out of Markdown answers. */
  detail?: true;
  /** HTML writes it below its row, as it does details: with all columns the table would be wider than its page. */
  isBelow?: true;
  /** The field holds an account id. Text shows the person's name. */
  person?: true;
  /** The field with the time of the act. Text shows the name that the person had at that time. */
  timeField?: string;
  /** The field is the time of a state. Documents say "unknown" if a row is in the state, and nobody knows since when. */
  timeOf?: NonNullable<Field['timeOf']>;
}

/** A table of a report. The order of its rows never changes. */
export interface ReportSection {
  name: string;
  title: string;
  /** One or two sentences on what the section includes and leaves out. */
  note?: string;
  columns: readonly ReportColumn[];
  /** Columns that consecutive rows share. Text shows their values once, above the rows. */
  group?: readonly ReportColumn[];
  /** Fields for a format that can show a grid: the grid's rows, its columns and its cells. */
  grid?: readonly [row: string, column: string, cell: string];
  plot?: 'matrix' | 'coverage' | 'calendar' | 'trend';
  /** Reads the rows from the first one. Each call reads them again. */
  rows(): AsyncIterable<ReportRow>;
  /** Continues after a row without reading those before it. Without this member they are read again. */
  resume?: {
    /** Returns the key that finds this row again. */
    key(row: ReportRow): string;
    /** Reads the rows after the one with this key. */
    rows(key: string): AsyncIterable<ReportRow>;
  };
}

/** A report before it is divided into pages and written in a format. */
export interface ReportContent {
  /** The title of a report about one record. By default the title of the type. */
  title?: string;
  /** The version of the data. Absent for version 1. */
  version?: 2;
  /** The inputs as understood, defaults included. */
  inputs: Readonly<Record<string, Scalar>>;
  /** The inputs in words. */
  about?: readonly HeadFact[];
  /** Computes the figures. Only the first page calls it. */
  figures(): Promise<readonly Figure[]>;
  /** Names of the most important figures, for a report with many. */
  summary?: readonly string[];
  sections: readonly ReportSection[];
  /** The first page for models has figures and no rows, so that it stays short. */
  startsWithoutRows?: true;
  /** Labels of lines to fill in by hand, for documents that somebody approves. */
  signOff?: readonly string[];
  /** Reads the risk scores of past months, for formats that have plots. */
  trend?(): Promise<readonly TrendPoint[]>;
}

/** The risks not closed at the end of a day: rated ones by priority, and their mean score. */
export interface TrendPoint {
  day: string;
  counts: Readonly<Record<Priority, number>>;
  mean: number | null;
  /** Risks without a rating. They are in no other count. */
  unrated: number;
}

export interface ReportType {
  title: string;
  acceptedInputs: readonly ReportInputName[];
  /** Inputs that must be given. Each text describes the value to give. */
  requiredInputs?: Readonly<Partial<Record<ReportInputName, string>>>;
  /** The values that `group_by` can have, for a type that accepts it. */
  groupings?: readonly Grouping[];
  /** The permission to generate it, for a type that needs more than `readRecords`. */
  permission?: 'exportHistory';
  /** The head carries a proof that a seal covers the report's position. */
  hasProof?: true;
  /** Finds the report's moment, for a type whose inputs determine it. By default `as_of` does. */
  moment?(
    snapshot: Snapshot,
    organizationId: string,
    input: ReportInputs & { as_of?: string | undefined },
  ): Promise<PinnedMoment>;
  /** Says which figures and sections the report has. Rows are read when a section is iterated. */
  collect(context: ReportContext): Promise<ReportContent>;
}
