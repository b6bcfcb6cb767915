/** A step of the shutdown. Each undoes a step of the start. */
export interface ShutdownStep {
  /** Names the step in the log. */
  name: string;
  run(): unknown;
}

/**
 * Runs the steps in reverse order. A step that does not end in time is logged and left behind. That loses no data: every
 * write is stored before it is answered.
 */
export async function runShutdown(
  steps: readonly ShutdownStep[],
  timeoutMs: number,
  log: { error(details: object, message: string): void },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const { name, run } of [...steps].reverse()) {
    const isDone = await endsInTime(deadline, async () => run());
    if (!isDone) log.error({ step: name }, 'the service stops without waiting for this step any longer');
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
