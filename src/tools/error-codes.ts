import type { RefusalCode } from '../commands/engine/refusal.ts';

/** All error codes: those of refusals, and two of the transport. */
export type ErrorCode = RefusalCode | 'unauthorized' | 'method_not_allowed';

/** Each error's HTTP status in the direct form, and its cause, for the reference and the OpenAPI document. */
export const ERRORS: Readonly<Record<ErrorCode, { status: number; when: string }>> = {
  invalid_input: { status: 400, when: 'the input is invalid; `issues` lists every problem' },
  unauthorized: { status: 401, when: 'the token is missing or invalid' },
  forbidden: { status: 403, when: 'the role is too low, or the token or address is read-only' },
  not_found: { status: 404, when: 'it does not exist, or this token has no access to it' },
  method_not_allowed: { status: 405, when: 'a GET on a tool that writes; see the `Allow` header' },
  conflict: {
    status: 409,
    when: 'another write changed the record first; with expected_revision, `current_revision` has the current one',
  },
  idempotency_conflict: { status: 409, when: 'the `idempotency_key` was used with another input' },
  too_large: { status: 413, when: 'the request is over 1 MiB, or has more than one write can hold' },
  invalid_transition: { status: 422, when: 'the state cannot change that way; `allowed` lists the possible next ones' },
  rate_limited: { status: 429, when: 'too many calls; wait as `Retry-After` says' },
  internal: { status: 500, when: 'a fault of the service; its log has details' },
  unavailable: {
    status: 503,
    when: 'a store is down, or the clock in doubt; repeat the call with the same `idempotency_key`, and nothing is done twice. With `retryable: false` the operator must act first',
  },
};

/** The status of `invalid_input` for a body whose Content-Type is not JSON. */
export const NOT_JSON_STATUS = 415;
