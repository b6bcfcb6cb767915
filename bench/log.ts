import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import type { Bed } from './data.ts';
import { type Figure, figure, median } from './measure.ts';

/** Compares rebuilding all read models with reading and parsing the log alone. */
export async function rebuildFigures(bed: Bed): Promise<Figure[]> {
  const { events, reads } = bed.stores;
  const reading: number[] = [];
  let count = 0;
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    count = 0;
    for await (const batch of events.readAll(null)) count += batch.length;
    reading.push(performance.now() - started);
  }
  const before = new Set(await reads.generations());
  const started = performance.now();
  await buildGeneration({ events, reads, installation: 'bench' });
  const building = performance.now() - started;
  for (const generation of await reads.generations()) {
    if (before.has(generation) && generation !== bed.register.projections.models.generation)
      await reads.drop(generation);
  }
  const perSecond = (ms: number) => (count * 1_000) / ms;
  const name = `rebuilding read models (${count.toLocaleString('en')} events) to reading and parsing the log alone`;
  return [figure(name, '1/s', perSecond(building), perSecond(median(reading)), '>=', 0.06)];
}
