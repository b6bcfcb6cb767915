import type { Caller } from '../commands/organization/caller.ts';
import { type DownloadDetails, filterDetail } from '../queries/files/download-details.ts';
import { requireCursorPosition } from '../queries/moments/moment.ts';
import { isIncomplete, type Reader } from '../queries/moments/snapshot.ts';
import type { NamesByKey } from '../texts/value-text.ts';
import { REPORTS, type ReportName, type ReportRequest } from './all-reports.ts';
import { reportCsv } from './formats/report-csv.ts';
import { reportJson } from './formats/report-json.ts';
import { reportMarkdown } from './formats/report-markdown.ts';
import { type ReportCursor, readReportCursor, writeReportCursor } from './pages/report-cursor.ts';
import { ReportDigest } from './pages/report-digest.ts';
import { readConstantHead, readProof, verifyReport } from './pages/report-head.ts';
import type { AnswerWriter, ReportHead, ReportPage, ReportWriter } from './pages/report-page.ts';
import { ReportPaginator, readFirstPage, readLaterPage, resumeKeyOf } from './pages/report-paginator.ts';
import { accountIdsIn, ReportPeople } from './pages/report-people.ts';
import {
  checkRequest,
  type ReportCall,
  type ReportFileRequest,
  reportContext,
  resolveOwner,
} from './report-request.ts';
import type { AnswerFormatName, ReportContext } from './report-type.ts';

/*
 * A report is made in four steps:
 * 1. collect: its type (in `definitions/`) says which figures and sections it has, as data.
 * 2. paginate: `ReportPaginator` fills a page with rows until the answer is full.
 * 3. digest: `ReportDigest` hashes every row. Steps 2 and 3 share one pass over the rows: see `readFirstPage`.
 * 4. format: a writer (in `formats/`) writes the page as text.
 */

const ANSWER_FORMATS: Readonly<Record<AnswerFormatName, AnswerWriter>> = {
  MARKDOWN: reportMarkdown,
  JSON: reportJson,
  CSV: reportCsv,
};

/** A report's page before it is written in a format. */
interface GeneratedReport {
  head: ReportHead;
  page: ReportPage;
  rowCounts: readonly number[];
}

/**
 * Returns a report, or the next page of a long one. It is computed from the history read models alone, at one position.
 * The same position, day and inputs always give the same digest.
 */
export async function getReport(
  reader: Reader,
  caller: Caller,
  request: ReportRequest,
  call: ReportCall,
): Promise<object> {
  const snapshot = reader.snapshot();
  checkRequest(caller, request);
  const input = await resolveOwner(snapshot, caller, request);
  const { organization_id, type, format, cursor: cursorText, ...inputs } = input;
  // Nobody else can use the cursor: the access log names only the account that asked for the first page.
  const boundTo = ['getReport', caller.account_id, organization_id, type, format, inputs];
  const cursor = cursorText === undefined ? null : readReportCursor(snapshot.cursorKey, boundTo, cursorText);
  if (cursor !== null) await requireCursorPosition(snapshot, organization_id, cursor.position);
  const pinned = cursor && { today: cursor.today, position: cursor.position };
  const context = await reportContext(snapshot, caller, input, call, pinned);
  const writer = ANSWER_FORMATS[format];
  const { head, page, rowCounts } = await generate(context, caller, type, writer, cursor);
  if (cursor === null) {
    call.onGenerated({ organization_id, type, format, position: head.position, ...inputDetails(context.inputs) });
  }
  const report = { ...head, ...(await writer.write(head, page)) };
  if (page.nextRow === null) return { report };
  const { digest } = head;
  const previousKey = resumeKeyOf(page);
  const { today, position } = context.moment;
  const nextCursor: ReportCursor = { today, position, firstRow: page.nextRow, digest, rowCounts, previousKey };
  return { report, next_cursor: writeReportCursor(snapshot.cursorKey, boundTo, nextCursor) };
}

/** A report that can be generated as one file. */
export interface ReportFile {
  /** Two reports with the same identity differ only in people's names. */
  identity: string;
  /** Returns today's names for the keys in a report that was generated earlier. */
  names(keys: readonly string[]): Promise<NamesByKey>;
  /** Returns the head, the output of the writer for all rows, and the names in them. */
  generate(): Promise<{ head: ReportHead; written: object; people: NamesByKey }>;
}

/**
 * Opens a report that is generated as one file, however long it is.
 * @param output the format's name in the access log, and its writer
 * @throws Refusal for a caller without access, and for wrong inputs
 */
export async function openReportFile(
  reader: Reader,
  caller: Caller,
  request: ReportFileRequest,
  output: { name: string; format: ReportWriter },
  call: ReportCall,
): Promise<ReportFile> {
  const snapshot = reader.snapshot();
  checkRequest(caller, request);
  const input = await resolveOwner(snapshot, caller, request);
  const { organization_id, type } = input;
  const context = await reportContext(snapshot, caller, input, call, null);
  const { moment, inputs } = context;
  return {
    identity: JSON.stringify([organization_id, type, moment, inputs, isIncomplete(snapshot, organization_id)]),
    names: (keys) => new ReportPeople(context).namesFor(keys),
    async generate() {
      const { head, page } = await generate(context, caller, type, null, null);
      call.onGenerated({
        organization_id,
        type,
        format: output.name,
        position: head.position,
        ...inputDetails(inputs),
      });
      const { registerUrl, signal } = call;
      const written = await output.format.write(head, { ...page, registerUrl }, signal);
      return { head, written, people: page.people };
    },
  };
}

/** Returns a report's inputs as the access log stores them. */
function inputDetails({ filter, ...inputs }: ReportContext['inputs']): Partial<DownloadDetails> {
  return filter === undefined ? inputs : { ...inputs, ...filterDetail(JSON.parse(filter)) };
}

/**
 * Checks a report's inputs without generating it.
 * @throws Refusal as `openReportFile` and the generation do
 */
export async function checkReport(reader: Reader, caller: Caller, request: ReportFileRequest): Promise<void> {
  const snapshot = reader.snapshot();
  checkRequest(caller, request);
  const input = await resolveOwner(snapshot, caller, request);
  const context = await reportContext(snapshot, caller, input, { onGenerated: () => {} }, null);
  await REPORTS[request.type].collect(context);
}

/**
 * Does the steps before the format.
 * @param writer of the answer that the page must fit; null for a file, which has no limit
 * @param cursor the page to continue with; null for the first
 */
async function generate(
  context: ReportContext,
  caller: Caller,
  name: ReportName,
  writer: AnswerWriter | null,
  cursor: ReportCursor | null,
): Promise<GeneratedReport> {
  const type = REPORTS[name];
  const content = await type.collect(context);
  const { sections, trend, signOff, summary: summaryNames = [] } = content;
  const constantHead = await readConstantHead(context, name, content);
  const figures = cursor === null ? await content.figures() : [];
  const names = new ReportPeople(context);
  const belowHead = writer && { ...writer, capacity: writer.capacity - writer.headSize(constantHead) };
  const paginator = new ReportPaginator(names, belowHead, figures);
  if (writer?.isForModels && cursor === null && content.startsWithoutRows) paginator.isFull = true;
  const { firstRow, rowCounts, digest } =
    cursor === null
      ? await readFirstPage(sections, new ReportDigest(constantHead, figures), paginator)
      : await readLaterPage(sections, cursor, paginator);
  const page = paginator.page(sections, rowCounts, firstRow);
  const verify = async () => (cursor === null ? verifyReport(context, caller, content) : null);
  const head: ReportHead = {
    ...constantHead,
    generated_at: context.snapshot.now().toISOString(),
    digest,
    ...(isIncomplete(context.snapshot, context.organizationId) ? { incomplete: true } : {}),
    ...(type.hasProof ? await readProof(context, verify) : {}),
  };
  const summary = figures.filter(({ name }) => summaryNames.includes(name));
  // The page after one without rows begins with the first row.
  const isContinuation = cursor !== null;
  const people = new Map([...(await names.namesFor(accountIdsIn(constantHead.about))), ...page.people]);
  return { head, page: { ...page, isContinuation, sections, figures, summary, trend, signOff, people }, rowCounts };
}
