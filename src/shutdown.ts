/** A step of the start that a stop takes back. */
export interface ShutdownStep {
  /** Names the step in the log. */
  name: string;
  run(): unknown;
}

/**
 * Takes back the steps of a start, the last first. A step that does not end in time is left behind and named in the log:
 * what a stop must not lose is in the stores before it is answered.
 */
export async function runShutdown(
  ends: readonly ShutdownStep[],
  ms: number,
  log: { error(details: object, message: string): void },
): Promise<void> {
  const deadline = performance.now() + ms;
  for (const { name: what, run: end } of [...ends].reverse()) {
    const isDone = await endsInTime(deadline, async () => end());
    if (!isDone) log.error({ step: what }, 'the service stops without waiting any longer for this');
  }
}

async function endsInTime(deadline: number, work: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false);
  });
  try {
    return await Promise.race([work().then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
