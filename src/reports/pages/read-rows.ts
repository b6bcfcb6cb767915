import type { ReportRow, ReportSection } from '../report-type.ts';
import type { ReportCursor } from './report-cursor.ts';
import type { ReportDigest } from './report-digest.ts';
import type { ReportPaginator } from './report-paginator.ts';

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
