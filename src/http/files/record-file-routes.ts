import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type Router from '@koa/router';
import type { Caller } from '../../commands/organization/caller.ts';
import { type DownloadDetails, filterDetail } from '../../queries/files/download-details.ts';
import { CHANGES_FILE } from '../../tools/record-file-catalog.ts';
import type { Admit } from '../access/admission.ts';
import { acceptsCoding, isWorthCompressing } from '../compression.ts';
import { disconnectWhenStalled } from '../disconnect-when-stalled.ts';
import { ClientGone } from '../http-errors.ts';
import { API_HEADERS, clientSignal, type RequestContext, type RequestState } from '../request.ts';
import { readFileRequest, requestedDelimiter, requestedFormat } from './file-query.ts';
import { type FileContext, fileRoute } from './file-route.ts';
import type { RecordFileFormat } from './record-file-formats.ts';
import type { OpenRecordFile, RecordFiles } from './record-files.ts';

/** The collaborators of export files. */
export interface RecordFileRoutesOptions {
  files: RecordFiles;
  onDownload(caller: Caller, download: DownloadDetails): void;
  /** A client that reads nothing for this long is disconnected. Default: one minute. */
  stallTimeoutMs?: number;
}

const CLIENT_GONE_CODES = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'EPIPE',
]);
/** Buffer for a slow client, besides the rows of one read. */
const BUFFER_BYTES = 65_536;

/**
 * Serves `GET /api/v1/organizations/{id}/records/{family}` and `…/changes`: files of any size, written as fast as the
 * client reads. The headers have the position, and the cursor to continue with.
 */
export function recordFileRoutes(router: Router<RequestState>, admit: Admit, options: RecordFileRoutesOptions): void {
  const serve = async (ctx: FileContext, caller: Caller) => {
    const { id: organizationId = '', family: fileName = CHANGES_FILE } = ctx.params;
    const query = new URLSearchParams(ctx.querystring);
    const format = requestedFormat(query);
    const request = readFileRequest(options.files, fileName, organizationId, query);
    const delimiter = requestedDelimiter(query, format);
    const call = { caller, request, format: format.name, delimiter, hasContent: ctx.method !== 'HEAD' };
    const file = await options.files.open(call, clientSignal(ctx.res));
    ctx.respond = false;
    const isZipped = isWorthCompressing(format.mediaType) && acceptsCoding(ctx.req.headers, 'gzip');
    const coding = isZipped ? ['Content-Encoding', 'gzip'] : [];
    ctx.res.writeHead(200, [...headersOf(ctx, fileName, format, file), ...coding]);
    if (file.chunks === null) return void ctx.res.end();
    const { after } = request;
    options.onDownload(caller, {
      organization_id: organizationId,
      type: fileName,
      format: format.name,
      position: String(file.moment.position),
      ...filterDetail(request.filter),
      ...(after === undefined ? {} : { after }),
    });
    disconnectWhenStalled(ctx.res, options.stallTimeoutMs);
    await sendFile(ctx.res, file.chunks, isZipped);
  };
  fileRoute(router, '/api/v1/organizations/:id/records/:family', admit, serve);
  fileRoute(router, '/api/v1/organizations/:id/changes', admit, serve);
}

/** Writes the whole file. After an error it cuts the connection, so that the client can tell the file is not whole. */
async function sendFile(
  response: ServerResponse,
  content: AsyncIterable<string | Uint8Array>,
  isZipped: boolean,
): Promise<void> {
  const chunks = Readable.from(content, { objectMode: false, highWaterMark: BUFFER_BYTES });
  try {
    await (isZipped ? pipeline(chunks, createGzip(), response) : pipeline(chunks, response));
  } catch (error) {
    if (CLIENT_GONE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw new ClientGone();
    throw error;
  }
}

function headersOf(ctx: RequestContext, fileName: string, format: RecordFileFormat, file: OpenRecordFile): string[] {
  const { position, today } = file.moment;
  const name = `veritrail-${fileName}-${today}-${position}.${format.extension}`;
  const headers = {
    'Content-Type': format.mediaType,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Accept-Ranges': 'none',
    Vary: 'Accept-Encoding',
    'X-Accel-Buffering': 'no',
    'Veritrail-Position': String(position),
    'Veritrail-Date': today,
    'Veritrail-Cursor': file.cursor,
    ...(file.incomplete ? { 'Veritrail-Incomplete': 'true' } : {}),
    'X-Request-Id': ctx.state.id,
  };
  return [...Object.entries(headers).flat(), ...API_HEADERS];
}
