import { setImmediate as turn } from 'node:timers/promises';

/** One line of the table: a figure as a ratio to its baseline of the same run. */
export interface Figure {
  figure: string;
  value: number;
  baseline: number;
  unit: string;
  ratio: number;
  /** The required ratio: at least (`>=`) or at most (`<=`) this. */
  target: { bound: '>=' | '<='; ratio: number };
}

export function figure(
  name: string,
  unit: string,
  value: number,
  baseline: number,
  bound: '>=' | '<=',
  ratio: number,
): Figure {
  return { figure: name, value, baseline, unit, ratio: value / baseline, target: { bound, ratio } };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/**
 * Median times in microseconds of two pieces of work, run in turn so that the machine's drift hits both alike.
 */
export async function inTurn(
  rounds: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<{ a: number; b: number }> {
  const times = { a: [] as number[], b: [] as number[] };
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (const [key, work] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const started = process.hrtime.bigint();
      await work();
      if (round >= 0) times[key].push(Number(process.hrtime.bigint() - started) / 1_000);
    }
    if (round % 16 === 0) await turn();
  }
  return { a: median(times.a), b: median(times.b) };
}

/** Counts pieces of work a second. Does `concurrency` of them at once, for `ms`. */
export async function rate(
  ms: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let index = 0;
  const started = performance.now();
  const end = started + ms;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) await work(index++);
    }),
  );
  return (index * 1_000) / (performance.now() - started);
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ figure: name, value, baseline, unit, ratio, target }) => {
    const met = target.bound === '>=' ? ratio >= target.ratio : ratio <= target.ratio;
    const cells = [
      name,
      short(value),
      short(baseline),
      unit,
      ratio.toFixed(2),
      `${target.bound} ${Number(target.ratio.toFixed(3))}`,
      met ? 'yes' : 'NO',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| figure | value | baseline | unit | ratio | asked | met |', '|---|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
