import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Router from '@koa/router';
import type { Caller } from '../commands/caller.ts';
import { CHANGES_FILE, type RecordFile, type RecordFileCatalog } from '../mcp/record-file-catalog.ts';
import { type DownloadDetails, filterDetail } from '../queries/access-log-row.ts';
import type { Admit } from './admission.ts';
import { readFileRequest, requestedFormat } from './file-query.ts';
import { type FileContext, fileRoute } from './file-route.ts';
import { ClientGone } from './http-errors.ts';
import type { LineFormat } from './line-formats.ts';
import { readQueryParameters } from './query-parameters.ts';
import { API_HEADERS, type RequestContext, type RequestState } from './request.ts';

/** Files of records and changes, and whom each one that is drawn is told to. */
export interface RecordFileRoutesOptions {
  files: RecordFileCatalog;
  onDownload(caller: Caller, download: DownloadDetails): void;
  /** A client that takes nothing for so long is cut off; a minute unless given. */
  stallTimeoutMs?: number;
}

/** How node says that the client has left. */
const CLIENT_GONE_CODES = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'EPIPE',
]);
const STALL_TIMEOUT_MS = 60_000;
/** What is held ready for a client that reads slowly, beside the rows of one read. */
const BUFFER_BYTES = 65_536;

/**
 * `GET /api/v1/organizations/{id}/records/{family}` and `…/changes`: lines of any size, written as fast as the client
 * reads and no faster. Their headers say which position they are of, and the cursor that goes on with them.
 */
export function recordFileRoutes(router: Router<RequestState>, admit: Admit, options: RecordFileRoutesOptions): void {
  const serve = async (ctx: FileContext, caller: Caller) => {
    const { id: organizationId = '', family: what = CHANGES_FILE } = ctx.params;
    const query = readQueryParameters(ctx);
    const format = requestedFormat(query);
    const request = readFileRequest(options.files, what, organizationId, query);
    const file = await options.files.open(caller, request);
    // What cannot be read at all is still answered as an error.
    const first = ctx.method === 'HEAD' ? null : await file.batches.next();
    ctx.respond = false;
    ctx.res.writeHead(200, headersOf(ctx, what, format, file));
    if (first === null) return void ctx.res.end();
    const after = query.get('after');
    const position = String(file.moment.position);
    const entry = { organization_id: organizationId, type: what, format: format.name, position };
    options.onDownload(caller, { ...entry, ...filterDetail(request.filter), ...(after === null ? {} : { after }) });
    const lines = linesOf(format, file, first, after === null);
    await sendLines(ctx.res, lines, options.stallTimeoutMs ?? STALL_TIMEOUT_MS);
  };
  fileRoute(router, '/api/v1/organizations/:id/records/:family', admit, serve);
  fileRoute(router, '/api/v1/organizations/:id/changes', admit, serve);
}

async function* linesOf(
  format: LineFormat,
  { columns, batches }: RecordFile,
  first: IteratorResult<object[], unknown>,
  fromStart: boolean,
): AsyncGenerator<string> {
  const head = fromStart ? format.head(columns) : '';
  yield first.done ? head : head + format.lines(first.value, columns);
  for await (const batch of batches) yield format.lines(batch, columns);
}

/** Writes until the end, the client's leaving or a fault: after the last two the connection is cut, so that it is seen. */
async function sendLines(response: ServerResponse, lines: AsyncGenerator<string>, stalledMs: number): Promise<void> {
  response.setTimeout(stalledMs, () => response.destroy());
  const chunks = Readable.from(lines, { objectMode: false, highWaterMark: BUFFER_BYTES });
  try {
    await pipeline(chunks, response);
  } catch (error) {
    if (CLIENT_GONE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw new ClientGone();
    throw error;
  }
}

function headersOf(ctx: RequestContext, what: string, format: LineFormat, file: RecordFile): string[] {
  const { position, today } = file.moment;
  const name = `veritrail-${what}-${today}-${position}.${format.extension}`;
  return [
    ...['Content-Type', format.mediaType, 'Content-Disposition', `attachment; filename="${name}"`],
    ...['Accept-Ranges', 'none', 'X-Accel-Buffering', 'no'],
    ...['Veritrail-Position', String(position), 'Veritrail-Date', today, 'Veritrail-Cursor', file.cursor],
    ...(file.incomplete ? ['Veritrail-Incomplete', 'true'] : []),
    ...API_HEADERS,
    ...['X-Request-Id', ctx.state.id],
  ];
}
