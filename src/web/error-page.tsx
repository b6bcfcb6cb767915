/** @jsxRuntime automatic @jsxImportSource preact */
import { asRefusal, Refusal, type RefusalCode } from '../commands/refusal.ts';
import { type HttpError, toHttpError } from '../http/http-errors.ts';
import type { Page } from './page.ts';

/** What a browser is told of an error. */
export interface ErrorAnswer {
  status: number;
  message: string;
  headers: Record<string, string>;
}

const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  forbidden: 403,
  conflict: 409,
  idempotency_conflict: 409,
  invalid_transition: 409,
  rate_limited: 429,
  too_large: 413,
  internal: 500,
  unavailable: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not allowed',
  404: 'Nothing here',
  405: 'Not this way',
  409: 'Changed meanwhile',
  413: 'Too much at once',
  415: 'Not a form',
  429: 'Too many tries',
  500: 'Something went wrong',
  503: 'Not just now',
};

/** Turns whatever was thrown into what may be told of it. */
export function errorAnswer(error: unknown): ErrorAnswer {
  const refusal = asRefusal(error);
  if (refusal instanceof Refusal && refusal.code !== 'unavailable') {
    const { retry_after_seconds: seconds } = refusal.more;
    const headers: Record<string, string> = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
    return { status: STATUS[refusal.code], message: refusal.message, headers };
  }
  const { status, message, headers }: HttpError = toHttpError(error);
  return { status, message, headers };
}

export function errorPage({ status, message }: ErrorAnswer): Page {
  return {
    title: TITLES[status] ?? 'That did not work',
    status,
    plain: true,
    body: (
      <>
        <p class="lead">{message}</p>
        <p>
          <a href="/">Go to the start page</a>
        </p>
      </>
    ),
  };
}
