import { cutText } from '../../projections/read-models/search-text.ts';
import type { Figure, ReportContent, ReportRow, ReportSection } from '../report-type.ts';
import type { AnswerWriter, NamesByKey, ReportPage, SectionPart } from './report-page.ts';
import { nameKeysIn, type ReportPeople } from './report-people.ts';

/** Limits for texts and lists of a row that is too large for any answer. The first pair that makes it fit is used. */
const CUT_LIMITS: readonly (readonly [maxTextLength: number, maxListItems: number])[] = [
  [1_000, 100],
  [300, 100],
  [100, 50],
  [40, 20],
];

/**
 * Collects the rows of one page, from `firstRow` on, until the answer is full. A row too large for any answer gets its
 * texts and lists cut.
 *
 * The first page needs all rows, for the digest: `rowsOf` hands them on and keeps those of the page. A later page knows
 * the number of rows in each section, and `readPage` reads only what the page needs. A file has no limit: without a
 * writer, nothing is measured.
 */
export class ReportPaginator {
  private readonly namesByKey = new Map<string, string>();
  private readonly parts: SectionPart[] = [];
  private remainingCapacity: number;
  private rowCount = 0;
  private rowIndex = 0;
  private nextRow: number | null = null;
  private isTruncated = false;
  /** The number of rows of each section that has been closed. */
  readonly rowCounts: number[] = [];
  /** The key of the page's last row, if its section continues on the next page and can be resumed. */
  resumeKey: string | null = null;

  constructor(
    private readonly names: ReportPeople,
    private readonly content: Pick<ReportContent, 'sections' | 'trend' | 'summary'>,
    /** Empty after the first page. */
    private readonly figures: readonly Figure[],
    private readonly writer: AnswerWriter | null,
    private readonly firstRow: number,
    /** The key of the row before `firstRow`, if both are in one section. */
    private readonly previousKey: string | null = null,
  ) {
    this.remainingCapacity = writer === null ? 0 : writer.capacity - writer.figuresSize(figures);
  }

  /** Yields all rows of a section. The caller must read each section to its end, in order. */
  async *rowsOf(section: ReportSection): AsyncGenerator<ReportRow> {
    const part: SectionPart = { section, rows: [], firstIndex: 0, rowsAfter: 0 };
    const start = this.rowIndex;
    for await (const row of section.rows()) {
      if (this.isOnPage()) await this.addRow(part, row, this.rowIndex - start);
      this.rowIndex += 1;
      yield row;
    }
    this.closeSection(part, start, this.rowIndex - start);
  }

  /** Reads the rows of this page alone. @param rowCounts the number of rows of each section, as the first page found */
  async readPage(rowCounts: readonly number[]): Promise<void> {
    for (const [index, section] of this.content.sections.entries()) {
      const part: SectionPart = { section, rows: [], firstIndex: 0, rowsAfter: 0 };
      const start = this.rowIndex;
      if (start + rowCounts[index]! > this.firstRow && this.nextRow === null) await this.readSection(part, start);
      this.closeSection(part, start, rowCounts[index]!);
    }
  }

  private async readSection(part: SectionPart, start: number): Promise<void> {
    const { section } = part;
    const resumed =
      start < this.firstRow && this.previousKey !== null ? section.resume?.rows(this.previousKey) : undefined;
    if (resumed !== undefined) this.rowIndex = this.firstRow;
    for await (const row of resumed ?? section.rows()) {
      if (this.isOnPage()) await this.addRow(part, row, this.rowIndex - start);
      if (this.nextRow !== null) return;
      this.rowIndex += 1;
    }
  }

  private isOnPage(): boolean {
    return this.rowIndex >= this.firstRow && this.nextRow === null;
  }

  /**
   * Puts the section on the page if some of its rows are on the page or after it. A section without rows is put on the
   * page where the rows around it are.
   */
  private closeSection(part: SectionPart, start: number, count: number): void {
    const end = start + count;
    this.rowIndex = end;
    this.rowCounts.push(count);
    part.rowsAfter = this.nextRow === null ? 0 : Math.max(0, end - Math.max(start, this.nextRow));
    const isEmptyHere = count === 0 && this.nextRow === null && (this.firstRow === 0 || this.rowCount > 0);
    if (isEmptyHere || part.rows.length > 0 || part.rowsAfter > 0) this.parts.push(part);
  }

  /** Adds a row to the page. If it does not fit, the next page begins with it. */
  private async addRow(part: SectionPart, whole: ReportRow, indexInSection: number): Promise<void> {
    const names = await this.names.namesFor(nameKeysIn(part.section, whole).filter((key) => !this.namesByKey.has(key)));
    const row = this.writer === null ? whole : this.fitRow(this.writer, part, whole, names);
    if (row === null) {
      this.nextRow = this.rowIndex;
      const last = part.rows.at(-1);
      if (last !== undefined) this.resumeKey = part.section.resume?.key(last) ?? null;
      return;
    }
    for (const [key, name] of names) this.namesByKey.set(key, name);
    if (part.rows.length === 0) part.firstIndex = indexInSection;
    part.rows.push(row);
    if (row !== whole) this.isTruncated = true;
    this.rowCount += 1;
  }

  /** Reserves capacity for a row and returns it, cut if no page could hold it whole. Returns null if the page is full. */
  private fitRow(
    writer: AnswerWriter,
    { section, rows }: SectionPart,
    whole: ReportRow,
    names: NamesByKey,
  ): ReportRow | null {
    const people = names.size === 0 ? this.namesByKey : new Map([...this.namesByKey, ...names]);
    const sizeOf = (row: ReportRow) => writer.rowSize(section, row, people, rows.at(-1));
    let sizeAround = writer.sectionSize(section);
    for (const name of names) sizeAround += writer.nameSize(name);
    // The first row of a page can't wait for the next page.
    const limit = (this.rowCount === 0 ? this.remainingCapacity : writer.capacity) - sizeAround;
    let row = whole;
    let size = sizeOf(row);
    for (const [maxTextLength, maxListItems] of CUT_LIMITS) {
      if (size <= limit) break;
      row = { ...(cutValue(whole, maxTextLength, maxListItems) as ReportRow), truncated: true };
      size = sizeOf(row);
    }
    size += rows.length === 0 ? sizeAround : sizeAround - writer.sectionSize(section);
    if (size > this.remainingCapacity && this.rowCount > 0) return null;
    this.remainingCapacity -= size;
    return row;
  }

  page(): ReportPage {
    const { content, figures, parts, namesByKey: people, firstRow, nextRow, isTruncated } = this;
    const { sections, trend, summary: summaryNames = [] } = content;
    const summary = figures.filter(({ name }) => summaryNames.includes(name));
    return { sections, figures, summary, parts, people, trend, isContinuation: firstRow > 0, nextRow, isTruncated };
  }
}

function cutValue(value: unknown, maxTextLength: number, maxListItems: number): unknown {
  const cut = (member: unknown) => cutValue(member, maxTextLength, maxListItems);
  if (typeof value === 'string') return cutText(value, maxTextLength);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, maxListItems).map(cut);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member)]));
}
