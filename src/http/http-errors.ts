import { asRefusal, Refusal, type RefusalCode, type RefusalDetails } from '../commands/refusal.ts';
import { ERRORS } from '../mcp/error-codes.ts';

type Headers = Record<string, string>;

const RETRY_AFTER_SECONDS = 2;
const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'rate_limited', 'internal']);

/** A request that is answered with an error. Nothing in it may name a path, a store's address or a stack. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    readonly code: RefusalCode | 'unauthorized' | 'method_not_allowed',
    message: string,
    readonly headers: Headers = {},
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }

  /** The wire's body. */
  toJSON(): object {
    const { code, message, details } = this;
    return { error: { code, message, ...details, retryable: RETRYABLE.has(code) } };
  }
}

/** The client went away in the middle of its request: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const invalidInput = (message: string, details: RefusalDetails = {}): HttpError =>
  new HttpError(400, 'invalid_input', message, {}, details);

export const methodNotAllowed = (allow: string): HttpError =>
  new HttpError(405, 'method_not_allowed', `Use ${allow.replace(', ', ' or ')} here.`, { Allow: allow });

export const notFound = (message = 'There is nothing at this address.'): HttpError =>
  new HttpError(404, 'not_found', message);

export function unavailable(): HttpError {
  const message = 'The service cannot reach its data just now: try again in a moment.';
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
  return new HttpError(503, 'unavailable', message, headers, { retry_after_seconds: RETRY_AFTER_SECONDS });
}

/** Turns whatever was thrown into what the client may know of it. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const refusal = asRefusal(error);
  if (refusal instanceof Refusal && refusal.code === 'unavailable') return unavailable();
  return new HttpError(500, 'internal', 'Something went wrong in the service: try again, or tell its operator.');
}

/** What a query or command refused, with the status and headers that the direct form of the tools gives it; else as it was thrown. */
export function toHttpRefusal(thrown: unknown): unknown {
  const error = asRefusal(thrown);
  if (!(error instanceof Refusal)) return thrown;
  const { code, message, more } = error;
  const { retry_after_seconds: wait } = more;
  const headers: Headers = wait === undefined ? {} : { 'Retry-After': String(wait) };
  return new HttpError(ERRORS[code].status, code, message, headers, more);
}
