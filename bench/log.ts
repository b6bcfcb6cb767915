import { statSync } from 'node:fs';
import { join } from 'node:path';
import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import type { BenchRegister } from './bench-register.ts';
import { atLeast, atMost, type Figure, figure, median } from './measure.ts';

/** Compares rebuilding all read models with reading and parsing the log alone. */
export async function rebuildFigures(benchRegister: BenchRegister): Promise<Figure[]> {
  const { events, reads } = benchRegister.stores;
  const reading: number[] = [];
  let count = 0;
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    count = 0;
    for await (const batch of events.readAll(null)) count += batch.length;
    reading.push(performance.now() - startedAt);
  }
  const before = new Set(await reads.generations());
  const startedAt = performance.now();
  await buildGeneration({ events, reads, installation: 'bench' });
  const building = performance.now() - startedAt;
  for (const generation of await reads.generations()) {
    if (before.has(generation) && generation !== benchRegister.register.projections.models.generation)
      await reads.drop(generation);
  }
  const perSecond = (ms: number) => (count * 1_000) / ms;
  const name = `rebuilding read models (${count.toLocaleString('en')} events); baseline: reading and parsing the log`;
  return [
    figure(name, '1/s', perSecond(building), perSecond(median(reading)), atLeast(0.045)),
    compareDiskSpace(benchRegister),
  ];
}

/** Compares the files of the served read models with those of the log. */
function compareDiskSpace({ folder, register }: BenchRegister): Figure {
  const mebibytes = (file: string) =>
    ['', '-wal'].reduce((sum, suffix) => {
      const { size = 0 } = statSync(join(folder, `${file}${suffix}`), { throwIfNoEntry: false }) ?? {};
      return sum + size / 1024 ** 2;
    }, 0);
  const readModels = mebibytes(`read-${encodeURIComponent(register.projections.models.generation)}.db`);
  return figure('read models on disk; baseline: the log', 'MiB', readModels, mebibytes('events.db'), atMost(3.5));
}
