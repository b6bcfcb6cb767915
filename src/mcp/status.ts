import type { RefusalCode } from '../commands/refusal.ts';

/** The direct form's status of each refusal. */
export const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_input: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  idempotency_conflict: 409,
  too_large: 413,
  invalid_transition: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};
