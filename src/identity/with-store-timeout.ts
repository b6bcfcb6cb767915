import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable } from '../stores/errors.ts';

/** Waits for what a store is asked, but not for long. @throws StoreUnavailable after `ms`; else as `work` does */
export async function withStoreTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  })
    // Where this process was held up, the answer may be here that nobody has read yet.
    .then(() => turn())
    .then(() => turn())
    .then(() => {
      throw new StoreUnavailable(`no answer in ${ms} ms`);
    });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
