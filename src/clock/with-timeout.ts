import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop in which a process reads the input that arrived while it was blocked. */
const PENDING_INPUT_TURNS = 3;

/**
 * Settles as `work` does, or as `onTimeout` if that takes longer than `ms`. The work isn't cancelled.
 * @param onTimeout returns the value instead, or throws
 */
export async function withTimeout<T, Late = never>(
  ms: number,
  work: Promise<T>,
  onTimeout: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(readPendingInput).then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Lets the process read pending input. After a blocked event loop, overdue timers fire before data that has already
 * arrived.
 */
export async function readPendingInput(): Promise<void> {
  for (let turns = 0; turns < PENDING_INPUT_TURNS; turns++) await nextTurn();
}
