import type Router from '@koa/router';
import type { Caller } from '../../commands/organization/caller.ts';
import { reportTool } from '../../mcp/tools/report-tool.ts';
import type { DownloadDetails } from '../../queries/files/download-details.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import { REPORT_CONTENT_POLICY } from '../../reports/formats/report-html.tsx';
import type { ReportHead } from '../../reports/pages/report-page.ts';
import { openReportFile } from '../../reports/report.ts';
import type { Admit } from '../access/admission.ts';
import { etagMatches } from '../etag.ts';
import { clientSignal, type RequestContext, type RequestState, readQueryParameters } from '../request.ts';
import { findFormat } from './file-format.ts';
import { type FileContext, fileRoute } from './file-route.ts';
import type { PdfPrinter } from './pdf-printer.ts';
import { ReportEtags } from './report-etags.ts';
import { availableReportFormats, type ReportFileFormat } from './report-file-formats.ts';
import { readReportInput, reportTypeOf } from './report-input.ts';

/** The collaborators of report files. */
export interface ReportFileRoutesOptions {
  reader: Reader;
  onReportGenerated(caller: Caller, report: DownloadDetails): void;
  printer: PdfPrinter;
}

const PAGE_POLICY = `${REPORT_CONTENT_POLICY}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox`;

/** Serves whole reports in any format. The query parameters are the inputs of the getReport tool. */
export function reportFileRoutes(
  router: Router<RequestState>,
  admit: Admit,
  options: ReportFileRoutesOptions & { version: string },
): void {
  const tags = new ReportEtags(options.version);
  fileRoute(router, '/api/v1/organizations/:id/reports/:type', admit, (ctx, caller) => {
    ctx.state.tool = reportTool.name;
    ctx.vary('Accept');
    return serveReport(ctx, options, tags, caller);
  });
}

async function serveReport(
  ctx: FileContext,
  options: ReportFileRoutesOptions,
  tags: ReportEtags,
  caller: Caller,
): Promise<void> {
  const type = reportTypeOf(String(ctx.params.type));
  const { input, format: formatName } = readReportInput(String(ctx.params.id), type, readQueryParameters(ctx));
  if (formatName?.toLowerCase() === 'pdf') options.printer.requireBrowser();
  const offeredFormats = availableReportFormats(options.printer);
  const format =
    formatName === undefined ? acceptedFormat(ctx, offeredFormats) : findFormat(offeredFormats, formatName);
  const { name } = format;
  const onGenerated = (report: DownloadDetails) => options.onReportGenerated(caller, report);
  const output = { name: name.toUpperCase(), format: format.format };
  const signal = clientSignal(ctx.res);
  const report = await openReportFile(options.reader, caller, input, output, { onGenerated, signal });
  const knownEtag = await tags.expectedEtag(report, name);
  if (knownEtag !== null && answerNotModified(ctx, knownEtag)) return;
  const { head, written, people } = await report.generate();
  if (answerNotModified(ctx, tags.etagOf(report.identity, name, head, people))) return;
  const print = (html: string) => options.printer.print(html, signal);
  ctx.body = await format.bytes(head, written, print);
  ctx.attachment(fileName(head, format.extension), { type: name === 'html' ? 'inline' : 'attachment' });
  ctx.type = format.mediaType;
  if (name === 'html') ctx.set('Content-Security-Policy', PAGE_POLICY);
}

/** Returns the format that the client accepts, or the first one. */
function acceptedFormat(ctx: RequestContext, offered: readonly ReportFileFormat[]): ReportFileFormat {
  const types = offered.map(({ mediaType }) => mediaType.split(';')[0]!);
  const accepted = ctx.accepts(...types);
  return offered[accepted === false ? 0 : types.indexOf(accepted)]!;
}

/** Sets the ETag. Returns true after answering 304 to a client that has this version. */
function answerNotModified(ctx: RequestContext, etag: string): boolean {
  ctx.set('ETag', etag);
  if (!etagMatches(ctx.get('If-None-Match'), etag)) return false;
  ctx.status = 304;
  return true;
}

/** `Acme Ltd Risk register 2026-11-21 position 1234.pdf` */
function fileName({ organization, title, today, position }: ReportHead, ending: string): string {
  const [name, reportTitle] = [organization.name ?? organization.id, title].map((text) =>
    text.replace(/[^\p{L}\p{N} .-]+/gu, ' ').slice(0, 80),
  );
  return `${name} ${reportTitle} ${today} position ${position}.${ending}`.replace(/\s+/g, ' ').trimStart();
}
