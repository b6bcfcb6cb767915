import type { Proof } from '../proofs.ts';
import type { Verification } from '../verification.ts';
import type { Content, Fact, Figure, Row, Section } from './report-type.ts';

/** Names of the people in a page: see ReportPeople. */
export type People = ReadonlyMap<string, string>;

/** What stands at the head of a report. */
export interface Head {
  type: string;
  title: string;
  organization: { id: string; name: string | null };
  /** Its inputs as they were understood; the moment is position and today. */
  inputs: Content['inputs'];
  /** Those, and what else has to be known of it, in words; an account's id stands for a person's name. */
  about: readonly Fact[];
  /** Log time of the newest event that is in it; null before the first one. */
  as_of: string | null;
  position: string;
  /** The day that due dates and the like are compared with. */
  today: string;
  generated_at: string;
  digest: string;
  /** An event of the organization could not be read: something may lack. */
  incomplete?: true;
  /** The first seal that covers the position, and that the position's event is in it; on the first page, the check of its changes. */
  proof?: Proof & { verification?: Verification };
  /** There is none yet. */
  pending_seal?: true;
}

/** Rows of a section that are on a page. */
export interface Part {
  section: Section;
  rows: Row[];
  /** The place of the first of them in its section, from 0. */
  first: number;
  /** How many rows of this section come after the page. */
  left: number;
}

/** What one answer holds of a report. */
export interface Page {
  /** All sections of the report. */
  sections: readonly Section[];
  /** On the first page alone. */
  figures: readonly Figure[];
  /** Of these the few that are told before all others. */
  summary: readonly Figure[];
  parts: Part[];
  people: People;
  trend: Content['trend'];
  /** Whether the report began before it. */
  continued: boolean;
  /** The first row, of all sections together, that is not on it; null at the end. */
  next: number | null;
  /** A row of it was too large for an answer, and is cut. */
  truncated: boolean;
}

/** How a page is written. */
export interface Format {
  /** Members of the report beside its head. */
  write(head: Head, page: Page): object | Promise<object>;
}

/** A format of answers, whose room is bounded: how much of it things take. */
export interface AnswerFormat extends Format {
  /** The room of an answer, in the unit of the others. */
  room: number;
  headTakes(head: Pick<Head, 'title' | 'organization' | 'about'>): number;
  figuresTake(figures: readonly Figure[]): number;
  sectionTakes(section: Section): number;
  /** @param before the row above it on the page */
  rowTakes(section: Section, row: Row, people: People, before?: Row): number;
  /** A person's key and name, where they stand beside the rows. */
  personTakes(person: readonly [key: string, name: string]): number;
}
