import type { IncomingMessage } from 'node:http';
import { ClientGone, HttpError } from './http-errors.ts';

/** The most that a request may send: 1 MiB. */
const MAX_BODY_BYTES = 1 << 20;

/**
 * The request's whole body. How long it may take is the server's `requestTimeout`. What is not read of a body that
 * is too large, node discards, so that the client can read the answer.
 * @throws HttpError 413
 */
export function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  // It tells nothing more: it may have ended while its call waited.
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
    // An aborted request with no 'error' listener only closes.
    request.once('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });
}

/** Refuses a body that isn't said to be plain JSON. @throws HttpError 415 */
export function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !JSON_TYPE.test(type)) throw unsupported('Content-Type must be application/json.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw unsupported('Send the body without a Content-Encoding.');
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const unsupported = (message: string) => new HttpError(415, 'invalid_input', message);

const tooLarge = (limit: number) =>
  new HttpError(413, 'too_large', `The body is larger than ${limit} bytes: send less at a time.`);
