import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds, and checks it every few milliseconds.
 * @returns the condition's first result other than false, null or undefined
 * @throws Error at the time limit, with `what` in the message
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 5000,
  description = condition.toString(),
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer !== false && answer !== null && answer !== undefined) {
      return answer as Exclude<T, false | null | undefined>;
    }
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${description}`);
    await pause(10);
  }
}
