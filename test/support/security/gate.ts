import { until } from '../run/wait.ts';

/** Holds calls of functions until a test lets them go on. It is open at first. */
export class Gate<Args extends unknown[]> {
  private holds: ((...args: Args) => boolean) | null = null;
  private readonly held: (() => void)[] = [];
  private error: (() => Error) | null = null;

  /** Returns the same function, whose calls wait while the gate is closed for them. */
  around<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      if (!this.holds?.(...(args as unknown as Args))) return work(...args);
      const { error } = this;
      if (error !== null) this.holds = null;
      await new Promise<void>((resolve) => this.held.push(resolve));
      if (error !== null) throw error();
      return work(...args);
    };
  }

  /** Holds all later calls that `holds` accepts. */
  close(holds: (...args: Args) => boolean = () => true): void {
    this.holds = holds;
    this.error = null;
  }

  /** Holds the next call that `holds` accepts, and lets it fail then. */
  failNext(holds: (...args: Args) => boolean, error: () => Error): void {
    this.holds = holds;
    this.error = error;
  }

  /** Waits until this number of calls is held. */
  async waitFor(count: number): Promise<void> {
    await until(() => this.held.length >= count, 5_000, `${count} calls wait at the gate`);
  }

  /** Lets everything go on. */
  open(): void {
    this.holds = null;
    for (const release of this.held.splice(0)) release();
  }
}
