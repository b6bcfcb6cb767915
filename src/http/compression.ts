import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import type { RequestState } from './request.ts';

/** JSON from this size on is compressed. A smaller answer would cost a tool's call up to half as much again. */
const MIN_JSON_BYTES = 32_768;
const MIN_BYTES = 1_024;
/** Workbooks and PDFs are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|x-ndjson)|image\/svg)/;

const gzipInThread = promisify(gzip);

/**
 * Compresses answers with gzip for clients that accept it. The size of a compressed page could tell a stranger, who chooses
 * a part of its text, a secret that it repeats (BREACH). So `FormTokens` masks a page's form token anew in each answer.
 */
export function compression(): Middleware<RequestState> {
  return async (ctx, next) => {
    await next();
    if (ctx.respond === false || ctx.res.hasHeader('Content-Encoding')) return;
    if (ctx.status === 304) {
      ctx.vary('Accept-Encoding');
      weakenKnownTag(ctx);
    } else if (COMPRESSIBLE.test(ctx.type)) {
      ctx.vary('Accept-Encoding');
      await compress(ctx);
    }
  };
}

type Context = Parameters<Middleware<RequestState>>[0];

async function compress(ctx: Context): Promise<void> {
  if (!acceptsCoding(ctx.headers, 'gzip') || !isWorthCompressing(ctx.type, ctx.length)) return;
  const zipped = await gzipOf(ctx.body);
  if (zipped === null) return;
  ctx.body = zipped;
  ctx.set('Content-Encoding', 'gzip');
  // A strong tag would promise the same bytes in both forms.
  const etag = String(ctx.res.getHeader('ETag') ?? '');
  if (etag.startsWith('"')) ctx.set('ETag', `W/${etag}`);
}

/** A client that has the compressed form knows its tag, and gets that again. */
function weakenKnownTag(ctx: Context): void {
  const weakTag = `W/${String(ctx.res.getHeader('ETag') ?? '')}`;
  if (weakTag.startsWith('W/"') && ctx.get('If-None-Match').includes(weakTag)) ctx.set('ETag', weakTag);
}

async function gzipOf(body: unknown): Promise<Readable | Buffer | null> {
  // An error of the source cuts the connection: the route that made the stream sees to that.
  if (body instanceof Readable) return pipeline(body, createGzip(), () => undefined);
  return typeof body === 'string' || Buffer.isBuffer(body) ? gzipInThread(body) : null;
}

/** Returns true if a client lists a coding in Accept-Encoding, and not with `q=0`. */
export function acceptsCoding({ 'accept-encoding': header = '' }: IncomingHttpHeaders, coding: 'br' | 'gzip'): boolean {
  return String(header)
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [name, ...parameters] = part.split(';').map((text) => text.trim());
      return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
}

/** Returns true if an answer of this media type is large enough to compress. @param bytes undefined if not known yet */
export function isWorthCompressing(type: string, bytes?: number): boolean {
  if (!COMPRESSIBLE.test(type)) return false;
  return bytes === undefined || bytes >= (type.startsWith('application/json') ? MIN_JSON_BYTES : MIN_BYTES);
}
