import { randomUUID } from 'node:crypto';
import type { WaitInMain } from './generation-follower.ts';
import type { ProgressState, ReadMessages } from './read-messages.ts';

/** Waits of this thread's reads, made by the main thread: it learns first how far the read models are. */
export class WaitsInMain {
  private readonly pending = new Map<string, (state: ProgressState | null) => void>();

  constructor(private readonly notify: (notice: ReadMessages['toMain']) => void) {}

  readonly wait: WaitInMain = (generation, moment, ms) => {
    // Not a count: the main thread also ends the waits of a thread that this one has replaced.
    const id = randomUUID();
    return new Promise((resolve) => {
      this.pending.set(id, resolve);
      this.notify({ type: 'wait', id, generation, moment, ms });
    });
  };

  /** Ends a wait. @param state null if the generation is not served any more */
  end(id: string, state: ProgressState | null): void {
    this.pending.get(id)?.(state);
    this.pending.delete(id);
  }
}
