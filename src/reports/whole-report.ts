import type { Caller } from '../commands/organization/caller.ts';
import type { Reader } from '../queries/moments/snapshot.ts';
import type { NamesByKey } from '../texts/value-text.ts';
import type { ReportHead, ReportPage } from './pages/report-page.ts';
import { openReportFile } from './report.ts';
import type { ReportFileRequest } from './report-request.ts';

/** A report with all its rows, for a page of the browser. */
export interface WholeReport {
  head: ReportHead;
  parts: ReportPage['parts'];
  people: NamesByKey;
}

/**
 * Reads all of a report. A page that is looked at is no download, so the access log has no entry for it.
 * @throws Refusal for a caller without reports, and for wrong inputs; the signal's reason if it is aborted
 */
export async function readWholeReport(
  reader: Reader,
  caller: Caller,
  request: ReportFileRequest,
  signal: AbortSignal | undefined,
): Promise<WholeReport> {
  let parts: ReportPage['parts'] = [];
  const write = (_head: ReportHead, page: ReportPage) => {
    parts = page.parts;
    return {};
  };
  const call = { onGenerated: () => undefined, signal };
  const file = await openReportFile(reader, caller, request, { name: 'PAGE', format: { write } }, call);
  const { head, people } = await file.generate();
  return { head, parts, people };
}
