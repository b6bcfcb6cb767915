import type { RefusalCode } from '../commands/refusal.ts';

/** Codes of errors: refusals, and what the transport adds. */
export type ErrorCode = RefusalCode | 'unauthorized' | 'method_not_allowed';

/** Each error's status in the direct form, and when it is met: what the reference and the OpenAPI document say. */
export const ERRORS: Readonly<Record<ErrorCode, { status: number; when: string }>> = {
  invalid_input: { status: 400, when: 'the input is wrong: `issues` lists every problem' },
  unauthorized: { status: 401, when: 'there is no good token' },
  forbidden: { status: 403, when: 'the role is too low, or the token only reads' },
  not_found: { status: 404, when: 'it is not there, or not for this token' },
  method_not_allowed: { status: 405, when: 'a GET on a tool that writes: see the `Allow` header' },
  conflict: { status: 409, when: 'somebody changed the record: `current_revision`, where one was expected' },
  idempotency_conflict: { status: 409, when: 'the `idempotency_key` was used with another input' },
  too_large: { status: 413, when: 'over 1 MiB in a request, or more than one write can hold' },
  invalid_transition: { status: 422, when: 'there is no such move: `allowed` lists the next ones' },
  rate_limited: { status: 429, when: 'too many calls: wait as `Retry-After` says' },
  internal: { status: 500, when: 'the fault is on the service’s side; its log has more' },
  unavailable: {
    status: 503,
    when: 'a store is away: repeated with the same `idempotency_key`, nothing is done twice',
  },
};

/** A body that is not said to be JSON is an `invalid_input` of this status. */
export const NOT_JSON_STATUS = 415;
