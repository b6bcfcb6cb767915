import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable } from '../stores/errors.ts';

/** Waits for a store's answer for at most `ms`. @throws StoreUnavailable after that; otherwise as `work` does */
export async function withStoreTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  })
    // If this process was blocked, the answer may have arrived but not been read yet.
    .then(() => turn())
    .then(() => turn())
    .then(() => {
      throw new StoreUnavailable(`no answer in ${ms} ms`);
    });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
