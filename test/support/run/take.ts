/** Limit of each wait. */
const BOUND_MS = 8000;

/** Reads batches until `count` items that match `wanted` have come. Fails at the time limit. */
export async function take<T>(
  subscribe: (signal: AbortSignal) => AsyncIterable<readonly T[]>,
  count: number,
  isWanted: (item: T) => boolean = () => true,
): Promise<T[]> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), BOUND_MS);
  const items: T[] = [];
  try {
    for await (const batch of subscribe(stop.signal)) {
      items.push(...batch.filter(isWanted));
      if (items.length >= count) return items;
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  throw new Error(`no more than ${items.length} of ${count} came`);
}

/** Resolves when the condition holds. Fails at the time limit. */
export async function untilTrue(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + BOUND_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not so after ${BOUND_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves when a number that grows has stopped growing. */
export async function untilSettled(number: () => number): Promise<void> {
  for (let last = -1; last !== number(); ) {
    last = number();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns the error that a promise is rejected with. Fails if it isn't. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('should have been rejected');
}
