import type { Priority } from '../../commands/risk.ts';
import type { Scalar } from '../../stores/read-store.ts';
import type { PinnedMoment } from '../moment.ts';
import type { Reader } from '../reader.ts';

export const REPORT_FORMATS = ['MARKDOWN', 'JSON', 'CSV'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What narrows a report; each type takes some of it. */
export const NARROWING = ['framework_id', 'audit_id', 'owner_id', 'until', 'from', 'to'] as const;
export type Narrowing = (typeof NARROWING)[number];
export type Narrowings = Partial<Record<Narrowing, string | undefined>>;

export interface ReportContext {
  reader: Reader;
  organizationId: string;
  /** Reports of now, too, are of a position. */
  moment: PinnedMoment;
  /** What the caller gave of what the type takes; an owner is an account's id. */
  inputs: Readonly<Partial<Record<Narrowing, string>>>;
  /** Told how many more records were read, for whoever waits. */
  recordsRead?(more: number): void;
}

/** A number, and what it counts. */
export interface Figure {
  name: string;
  /** What it is about, as a heading: figures of a group come one after another. */
  group: string;
  /** What it is called below that heading. */
  label: string;
  kind: 'COUNT' | 'SHARE';
  /** A count, or a share between 0 and 1; null where there is nothing to take a share of. */
  value: number | null;
  /** What exactly it counts, in words that need no heading. */
  counts: string;
  /** How much it was more, so many days before; null where the organization was not there yet. */
  change?: Readonly<Record<`days_${number}`, number | null>>;
}

/** A line of a section: plain JSON. Fields that are empty are left out; people are ids. */
export type Row = Readonly<Record<string, unknown>>;

/** What a report is about, for whoever reads it as a document: an input by its name in place of its id. */
export interface Fact {
  label: string;
  /** An account's id stands for a person's name. */
  value: string;
}

/** How a field of rows is shown in text. */
export interface Column {
  field: string;
  title: string;
  /** Words of an enumeration, times, whether there is something to be done, or what only programs and screens need. */
  kind?: 'CODE' | 'INSTANT' | 'ALARM' | 'TECHNICAL';
  /** Prose: cut in Markdown, whole in JSON and CSV. */
  prose?: true;
  /** Left out in Markdown. */
  detail?: true;
  /** An account's id: text shows the name. */
  person?: true;
  /** The field with the time of the act that it tells of: text shows the name that the account had then. */
  at?: string;
}

/** A table of a report. Its rows come in an order of their own, the same each time. */
export interface Section {
  name: string;
  title: string;
  /** What has to be known to read it right, in a sentence or two. */
  note?: string;
  columns: readonly Column[];
  /** Fields that rows behind one another share: text tells them once, above these. */
  group?: readonly Column[];
  /** Told as a grid where the format has one: the fields of its rows, its columns and its cells. */
  grid?: readonly [row: string, column: string, cell: string];
  /** How its rows are drawn where a format draws. */
  plot?: 'matrix' | 'coverage' | 'calendar';
  /** Read anew by each that asks. */
  rows(): AsyncIterable<Row>;
  /** How reading goes on behind a row without those before it; unless given, they are read again. */
  resume?: {
    /** What the row is found by. */
    mark(row: Row): string;
    rows(mark: string): AsyncIterable<Row>;
  };
}

/** What a report says, before it is cut to pages and written in a format. */
export interface Content {
  /** Its own title, where it is of one record; that of its type unless given. */
  title?: string;
  /** The narrowing inputs as they were understood: with what they are unless given. */
  inputs: Readonly<Record<string, Scalar>>;
  /** The same in words. */
  about?: readonly Fact[];
  /** Worked out for the first page, which shows them. */
  figures(): Promise<readonly Figure[]>;
  /** Names of those that a reader looks for first, where they are many. */
  summary?: readonly string[];
  sections: readonly Section[];
  /** How the risks' scores went, for a format that draws it. */
  trend?(): Promise<readonly TrendPoint[]>;
}

/** Risks that were not closed at the end of a day: of those rated, how many of each priority, and their mean score. */
export interface TrendPoint {
  day: string;
  counts: Readonly<Record<Priority, number>>;
  mean: number | null;
  /** How many more were not rated. */
  unrated: number;
}

/** A type of report as data, and how it is drawn. */
export interface ReportType {
  title: string;
  takes: readonly Narrowing[];
  /** What of it has to be given, and what that is in words. */
  needs?: Readonly<Partial<Record<Narrowing, string>>>;
  /** Carries the proof that its position was sealed. */
  proved?: true;
  /** The moment it is about, where that follows from its inputs. */
  moment?(
    reader: Reader,
    organizationId: string,
    input: Narrowings & { as_of?: string | undefined },
  ): Promise<PinnedMoment>;
  draw(context: ReportContext): Promise<Content>;
}
