import { StoreUnavailable } from '../../stores/errors.ts';
import type { Caller } from '../organization/caller.ts';

/** A command on one record is appended within this time of its arrival, or refused as unavailable. */
export const COMMAND_TIMEOUT_MS = 6_000;

/** Returns when a new command must be answered, in epoch milliseconds. Subtracts the time the caller has waited. */
export function commandDeadline({ waited_ms = 0 }: Pick<Caller, 'waited_ms'> = {}): number {
  return Date.now() + COMMAND_TIMEOUT_MS - waited_ms;
}

/**
 * Settles as `work` does, or rejects at the deadline. The work isn't cancelled and may still succeed, so the error is
 * ambiguous.
 * @throws StoreUnavailable at the deadline
 */
export async function beforeDeadline<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreUnavailable('no answer before the deadline', true)),
      deadline - Date.now(),
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
