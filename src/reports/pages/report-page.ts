import type { Verification } from '../../queries/proofs/verify-changes.ts';
import type { NamesByKey } from '../../texts/value-text.ts';
import type { EventProof } from '../../trail/seals/event-proof.ts';
import type { Figure, HeadFact, ReportContent, ReportRow, ReportSection } from '../report-type.ts';

export interface ReportHead {
  /** The version of the digest's input format. */
  report_version: 1 | 2;
  type: string;
  title: string;
  organization: { id: string; name: string | null };
  /** The inputs with defaults applied. The moment is in `position` and `today`. */
  inputs: ReportContent['inputs'];
  /** The inputs and other facts in words. Contains account ids instead of names. */
  about: readonly HeadFact[];
  /** Log time of the newest event in the report. Null before the first event. */
  as_of: string | null;
  position: string;
  /** The day that due dates are compared with. */
  today: string;
  generated_at: string;
  digest: string;
  /** An event of the organization is parked, so the report may lack something. */
  incomplete?: true;
  /** Proves that the first seal after the position covers it. The first page adds the check of the changes. */
  proof?: EventProof & { verification?: Verification };
  /** No seal covers the position yet. */
  pending_seal?: true;
}

/** The head's members that are known before the digest is computed. */
export type ConstantHead = Omit<ReportHead, 'generated_at' | 'digest' | 'incomplete' | 'proof' | 'pending_seal'>;

/** The rows of a section that are on a page. */
export interface SectionPart {
  section: ReportSection;
  rows: ReportRow[];
  /** The index of the first of these rows in its section, from 0. */
  firstIndex: number;
  rowsAfter: number;
}

/** The part of a report that fits one answer, or all of it in a file. */
export interface ReportPage {
  sections: readonly ReportSection[];
  /** Empty after the first page. */
  figures: readonly Figure[];
  /** The most important of the figures. */
  summary: readonly Figure[];
  parts: SectionPart[];
  people: NamesByKey;
  trend: ReportContent['trend'];
  signOff?: ReportContent['signOff'];
  /** The address of the register's pages, if readers can go back to them. */
  registerUrl?: string | undefined;
  /** True after the first page. */
  isContinuation: boolean;
  /** The next page's first row, counted over all sections. Null on the last page. */
  nextRow: number | null;
  /** True if a row was too large for an answer and has been cut. */
  isTruncated: boolean;
}

export interface ReportWriter {
  /**
   * Returns the report's members that are not in its head.
   * @param signal stops the writing of a long report
   */
  write(head: ReportHead, page: ReportPage, signal?: AbortSignal): object | Promise<object>;
}

/** Writes pages for answers, whose size is bounded. Sizes are in tokens or characters; the writer chooses. */
export interface AnswerWriter extends ReportWriter {
  /** The largest size of an answer. */
  capacity: number;
  /** Models read it, so a long report may begin with a page without rows. Programs want the rows at once. */
  isForModels?: true;
  headSize(head: Pick<ReportHead, 'title' | 'organization' | 'about'>): number;
  figuresSize(figures: readonly Figure[]): number;
  sectionSize(section: ReportSection): number;
  /** @param before the row above it on the page */
  rowSize(section: ReportSection, row: ReportRow, people: NamesByKey, before?: ReportRow): number;
  /** The size of a person's key and name, in a format that lists them apart from the rows. */
  nameSize(person: readonly [key: string, name: string]): number;
}
