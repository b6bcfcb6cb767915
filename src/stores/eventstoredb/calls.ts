import { setImmediate as turn } from 'node:timers/promises';
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
import { StoreUnavailable, TooLarge } from '../errors.ts';

/** The node said nothing in time: it may be busy, hang or be gone. */
export class NoAnswer extends StoreUnavailable {}

/** The call was not even begun. */
export class NotSent extends StoreUnavailable {}

const REFUSALS = [NotSent, AccessDeniedError, StreamDeletedError];
/** A server's words while it elects or begins, or has too much to do. The client has no types of error for them. */
const TURNED_AWAY = /No leader info available|Server Is Not Ready|Server Is Too Busy/i;
/** gRPC's words where a connection broke while it was written to, which it takes for an error of its own. */
const BROKEN = /RST_STREAM.*internal client error/i;

/** Bounds a promise of the client: some of them never settle. @throws NoAnswer after `ms` */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      await readWhatCame();
      reject(new NoAnswer(`no answer in ${ms} ms`, true));
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads to the end, or to the first event for which `enough` holds. Gives up when nothing comes for `ms`.
 */
export function collect<T>(stream: StreamingRead<T>, ms: number, enough?: (event: T) => boolean): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const events: T[] = [];
    const stop = () => {
      clearTimeout(timer);
      // Fails only where there is no call to cancel.
      stream.cancel().catch(() => undefined);
    };
    let heard = 0;
    const timer = setTimeout(async () => {
      const before = heard;
      await readWhatCame();
      if (heard > before) return;
      stop();
      reject(new NoAnswer(`no event in ${ms} ms`));
    }, ms);
    stream.on('data', (event: T) => {
      heard += 1;
      timer.refresh();
      events.push(event);
      if (!enough?.(event)) return;
      stop();
      resolve(events);
    });
    stream.on('end', () => {
      clearTimeout(timer);
      resolve(events);
    });
    // Stays for errors after the first: an unheard one would end the process.
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Lets the process read what arrived while it was held up: a timer that is late fires before that. */
async function readWhatCame(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

/** Returns true where the node answered that it does not serve for now: another one leads, none does, or it is busy. */
export function isTurnedAway(error: unknown): boolean {
  const answer = error instanceof StoreUnavailable ? error.cause : error;
  return answer instanceof NotLeaderError || (answer instanceof Error && TURNED_AWAY.test(answer.message));
}

/**
 * Returns true where a failure may lie in the connection rather than in the call: there was no answer, the connection is
 * gone, or the node leads no more.
 */
export function isLostConnection(error: unknown): boolean {
  return (
    isTurnedAway(error) ||
    (error instanceof Error && BROKEN.test(error.message)) ||
    error instanceof NoAnswer ||
    error instanceof NotSent ||
    error instanceof UnavailableError ||
    error instanceof CancelledError ||
    error instanceof DeadlineExceededError
  );
}

/** Turns a failed read into the port's error. */
export function readFailure(error: unknown): StoreUnavailable {
  return error instanceof StoreUnavailable ? error : unavailable(error, false);
}

/** Turns a failed append into the port's error: ambiguous, unless it surely failed before it was written. */
export function appendFailure(error: unknown): StoreUnavailable | TooLarge {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof MaxAppendSizeExceededError) {
    return new TooLarge(`over the server's limit of ${error.maxAppendSize} bytes`, { cause: error });
  }
  return unavailable(error, !wasRefused(error));
}

function unavailable(cause: unknown, ambiguous: boolean): StoreUnavailable {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new StoreUnavailable(message, ambiguous, { cause });
}

/** Returns true where the call surely never reached the log: there was no connection, or the server turned it away. */
function wasRefused(error: unknown): boolean {
  if (isTurnedAway(error) || REFUSALS.some((refusal) => error instanceof refusal)) return true;
  if (!(error instanceof Error)) return false;
  // gRPC's words for a call that never left.
  return error instanceof UnavailableError && /No connection established|Name resolution failed/.test(error.message);
}
