import { setImmediate as nextTurn } from 'node:timers/promises';

/** A line of the table: a figure and its ratio to the baseline of the same run. */
export interface Figure {
  figure: string;
  value: number;
  baseline: number;
  unit: string;
  ratio: number;
  /** The required ratio: at least (`>=`) or at most (`<=`) this. */
  target: { bound: '>=' | '<='; ratio: number };
}

/** The required ratio of a value to its baseline. */
type Target = Figure['target'];

export const atLeast = (ratio: number): Target => ({ bound: '>=', ratio });
export const atMost = (ratio: number): Target => ({ bound: '<=', ratio });

export function figure(name: string, unit: string, value: number, baseline: number, target: Target): Figure {
  return { figure: name, value, baseline, unit, ratio: value / baseline, target };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Returns the median time in milliseconds. */
export async function medianMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

type Run = () => Promise<unknown>;
type Times = { value: number; baseline: number };

/** Returns the median times of two functions in microseconds. Runs them alternately, so that drift affects both alike. */
export function compareTimes(rounds: number, measured: Run, baseline: Run): Promise<Times> {
  return compare(rounds, timeUs, measured, baseline);
}

/** Returns the median processor times in milliseconds, which other processes on the machine affect little. */
export function compareCpuTimes(rounds: number, measured: Run, baseline: Run): Promise<Times> {
  return compare(rounds, cpuMs, measured, baseline);
}

async function compare(rounds: number, timeOf: (run: Run) => Promise<number>, measured: Run, baseline: Run) {
  const times = { value: [] as number[], baseline: [] as number[] };
  const warmUpRounds = Math.ceil(rounds / 10);
  for (let round = -warmUpRounds; round < rounds; round++) {
    const value = await timeOf(measured);
    const baselineValue = await timeOf(baseline);
    if (round >= 0) {
      times.value.push(value);
      times.baseline.push(baselineValue);
    }
    if (round % 16 === 0) await nextTurn();
  }
  return { value: median(times.value), baseline: median(times.baseline) };
}

async function timeUs(run: Run): Promise<number> {
  const startedAt = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - startedAt) / 1_000;
}

/** Returns the processor time of this process while a function runs, in milliseconds. */
export async function cpuMs(run: Run): Promise<number> {
  const startedAt = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1_000;
}

/** Runs a function for `ms` with this concurrency. Returns the calls per second. */
export async function countPerSecond(
  ms: number,
  concurrency: number,
  run: (index: number) => Promise<unknown>,
): Promise<number> {
  let index = 0;
  const startedAt = performance.now();
  const end = startedAt + ms;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) await run(index++);
    }),
  );
  return (index * 1_000) / (performance.now() - startedAt);
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ figure: name, value, baseline, unit, ratio, target }) => {
    const isMet = target.bound === '>=' ? ratio >= target.ratio : ratio <= target.ratio;
    const cells = [
      name,
      shortNumber(value),
      shortNumber(baseline),
      unit,
      ratio.toFixed(2),
      `${target.bound} ${Number(target.ratio.toFixed(3))}`,
      isMet ? 'yes' : 'NO',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| figure | value | baseline | unit | ratio | limit | met |', '|---|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function shortNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
