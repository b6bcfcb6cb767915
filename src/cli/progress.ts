import type { Shell } from './command.ts';

const BAR_WIDTH = 30;
const BAR_MS = 100;
/** Where nobody watches, a line after so many. */
const LINE_EVERY = 1_000;

/** How far a long command is: a bar on a terminal, elsewhere a line now and then. */
export class ProgressBar {
  private readonly started = performance.now();
  private drawn = 0;
  private said = 0;

  constructor(
    private readonly shell: Shell,
    private readonly what: string,
  ) {}

  /** @param share 0 to 1 */
  at(count: number, share: number): void {
    if (this.shell.bar) {
      if (performance.now() - this.drawn < BAR_MS) return;
      this.drawn = performance.now();
      const full = Math.round(share * BAR_WIDTH);
      const bar = `${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}`;
      this.shell.bar(`[${bar}] ${Math.floor(share * 100)} %  ${this.text(count)}`);
    } else if (count - this.said >= LINE_EVERY) {
      this.said = count;
      this.shell.err(`${this.text(count)}, ${Math.floor(share * 100)} % of the file`);
    }
  }

  /** Takes the bar away, so that something else can be said. */
  clear(): void {
    this.shell.bar?.('');
    this.drawn = 0;
  }

  private text(count: number): string {
    const seconds = Math.max((performance.now() - this.started) / 1000, 0.001);
    return `${count} ${this.what} (${Math.round(count / seconds)} a second)`;
  }
}
