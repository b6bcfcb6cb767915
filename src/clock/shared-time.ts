import { JUMP_MS } from './clock-trust.ts';
import { type MachineClocks, machineClocks } from './machine-clocks.ts';

const DIFFERENCE = 0;
const IS_DOUBTED = 1;

/**
 * The memory by which the threads of a process share one clock. The main thread decides which difference of wall clock and
 * boot clock is right.
 */
export class SharedTime {
  readonly memory = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
  private readonly values = new Float64Array(this.memory);

  /** @param difference null while none is known to be right */
  set(difference: number | null, isDoubted: boolean): void {
    this.values[DIFFERENCE] = difference ?? Number.NaN;
    this.values[IS_DOUBTED] = Number(isDoubted);
  }
}

/** Returns the time of the main thread's clock, for another thread. A jump that the main thread hasn't seen yet counts too. */
export function followTime(memory: SharedArrayBuffer, clocks: MachineClocks = machineClocks): () => Date {
  const values = new Float64Array(memory);
  return () => {
    const boot = clocks.bootMs();
    const wall = clocks.wallMs();
    const right = boot + values[DIFFERENCE]!;
    const isRight = values[IS_DOUBTED] === 0 && Math.abs(wall - right) <= JUMP_MS;
    return new Date(isRight || Number.isNaN(right) ? wall : Math.round(right));
  };
}
