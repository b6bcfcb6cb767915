import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, sizeOfJson } from '../tools/schema/client-values.ts';
import { ClientGone, HttpError, invalidInput } from './http-errors.ts';

/** The largest body of a request: 1 MiB. */
const MAX_BODY_BYTES = 1 << 20;

/**
 * Reads the whole body. The server's `requestTimeout` limits the time. Node discards the rest of a body that is too large,
 * so that the client can read the answer.
 * @throws HttpError 413
 */
export function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  // A destroyed request emits no more events. It may have ended while its call waited.
  if (request.destroyed) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        chunks.length = 0;
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // An aborted request without an 'error' listener emits only 'close'. A whole one has ended before.
    request.once('close', () => reject(new ClientGone()));
  });
}

/** Requires the headers of an uncompressed JSON body. @throws HttpError 415 */
export function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !JSON_TYPE.test(type)) throw unsupported('Content-Type must be application/json.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw unsupported('Send the body without a Content-Encoding.');
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const unsupported = (message: string) => new HttpError(415, 'invalid_input', message);

const tooLarge = (limit: number) =>
  new HttpError(413, 'too_large', `The body is larger than ${limit} bytes. Send less at a time.`);

/**
 * Returns the JSON value in a body or a query parameter.
 * @throws SyntaxError when there is none, or it is not UTF-8
 * @throws HttpError 400 when it nests too deeply or has too many parts: to parse such a text takes up to 200 ms
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
  refuseExpensive(bytes);
  return JSON.parse(bytes.toString('utf8'));
}

/** @throws HttpError 400 */
function refuseExpensive(bytes: Buffer): void {
  const { depth, parts } = sizeOfJson(bytes);
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  if (parts > MAX_JSON_VALUES) throw tooManyParts();
}

const tooDeep = () =>
  invalidInput(
    `The JSON nests deeper than ${MAX_JSON_DEPTH} levels. Send objects and arrays as the tool describes them.`,
  );

const tooManyParts = () =>
  invalidInput(`The JSON has more than ${MAX_JSON_VALUES} members and elements. Send fewer in each call.`);
