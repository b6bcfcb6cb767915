import type Router from '@koa/router';
import type { Caller } from '../commands/caller.ts';
import { readReportInput } from '../mcp/report-tools.ts';
import type { DownloadDetails } from '../queries/access-log-row.ts';
import type { Reader } from '../queries/reader.ts';
import { POLICY } from '../queries/report/render/html.ts';
import { openReportFile } from '../queries/report/report.ts';
import type { ReportHead } from '../queries/report/report-page.ts';
import { REPORT_TYPES, type ReportName } from '../queries/report/report-types.ts';
import type { Admit } from './admission.ts';
import { clientSignal } from './client-signal.ts';
import { etagMatches } from './etag.ts';
import { formatNamed } from './file-format.ts';
import { type FileContext, fileRoute } from './file-route.ts';
import { ClientGone, invalidInput } from './http-errors.ts';
import type { Printer } from './print-pdf.ts';
import { readQueryParameters } from './query-parameters.ts';
import { ReportEtags } from './report-etags.ts';
import { availableReportFormats, type ReportFileFormat } from './report-file-formats.ts';
import type { RequestContext, RequestState } from './request.ts';

/** What files of reports are made of. */
export interface ReportFileRoutesOptions {
  reader: Reader;
  onReportGenerated(caller: Caller, report: DownloadDetails): void;
  printer: Printer;
}

const PAGE_POLICY = `${POLICY}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox`;

/** Reports as files: whole, in any format, with the tool's inputs as query parameters. */
export function reportFileRoutes(router: Router<RequestState>, admit: Admit, options: ReportFileRoutesOptions): void {
  const tags = new ReportEtags();
  fileRoute(router, '/api/v1/organizations/:id/reports/:type', admit, (ctx, caller) => {
    ctx.state.tool = 'getReport';
    ctx.vary('Accept');
    return answer(ctx, options, tags, caller);
  });
}

async function answer(
  ctx: FileContext,
  options: ReportFileRoutesOptions,
  tags: ReportEtags,
  caller: Caller,
): Promise<void> {
  const { format: asked, ...given } = readQuery(readQueryParameters(ctx));
  if (asked?.toLowerCase() === 'pdf') options.printer.require();
  const offered = availableReportFormats(options.printer);
  const format = asked === undefined ? acceptedFormat(ctx, offered) : formatNamed(offered, asked);
  const { name } = format;
  const type = typeNamed(String(ctx.params.type));
  const { format: _, cursor: _none, ...input } = readReportInput({ organization_id: ctx.params.id, type, ...given });
  const drawn = (report: DownloadDetails) => options.onReportGenerated(caller, report);
  const how = { name: name.toUpperCase(), format: format.format };
  const gone = clientSignal(ctx.res);
  const stay = () => {
    if (gone.aborted) throw new ClientGone();
  };
  const report = await openReportFile(options.reader, caller, input, how, drawn, stay);
  const before = await tags.before(report, name);
  if (before !== null && answerKnown(ctx, before)) return;
  const { head, written, people } = await report.draw();
  if (answerKnown(ctx, tags.of(report.identity, name, head, people))) return;
  const print = (html: string) => options.printer.print(html, stay);
  ctx.body = await format.bytes(head, written, print);
  ctx.attachment(fileName(head, format.ending), { type: name === 'html' ? 'inline' : 'attachment' });
  ctx.type = format.mediaType;
  if (name === 'html') ctx.set('Content-Security-Policy', PAGE_POLICY);
}

const inAddress = (type: string): string => type.toLowerCase().replaceAll('_', '-');

/** A type as an address has it: `risk-register`. */
function typeNamed(name: string): ReportName {
  const type = REPORT_TYPES.find((one) => inAddress(one) === inAddress(name));
  if (type !== undefined) return type;
  throw invalidInput('There is no such report: give one of those allowed.', {
    field: 'type',
    allowed: REPORT_TYPES.map(inAddress),
  });
}

/** Query parameters; one that is empty, as forms send those left out, is not given. */
function readQuery(query: URLSearchParams): Record<string, string> {
  const input = new Map<string, string>();
  for (const [key, text] of query) {
    if (['organization_id', 'type', 'cursor'].includes(key)) {
      const message = `There is no ${key} here: a file is whole, and its path names organization and type.`;
      throw invalidInput(message, { field: key });
    }
    if (query.getAll(key).length > 1) throw invalidInput('A query parameter may be given once.', { field: key });
    if (text !== '') input.set(key, text);
  }
  return Object.fromEntries(input);
}

/** The first one where the client accepts none. */
function acceptedFormat(ctx: RequestContext, offered: readonly ReportFileFormat[]): ReportFileFormat {
  const types = offered.map(({ mediaType }) => mediaType.split(';')[0]!);
  const accepted = ctx.accepts(...types);
  return offered[accepted === false ? 0 : types.indexOf(accepted)]!;
}

/** Says which answer this is; whether the client has it already, and is told so. */
function answerKnown(ctx: RequestContext, etag: string): boolean {
  ctx.set('ETag', etag);
  if (!etagMatches(ctx.get('If-None-Match'), etag)) return false;
  ctx.status = 304;
  return true;
}

/** `Acme Ltd Risk register 2026-11-21 position 1234.pdf` */
function fileName({ organization, title, today, position }: ReportHead, ending: string): string {
  const [name, what] = [organization.name ?? organization.id, title].map((text) =>
    text.replace(/[^\p{L}\p{N} .-]+/gu, ' ').slice(0, 80),
  );
  return `${name} ${what} ${today} position ${position}.${ending}`.replace(/\s+/g, ' ').trimStart();
}
