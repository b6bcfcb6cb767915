import { setImmediate } from 'node:timers/promises';
import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  type StreamingRead,
  UnavailableError,
} from '@eventstore/db-client';
import { StoreUnavailable, TooLarge } from '../errors.ts';

const REFUSALS = [AccessDeniedError, NotLeaderError, StreamDeletedError];

/** The client's promise, bounded: some of its promises never settle. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable(`no answer in ${ms} ms`, true)), ms);
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
    const timer = setTimeout(() => {
      stop();
      reject(new StoreUnavailable(`no event in ${ms} ms`));
    }, ms);
    stream.on('data', (event: T) => {
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

/** Calls once more when the server was no leader: the client moves to the leader, but only after it has said so. */
export async function onLeader<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof NotLeaderError)) throw error;
    await setImmediate();
    return call();
  }
}

/** What a failed read is to the port. */
export function readFailure(error: unknown): StoreUnavailable {
  return error instanceof StoreUnavailable ? error : unavailable(error, false);
}

/** What a failed append is to the port. Whatever is not known to have failed before it was written is ambiguous. */
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

/** Whether the call surely never reached the log: there was no connection, or the server turned it away. */
function wasRefused(error: unknown): boolean {
  if (REFUSALS.some((refusal) => error instanceof refusal)) return true;
  if (!(error instanceof Error)) return false;
  // gRPC's word for a call that never left, and the client's for a cluster it can't find.
  const unconnected = /No connection established|Name resolution failed/.test(error.message);
  return (error instanceof UnavailableError && unconnected) || error.message.startsWith('Failed to discover');
}
