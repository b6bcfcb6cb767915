import { setImmediate as nextTurn } from 'node:timers/promises';
import { cutText } from '../../projections/read-models/search-text.ts';
import type { NamesByKey } from '../../texts/value-text.ts';
import type { Figure, ReportRow, ReportSection } from '../report-type.ts';
import type { ReportCursor } from './report-cursor.ts';
import type { ReportDigest } from './report-digest.ts';
import type { AnswerWriter, ReportPage, SectionPart } from './report-page.ts';
import { nameKeysIn, type ReportPeople } from './report-people.ts';

/** The results of reading that every page needs. */
type RowsRead = Pick<ReportCursor, 'firstRow' | 'rowCounts' | 'digest'>;

/**
 * Reads all rows of a report once. Each row goes to the digest, and to the first page while that has room. So a report
 * of any length is read in one pass, and only the page's rows stay in memory.
 */
export async function readFirstPage(
  sections: readonly ReportSection[],
  digest: ReportDigest,
  paginator: ReportPaginator,
): Promise<RowsRead> {
  const rowCounts: number[] = [];
  for (const section of sections) {
    let count = 0;
    digest.beginSection(section.name);
    for await (const row of section.rows()) {
      digest.addRow(row);
      if (!paginator.isFull) await paginator.add(section, row);
      count += 1;
    }
    digest.endSection();
    rowCounts.push(count);
  }
  return { firstRow: 0, rowCounts, digest: digest.finish() };
}

/** Reads the rows of a later page alone. */
export async function readLaterPage(
  sections: readonly ReportSection[],
  cursor: ReportCursor,
  paginator: ReportPaginator,
): Promise<RowsRead> {
  const { firstRow, rowCounts, previousKey } = cursor;
  let start = 0;
  for (const [index, section] of sections.entries()) {
    const end = start + rowCounts[index]!;
    if (end > firstRow) {
      for await (const row of rowsFrom(section, Math.max(0, firstRow - start), previousKey)) {
        await paginator.add(section, row);
        if (paginator.isFull) return cursor;
      }
    }
    start = end;
  }
  return cursor;
}

/** Skips the first rows of a section. If it can be resumed, they are not read. */
async function* rowsFrom(section: ReportSection, skip: number, previousKey: string | null): AsyncGenerator<ReportRow> {
  if (skip > 0 && previousKey !== null && section.resume !== undefined) {
    yield* section.resume.rows(previousKey);
    return;
  }
  let index = 0;
  for await (const row of section.rows()) {
    if (index >= skip) yield row;
    index += 1;
  }
}

/** Limits for texts and lists of a row that is too large for any answer. The first pair that makes it fit is used. */
const CUT_LIMITS: readonly (readonly [maxTextLength: number, maxListItems: number])[] = [
  [1_000, 100],
  [300, 100],
  [100, 50],
  [40, 20],
];

/** Rows that are measured at a time. Other calls run in between. */
const ROWS_PER_TURN = 20;

/** The part of a page that depends on its rows. */
export type PageOfRows = Pick<ReportPage, 'parts' | 'people' | 'nextRow' | 'isTruncated'>;

/**
 * Fills one page with rows until the answer is full. A row too large for any answer gets its texts and lists cut.
 *
 * A file has no limit: without a writer, nothing is measured and the page is never full.
 */
export class ReportPaginator {
  private readonly rowsBySection = new Map<ReportSection, ReportRow[]>();
  private readonly namesByKey = new Map<string, string>();
  private remainingCapacity: number;
  private isTruncated = false;
  private measured = 0;
  /** True after a row did not fit. The next page begins with that row. */
  isFull = false;

  constructor(
    private readonly names: ReportPeople,
    private readonly writer: AnswerWriter | null,
    /** Empty after the first page. */
    figures: readonly Figure[],
  ) {
    this.remainingCapacity = writer === null ? 0 : writer.capacity - writer.figuresSize(figures);
  }

  /** Adds a row to the page, or marks the page as full. Rows must come in order. */
  async add(section: ReportSection, whole: ReportRow): Promise<void> {
    const newKeys = nameKeysIn(section, whole).filter((key) => !this.namesByKey.has(key));
    const names = await this.names.namesFor(newKeys);
    const rows = this.rowsBySection.get(section) ?? [];
    const row = this.writer === null ? whole : this.fitRow(this.writer, section, rows, whole, names);
    if (this.writer !== null && ++this.measured % ROWS_PER_TURN === 0) await nextTurn();
    if (row === null) {
      this.isFull = true;
      return;
    }
    for (const [key, name] of names) this.namesByKey.set(key, name);
    rows.push(row);
    this.rowsBySection.set(section, rows);
    if (row !== whole) this.isTruncated = true;
  }

  /**
   * Returns the page.
   * @param rowCounts the number of rows of each section
   * @param firstRow the page's first row, counted over all sections
   */
  page(sections: readonly ReportSection[], rowCounts: readonly number[], firstRow: number): PageOfRows {
    const { rowsBySection, namesByKey: people, isTruncated } = this;
    const rowsOnPage = [...rowsBySection.values()].reduce((sum, { length }) => sum + length, 0);
    const nextRow = this.isFull ? firstRow + rowsOnPage : null;
    const parts: SectionPart[] = [];
    let start = 0;
    for (const [index, section] of sections.entries()) {
      const end = start + rowCounts[index]!;
      const rows = rowsBySection.get(section) ?? [];
      const firstIndex = rows.length === 0 ? 0 : Math.max(0, firstRow - start);
      const rowsAfter = nextRow === null ? 0 : Math.max(0, end - Math.max(start, nextRow));
      // A section without rows is put on the page where the rows around it are.
      const isEmptyHere =
        start === end && (firstRow === 0 || start > firstRow) && (nextRow === null || start <= nextRow);
      if (rows.length > 0 || rowsAfter > 0 || isEmptyHere) parts.push({ section, rows, firstIndex, rowsAfter });
      start = end;
    }
    return { parts, people, nextRow, isTruncated };
  }

  /** Reserves capacity for a row and returns it, cut if no page could hold it whole. Returns null if the page is full. */
  private fitRow(
    writer: AnswerWriter,
    section: ReportSection,
    rowsBefore: readonly ReportRow[],
    whole: ReportRow,
    names: NamesByKey,
  ): ReportRow | null {
    const isFirstOnPage = this.rowsBySection.size === 0;
    const people = names.size === 0 ? this.namesByKey : new Map([...this.namesByKey, ...names]);
    const sizeOf = (row: ReportRow) => writer.rowSize(section, row, people, rowsBefore.at(-1));
    let sizeAround = writer.sectionSize(section);
    for (const name of names) sizeAround += writer.nameSize(name);
    // The first row of a page can't wait for the next page.
    const limit = (isFirstOnPage ? this.remainingCapacity : writer.capacity) - sizeAround;
    let row = whole;
    let size = sizeOf(row);
    for (const [maxTextLength, maxListItems] of CUT_LIMITS) {
      if (size <= limit) break;
      row = { ...(cutValue(whole, maxTextLength, maxListItems) as ReportRow), truncated: true };
      size = sizeOf(row);
    }
    size += rowsBefore.length === 0 ? sizeAround : sizeAround - writer.sectionSize(section);
    if (size > this.remainingCapacity && !isFirstOnPage) return null;
    this.remainingCapacity -= size;
    return row;
  }
}

/** Returns the key of the page's last row, if its section continues on the next page and can be resumed. */
export function resumeKeyOf({ parts }: PageOfRows): string | null {
  const interrupted = parts.find(({ rows, rowsAfter }) => rows.length > 0 && rowsAfter > 0);
  return interrupted?.section.resume?.key(interrupted.rows.at(-1)!) ?? null;
}

function cutValue(value: unknown, maxTextLength: number, maxListItems: number): unknown {
  const cut = (member: unknown) => cutValue(member, maxTextLength, maxListItems);
  if (typeof value === 'string') return cutText(value, maxTextLength);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, maxListItems).map(cut);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member)]));
}
