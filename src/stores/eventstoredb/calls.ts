import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  type StreamingRead,
  UnavailableError,
} from '@eventstore/db-client';
import { readPendingInput, withTimeout } from '../../clock/with-timeout.ts';
import { StoreRefused, StoreUnavailable, StreamDamaged, TooLarge } from '../errors.ts';

/** The node didn't answer in time: it may be busy, hanging or down. */
export class NoAnswer extends StoreUnavailable {}

/** The call was never sent. */
export class NotSent extends StoreUnavailable {}

/** The call for all appends ended while several waited for their answers. Each of them may have been written. */
export class CallLost extends StoreUnavailable {
  constructor(override readonly cause: Error) {
    super(`the call for appends ended: ${cause.message}`, true, { cause });
  }
}

/** Messages of a server that elects a leader, starts, or is overloaded. The client has no error types for them. */
const NOT_SERVING_MESSAGE = /No leader info available|Server Is Not Ready|Server Is (Too )?Busy/i;
/** gRPC's message when a connection broke during a write. gRPC reports it as an internal error. */
const BROKEN_CONNECTION_MESSAGE = /RST_STREAM.*internal client error/i;

/** Limits the wait for a promise of the client, because some never settle. @throws NoAnswer after `ms` */
export function requireAnswer<T>(ms: number, promise: Promise<T>): Promise<T> {
  return withTimeout(ms, promise, () => {
    throw new NoAnswer(`no answer in ${ms} ms`, true);
  });
}

/** Reads to the end. @throws NoAnswer after `ms` without an event */
export async function collect<T>(stream: StreamingRead<T>, ms: number): Promise<T[]> {
  const events: T[] = [];
  await readUntil(stream, ms, (event) => {
    events.push(event);
    return false;
  });
  return events;
}

/**
 * Reads to the end, or to the first event for which `isLast` returns true. Keeps no event.
 * @throws NoAnswer after `ms` without an event
 */
export function readUntil<T>(stream: StreamingRead<T>, ms: number, isLast: (event: T) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const stop = () => {
      clearTimeout(timer);
      // Fails only if there is no call to cancel.
      stream.cancel().catch(() => undefined);
    };
    const timer = setTimeout(async () => {
      const countBefore = count;
      await readPendingInput();
      if (count > countBefore) return;
      stop();
      reject(new NoAnswer(`no event in ${ms} ms`));
    }, ms);
    stream.on('data', (event: T) => {
      timer.refresh();
      count += 1;
      if (!isLast(event)) return;
      stop();
      resolve();
    });
    stream.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    // Stays registered, because an unhandled second error would end the process.
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Returns true if the node answered that it can't serve now: another node leads, none does, or it is busy. */
export function cannotServeNow(error: unknown): boolean {
  const answer = error instanceof StoreUnavailable ? error.cause : error;
  return answer instanceof NotLeaderError || (answer instanceof Error && NOT_SERVING_MESSAGE.test(answer.message));
}

/**
 * Returns true if the connection may be the cause rather than the call: there was no answer, the connection is gone, or
 * the node is no longer the leader.
 */
export function isLostConnection(error: unknown): boolean {
  return (
    cannotServeNow(error) ||
    (error instanceof Error && BROKEN_CONNECTION_MESSAGE.test(error.message)) ||
    error instanceof NoAnswer ||
    error instanceof NotSent ||
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof DeadlineExceededError
  );
}

/** Turns a failed read into the port's error. */
export function readFailure(error: unknown): StoreUnavailable {
  if (error instanceof AccessDeniedError) return refused(error, 'read');
  return error instanceof StoreUnavailable ? error : unavailable(error, false);
}

/**
 * Turns a failed append into the port's error. It is ambiguous unless the append is known to have failed before it was written.
 */
export function appendFailure(thrown: unknown, stream: string): StoreUnavailable | StreamDamaged | TooLarge {
  // A call that was denied has written nothing, however many appends waited.
  const error = thrown instanceof CallLost && thrown.cause instanceof AccessDeniedError ? thrown.cause : thrown;
  if (error instanceof StoreUnavailable || error instanceof TooLarge) return error;
  if (error instanceof AccessDeniedError) return refused(error, `append to ${stream}`);
  if (error instanceof StreamDeletedError) return new StreamDamaged(stream, STREAM_DELETED);
  if (error instanceof MaxAppendSizeExceededError) {
    return new TooLarge(`over the server's limit of ${error.maxAppendSize} bytes`, { cause: error });
  }
  return unavailable(error, !wasNotWritten(error));
}

export const STREAM_DELETED = 'it was deleted';

/** The error for a call that the server denies. The client has one error for a missing right and for wrong credentials. */
function refused(cause: AccessDeniedError, attempt: string): StoreRefused {
  return new StoreRefused(
    'The event store denies this to the service: its user lacks a right, or the password is wrong.',
    'Correct the user in EVENTSTORE_URL, or its rights: "A secured cluster" in docs/operations.md names them.',
    { attempt, cause },
  );
}

function unavailable(cause: unknown, ambiguous: boolean): StoreUnavailable {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new StoreUnavailable(message, ambiguous, { cause });
}

/** Returns true if the append was certainly not written: there was no connection, or the server refused the call. */
function wasNotWritten(error: unknown): boolean {
  if (cannotServeNow(error)) return true;
  if (!(error instanceof Error)) return false;
  // gRPC's message for a call that was never sent.
  return error instanceof UnavailableError && /No connection established|Name resolution failed/.test(error.message);
}
