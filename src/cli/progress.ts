import type { Shell } from './command.ts';

const BAR_WIDTH = 30;
const BAR_MS = 100;
/** Without a terminal, a line is printed after so many items. */
const ITEMS_PER_LINE = 1_000;

/** Shows the progress of a long command: a bar on a terminal, elsewhere a line from time to time. */
export class ProgressBar {
  private readonly started = performance.now();
  private drawnAt = 0;
  private printedCount = 0;

  constructor(
    private readonly shell: Shell,
    private readonly unit: string,
  ) {}

  /** @param share 0 to 1 */
  at(count: number, share: number): void {
    if (this.shell.bar) {
      if (performance.now() - this.drawnAt < BAR_MS) return;
      this.drawnAt = performance.now();
      const full = Math.round(share * BAR_WIDTH);
      const bar = `${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}`;
      this.shell.bar(`[${bar}] ${Math.floor(share * 100)} %  ${this.text(count)}`);
    } else if (count - this.printedCount >= ITEMS_PER_LINE) {
      this.printedCount = count;
      this.shell.err(`${this.text(count)}, ${Math.floor(share * 100)} % of the file`);
    }
  }

  /** Removes the bar before other output. */
  clear(): void {
    this.shell.bar?.('');
    this.drawnAt = 0;
  }

  private text(count: number): string {
    const seconds = Math.max((performance.now() - this.started) / 1000, 0.001);
    return `${count} ${this.unit} (${Math.round(count / seconds)} a second)`;
  }
}
