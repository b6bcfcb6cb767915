import { createHash } from 'node:crypto';
import type Router from '@koa/router';
import type { FileFormats } from '../../tools/openapi/openapi-files.ts';
import type { ToolBox } from '../../tools/toolbox.ts';
import { etagMatches } from '../etag.ts';
import type { RequestState } from '../request.ts';

const OPENAPI_PATH = '/api/mcp/openapi.json';

/**
 * Serves the OpenAPI document of the direct form and the files. It needs no credential: it is the same for every
 * installation of a version, and platforms read it before they have a credential. It is generated once, at the first request.
 */
export function openapiRoute(
  router: Router<RequestState>,
  { tools, baseUrl, version }: { tools: ToolBox; baseUrl: string; version: string },
  files: FileFormats,
): void {
  let document: { json: Buffer; etag: string } | undefined;
  router.get(OPENAPI_PATH, (ctx) => {
    document ??= withEtag(tools.openapi({ server: baseUrl, version, files }));
    ctx.set({ ETag: document.etag, 'Cache-Control': 'public, max-age=300' });
    if (etagMatches(ctx.get('If-None-Match'), document.etag)) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'json';
    ctx.body = document.json;
  });
}

/** Slow readers share these bytes. A string would be copied for each. */
function withEtag(json: string): { json: Buffer; etag: string } {
  return { json: Buffer.from(json), etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"` };
}
