/** Runs a task once at a time. Calls made meanwhile share its result. After a failure the next call runs it again. */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | null = null;
  return () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}
