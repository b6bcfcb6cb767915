import { Readable } from 'node:stream';
import type Router from '@koa/router';
import { organizationAddress } from '../../addresses/page-addresses.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { REPORT_CONTENT_POLICY } from '../../reports/formats/report-html.tsx';
import { reportTool } from '../../tools/report-tool.ts';
import type { Admit } from '../access/admission.ts';
import { disconnectWhenStalled } from '../disconnect-when-stalled.ts';
import { clientSignal, type RequestContext, type RequestState } from '../request.ts';
import { findFormat } from './file-format.ts';
import { type FileContext, fileRoute } from './file-route.ts';
import type { PdfPrinter } from './pdf-printer.ts';
import { availableReportFormats, type ReportFileFormat } from './report-file-formats.ts';
import type { GeneratedFile, ReportFiles } from './report-files.ts';
import { readReportInput, reportTypeOf } from './report-input.ts';
import type { SpooledFile } from './spooled-files.ts';

/** The collaborators of report files. */
export interface ReportFileRoutesOptions {
  files: ReportFiles;
  printer: PdfPrinter;
  /** A client that reads nothing for this long is disconnected. Default: one minute. */
  stallTimeoutMs?: number;
}

const PAGE_POLICY = `${REPORT_CONTENT_POLICY}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox`;

/** Serves whole reports in any format. The query parameters are the inputs of the getReport tool. */
export function reportFileRoutes(
  router: Router<RequestState>,
  admit: Admit,
  options: ReportFileRoutesOptions & { publicUrl?: string | undefined },
): void {
  fileRoute(router, '/api/v1/organizations/:id/reports/:type', admit, (ctx, caller) => {
    ctx.state.tool = reportTool.name;
    ctx.vary('Accept');
    return serveReport(ctx, options, caller);
  });
}

async function serveReport(
  ctx: FileContext,
  { files, printer, stallTimeoutMs, publicUrl = '' }: ReportFileRoutesOptions & { publicUrl?: string | undefined },
  caller: Caller,
): Promise<void> {
  const type = reportTypeOf(String(ctx.params.type));
  const { input, format: formatName } = readReportInput(
    String(ctx.params.id),
    type,
    new URLSearchParams(ctx.querystring),
  );
  if (formatName?.toLowerCase() === 'pdf') printer.requireBrowser();
  const offeredFormats = availableReportFormats(printer);
  const format =
    formatName === undefined ? acceptedFormat(ctx, offeredFormats) : findFormat(offeredFormats, formatName);
  const { name } = format;
  const signal = clientSignal(ctx.res);
  const registerUrl = publicUrl + organizationAddress(input.organization_id, '', { as_of: input.as_of });
  const call = { caller, input, format: name, ifNoneMatch: ctx.get('If-None-Match'), registerUrl };
  const { etag, file } = await files.generate(call, signal);
  ctx.set('ETag', etag);
  if (file === null) {
    ctx.status = 304;
    return;
  }
  sendFile(ctx, format.isPrinted ? await print(printer, caller, file, signal) : file);
  disconnectWhenStalled(ctx.res, stallTimeoutMs);
  ctx.attachment(file.name, { type: name === 'html' ? 'inline' : 'attachment' });
  ctx.type = format.mediaType;
  if (name === 'html') ctx.set('Content-Security-Policy', PAGE_POLICY);
}

/** Sends a file as fast as the client reads. After an error it cuts the connection, as the file is not whole. */
function sendFile(ctx: FileContext, { size, chunks }: SpooledFile): void {
  const body = Readable.from(chunks, { objectMode: false });
  body.once('error', () => ctx.res.destroy());
  ctx.body = body;
  ctx.length = size;
}

/** Prints a page, which stays on the disk until its turn comes. */
async function print(printer: PdfPrinter, caller: Caller, page: GeneratedFile, signal: AbortSignal) {
  try {
    return await printer.print(caller, () => textOf(page), signal);
  } finally {
    await page.chunks.return?.();
  }
}

async function textOf({ chunks }: GeneratedFile): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

/** Returns the format that the client accepts, or the first one. */
function acceptedFormat(ctx: RequestContext, offered: readonly ReportFileFormat[]): ReportFileFormat {
  const types = offered.map(({ mediaType }) => mediaType.split(';')[0]!);
  const accepted = ctx.accepts(...types);
  return offered[accepted === false ? 0 : types.indexOf(accepted)]!;
}
