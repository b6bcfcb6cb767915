import { parseArgs } from 'node:util';
import { buildGeneration } from '../../projections/engine/build-generation.ts';
import { logLossText } from '../../projections/engine/log-loss.ts';
import type { Command, Shell } from '../command.ts';
import { withInstallation } from '../with-installation.ts';

const PROGRESS_MS = 1_000;

export const rebuild: Command = {
  help: `Usage: veritrail rebuild

Rebuilds all read models from the log while the current ones are served, and switches to the new ones when they are complete. A running
service keeps serving and switches by itself.`,

  async run(args, shell) {
    parseArgs({ args, options: {} });
    await withInstallation(shell, async ({ events, reads, installation }) => {
      const meter = new Meter(shell);
      const { generation } = await buildGeneration({
        events,
        reads,
        installation,
        onProgress: (count) => meter.count(count),
        onPhase: (phase) => phase === 'INDEXES' && meter.print('creating indexes'),
        onLogLoss: (loss) => shell.err(logLossText(loss)),
      });
      shell.out(`${meter.total()}. Generation ${generation} is now served.`);
    });
  },
};

/** Prints the number of events and the rate once a second. */
class Meter {
  private readonly started = performance.now();
  private said = this.started;
  private events = 0;

  constructor(private readonly shell: Shell) {}

  count(events: number): void {
    this.events = events;
    if (performance.now() - this.said < PROGRESS_MS) return;
    this.said = performance.now();
    this.print(this.total());
  }

  print(text: string): void {
    this.shell.err(`rebuild: ${text}`);
  }

  total(): string {
    const seconds = Math.max((performance.now() - this.started) / 1000, 0.001);
    const rate = Math.round(this.events / seconds);
    return `${this.events} events in ${seconds.toFixed(1)} s (${rate} events/s)`;
  }
}
