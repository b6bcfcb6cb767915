import { ClockInDoubt } from '../../clock/clock-in-doubt.ts';
import {
  DiskFull,
  RevisionConflict,
  StoreRefused,
  StoreReplaced,
  StoreUnavailable,
  StreamDamaged,
  TooLarge,
} from '../../stores/errors.ts';

/** The wire's error codes. The HTTP transport adds `unauthorized` and `method_not_allowed`. */
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

/** A record that a word may name. */
export interface RecordCandidate {
  id: string;
  name: string;
}

export interface RefusalDetails {
  field?: string;
  /** Values that would be accepted: enum values, next states, id prefixes. */
  allowed?: readonly string[];
  hint?: string;
  /** The records that the word in `field` may name. */
  candidates?: readonly RecordCandidate[];
  current_revision?: number;
  retry_after_seconds?: number;
  /** All problems, if there are several. */
  issues?: readonly { field: string; message: string }[];
}

/** The errors after which the same call can succeed later. */
export const RETRYABLE_CODES: ReadonlySet<string> = new Set<RefusalCode>(['unavailable', 'rate_limited', 'internal']);

/** An error answer to a call. `message` says the problem and the next step. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** Not called `details`, because some test runners print a member of that name as text. */
    readonly more: RefusalDetails = {},
    /** Members of the answer beside `error`, such as the rows of a refused import. */
    readonly answer: object = {},
  ) {
    super(message);
  }

  get retryable(): boolean {
    return this.code === 'conflict' ? this.more.current_revision === undefined : RETRYABLE_CODES.has(this.code);
  }

  /** The wire's `error` object. */
  toJSON(): { code: RefusalCode; message: string; retryable: boolean } & RefusalDetails {
    return { code: this.code, message: this.message, ...this.more, retryable: this.retryable };
  }
}

/** Returns the refusal of an input with one wrong field. */
export const invalidField = (field: string, message: string): Refusal =>
  new Refusal('invalid_input', message, { field });

/** Refuses a call for a cause that only the operator can remove. Every answer and page shows its message. */
export class OperatorNeeded extends Refusal {
  /** @param canRepeat true if the same call succeeds once the operator has acted, and nothing is lost by repeating it until then */
  constructor(
    message: string,
    private readonly canRepeat: boolean,
    more: RefusalDetails = {},
  ) {
    super('unavailable', message, more);
  }

  override get retryable(): boolean {
    return this.canRepeat;
  }
}

/** Refuses a call because the clock of this machine is in doubt. The message says why, and when to repeat the call. */
export class ClockRefusal extends Refusal {
  constructor({ message, retryAfterSeconds }: ClockInDoubt) {
    super('unavailable', message, { retry_after_seconds: retryAfterSeconds });
  }
}

/** Returns the refusal of calls on an organization whose own stream is damaged. */
export function damagedOrganization(): OperatorNeeded {
  return new OperatorNeeded(
    "The organization's own history is damaged, so nobody's role in it is known. Tell the operator. Don't repeat the call " +
      'before it is mended.',
    false,
  );
}

/** Returns the damage of a stream that an error or the cause of a refusal is; null for others. */
export function damageOf(error: unknown): StreamDamaged | null {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof StreamDamaged ? cause : null;
}

/** Returns the refusal for an event that can't be read, at a position of its organization's log. */
export function unreadableAt(position: number, { stream, unreadable }: StreamDamaged): Refusal {
  const finding = `the event at position ${position} cannot be read, because ${unreadable?.fault}`;
  return asRefusal(new StreamDamaged(stream, finding)) as Refusal;
}

/** Returns null for the damage of a stream, so that the caller goes on without it. @throws every other error */
export function nullIfDamaged(error: unknown): null {
  if (error instanceof StreamDamaged) return null;
  throw error;
}

/** Refuses a command because a running instance of an older version would have to park its event. */
export class UnreadableEvent extends Refusal {
  constructor(type: string) {
    super(
      'unavailable',
      `An instance of an older version is running that cannot read ${type}. Upgrade all instances, then repeat the ` +
        'call with the same idempotency_key.',
    );
  }
}

/** Returns true for the error of a store that does not answer, also as a refusal. Repeating the call may help. */
export function isOutage(error: unknown): boolean {
  const refusal = asRefusal(error);
  return refusal instanceof Refusal && refusal.code === 'unavailable';
}

/** Pause that callers are told to make while the disk is full. An operator needs longer than a database that restarts. */
const DISK_RETRY_SECONDS = 30;

/** Turns the stores' errors into refusals, which have them as their cause. Returns any other error unchanged. */
export function asRefusal(error: unknown): unknown {
  const refusal = refusalFor(error);
  if (refusal === null) return error;
  refusal.cause = error;
  return refusal;
}

function refusalFor(error: unknown): Refusal | null {
  if (error instanceof RevisionConflict) {
    return new Refusal('conflict', 'Another writer changed the record at the same time. Repeat the call.');
  }
  if (error instanceof ClockInDoubt) return new ClockRefusal(error);
  if (error instanceof TooLarge) return new Refusal('too_large', 'This is more than one write can hold. Send less.');
  if (error instanceof StoreReplaced) {
    return new OperatorNeeded(
      "The service's data were replaced while it was running, so it writes nothing. Tell its operator. Don't repeat the call.",
      false,
    );
  }
  if (error instanceof StreamDamaged) {
    return new OperatorNeeded(
      `A stored history that this call needs is damaged: ${error.finding}. Tell the operator. Don't repeat the call before it is mended.`,
      false,
    );
  }
  if (error instanceof StoreRefused) {
    return new OperatorNeeded(`${error.finding} Tell its operator. Don't repeat the call before it is mended.`, false);
  }
  if (error instanceof DiskFull) {
    return new OperatorNeeded(
      "The service's disk is full, so nothing was written. Tell its operator, or repeat the call with the same idempotency_key later.",
      true,
      { retry_after_seconds: DISK_RETRY_SECONDS },
    );
  }
  if (!(error instanceof StoreUnavailable)) return null;
  return new Refusal(
    'unavailable',
    'The store does not answer. Repeat the call with the same idempotency_key: nothing is done twice.',
    { retry_after_seconds: 2 },
  );
}
