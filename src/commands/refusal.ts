import { RevisionConflict, StoreUnavailable, TooLarge } from '../stores/errors.ts';

/** Why a call was not done, in the wire's own codes. The transport adds `unauthorized` and `method_not_allowed`. */
export type RefusalCode =
  | 'invalid_input'
  | 'not_found'
  | 'forbidden'
  | 'conflict'
  | 'idempotency_conflict'
  | 'invalid_transition'
  | 'rate_limited'
  | 'too_large'
  | 'internal'
  | 'unavailable';

export interface RefusalDetails {
  field?: string;
  /** What would be accepted instead: enum values, next states, kinds of id. */
  allowed?: readonly string[];
  hint?: string;
  current_revision?: number;
  retry_after_seconds?: number;
  /** Every problem, where there are several. */
  issues?: readonly { field: string; message: string }[];
}

/** A call that is answered with an error. `message` is one sentence that says what to do next. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** Named so that it stands in no test runner's way, some of which print an error's `details` as text. */
    readonly more: RefusalDetails = {},
  ) {
    super(message);
  }

  get retryable(): boolean {
    return this.code === 'conflict' ? this.more.current_revision === undefined : RETRYABLE.has(this.code);
  }

  /** The wire's `error` object. */
  toJSON(): { code: RefusalCode; message: string; retryable: boolean } & RefusalDetails {
    return { code: this.code, message: this.message, ...this.more, retryable: this.retryable };
  }
}

const RETRYABLE: ReadonlySet<RefusalCode> = new Set(['unavailable', 'rate_limited', 'internal']);

/** What the stores say, in the wire's codes; anything else comes back as it is. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof RevisionConflict) {
    return new Refusal('conflict', 'Another writer changed the record at once: repeat the call.');
  }
  if (error instanceof TooLarge) return new Refusal('too_large', 'This is more than one write can hold: send less.');
  if (!(error instanceof StoreUnavailable)) return error;
  return new Refusal(
    'unavailable',
    'The store does not answer: repeat the call with the same idempotency_key; it finishes what was begun and does nothing twice.',
    { retry_after_seconds: 2 },
  );
}
