import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
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
    // An aborted request without an 'error' listener emits only 'close'.
    request.once('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
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

/** Levels of nesting. A message with its tool's inputs has seven. */
const MAX_JSON_DEPTH = 32;
/** Members and elements in all. The largest input, 200 rows of evidence, has about 6,800. */
const MAX_JSON_PARTS = 10_000;

/**
 * Returns the JSON value in a body or a query parameter.
 * @throws SyntaxError when there is none, or it is not UTF-8
 * @throws HttpError 400 when it nests too deeply or has too many parts: to parse such a text takes up to 200 ms
 */
export function parseJson(input: Buffer | string): unknown {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
  refuseExpensive(bytes);
  return JSON.parse(typeof input === 'string' ? input : bytes.toString('utf8'));
}

/** Returns a query parameter's JSON value, or its text if it is not JSON. @throws HttpError 400, as `parseJson` does */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts levels and parts, in one pass over the bytes outside strings. */
function refuseExpensive(bytes: Buffer): void {
  let depth = 0;
  let parts = 0;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        parts += 1;
        if (depth > MAX_JSON_DEPTH) throw tooDeep();
        break;
      case COMMA:
        parts += 1;
        break;
    }
    if (parts > MAX_JSON_PARTS) throw tooManyParts();
  }
}

/** Returns where a string ends that begins before `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}

const tooDeep = () =>
  invalidInput(
    `The JSON nests deeper than ${MAX_JSON_DEPTH} levels. Send objects and arrays as the tool describes them.`,
  );

const tooManyParts = () =>
  invalidInput(`The JSON has more than ${MAX_JSON_PARTS} members and elements. Send fewer in each call.`);
