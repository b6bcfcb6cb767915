import { withTimeout } from '../clock/with-timeout.ts';

/** The steps of the shutdown, in order: requests finish first, then what they use stops, and the stores close last. */
const SHUTDOWN_ORDER = [
  'schema watch',
  'metrics',
  'requests',
  'heavy reads',
  'report files',
  'access log',
  'approved proposals',
  'seals',
  'reporting database',
  'read models',
  'clock',
  'instances',
  'stores',
  'data folder lock',
] as const;

export type ShutdownStep = (typeof SHUTDOWN_ORDER)[number];

export interface ShutdownOptions {
  /** Time for all steps together. */
  timeoutMs: number;
  log: {
    info(details: object, message: string): void;
    debug(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Stops what was started. Each part of the service adds its step when it starts. */
export class Shutdown {
  private readonly steps = new Map<ShutdownStep, () => unknown>();
  private begun = false;

  constructor(private readonly options: ShutdownOptions) {}

  get hasBegun(): boolean {
    return this.begun;
  }

  /** Adds a step. Its place in the order is fixed, whenever it is added. */
  add(step: ShutdownStep, stop: () => unknown): void {
    this.steps.set(step, stop);
  }

  /**
   * Runs each step once. A step that does not end in time is logged and left behind. That loses no data: every write is
   * stored before it is answered.
   * @param reason the signal, for the log. A start that failed has none: its error says enough
   */
  async run(reason?: string): Promise<void> {
    const { timeoutMs, log } = this.options;
    const begunAt = performance.now();
    const isLogged = reason !== undefined && !this.begun;
    this.begun = true;
    if (isLogged) log.info({ reason }, 'the service stops');
    await this.runSteps(begunAt + timeoutMs);
    if (isLogged) log.info({ ms: Math.round(performance.now() - begunAt) }, 'the service has stopped');
  }

  private async runSteps(deadline: number): Promise<void> {
    const { log } = this.options;
    for (const step of SHUTDOWN_ORDER) {
      const stop = this.steps.get(step);
      if (stop === undefined) continue;
      this.steps.delete(step);
      const started = performance.now();
      const work = Promise.resolve(stop()).then(() => true);
      const isDone = await withTimeout(deadline - performance.now(), work, () => false);
      if (isDone) log.debug({ step, ms: Math.round(performance.now() - started) }, 'stopped');
      else log.error({ step }, 'the service stops without waiting for this step any longer');
    }
  }
}
