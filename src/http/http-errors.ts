import {
  asRefusal,
  ClockRefusal,
  isOutage,
  OperatorNeeded,
  RETRYABLE_CODES,
  Refusal,
  type RefusalCode,
  type RefusalDetails,
} from '../commands/engine/refusal.ts';
import { ERRORS } from '../tools/error-codes.ts';

type Headers = Record<string, string>;

const RETRY_AFTER_SECONDS = 2;

/** An error answer. It must not contain a file path, a store's address or a stack trace. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    readonly code: RefusalCode | 'unauthorized' | 'method_not_allowed',
    message: string,
    readonly headers: Headers = {},
    readonly details: RefusalDetails = {},
    private readonly retryable = RETRYABLE_CODES.has(code),
  ) {
    super(message);
  }

  /** Returns the body of the answer. */
  toJSON(): object {
    const { code, message, details, retryable } = this;
    return { error: { code, message, ...details, retryable } };
  }
}

/** The client disconnected during its request, so there is nobody to answer. */
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
  const message = 'The service cannot reach its data at the moment. Try again shortly.';
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
  return new HttpError(503, 'unavailable', message, headers, { retry_after_seconds: RETRY_AFTER_SECONDS });
}

/** Turns anything thrown into an answer without internal details. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const refusal = asRefusal(error);
  if (refusal instanceof OperatorNeeded || refusal instanceof ClockRefusal) return fromRefusal(refusal);
  if (refusal instanceof Refusal && refusal.code === 'rate_limited') return fromRefusal(refusal);
  if (isOutage(error)) return unavailable();
  return new HttpError(500, 'internal', 'Something went wrong in the service. Try again, or tell its operator.');
}

/** Returns a refusal as an HttpError, with the status and headers of the direct form. Returns anything else unchanged. */
export function toHttpRefusal(thrown: unknown): unknown {
  const error = asRefusal(thrown);
  return error instanceof Refusal ? fromRefusal(error) : thrown;
}

function fromRefusal({ code, message, more, retryable }: Refusal): HttpError {
  const { retry_after_seconds: wait } = more;
  const headers: Headers = wait === undefined ? {} : { 'Retry-After': String(wait) };
  return new HttpError(ERRORS[code].status, code, message, headers, more, retryable);
}
