import type { Shell } from './command.ts';

/** Characters. */
const BAR_WIDTH = 30;
/** The shortest time between two updates of the bar. */
const BAR_UPDATE_MS = 100;
/** Items per printed line when there is no terminal. */
const ITEMS_PER_LINE = 1_000;

/** Shows the progress of a long command: a bar on a terminal, elsewhere a line from time to time. */
export class ProgressBar {
  private readonly started = performance.now();
  private lastUpdateAt = 0;
  private printedCount = 0;

  constructor(
    private readonly shell: Shell,
    private readonly unit: string,
  ) {}

  /**
   * @param share fraction of the file read, 0 to 1. A small file is read before its rows are done, so only the count tells
   *   how far they are then
   */
  update(count: number, share: number): void {
    if (this.shell.bar) {
      if (performance.now() - this.lastUpdateAt < BAR_UPDATE_MS) return;
      this.lastUpdateAt = performance.now();
      this.shell.bar(`${share < 1 ? `${barOf(share)}  ` : ''}${this.countAndRate(count)}`);
    } else if (count - this.printedCount >= ITEMS_PER_LINE) {
      this.printedCount = count;
      const read = share < 1 ? `, ${Math.floor(share * 100)} % of the file read` : '';
      this.shell.err(`${this.countAndRate(count)}${read}`);
    }
  }

  /** Removes the bar before other output. */
  clear(): void {
    this.shell.bar?.('');
    this.lastUpdateAt = 0;
  }

  private countAndRate(count: number): string {
    const seconds = Math.max((performance.now() - this.started) / 1000, 0.001);
    return `${count} ${this.unit} (${Math.round(count / seconds)} a second)`;
  }
}

function barOf(share: number): string {
  const filledWidth = Math.round(share * BAR_WIDTH);
  const bar = `${'#'.repeat(filledWidth)}${'-'.repeat(BAR_WIDTH - filledWidth)}`;
  return `[${bar}] ${Math.floor(share * 100)} %`;
}
