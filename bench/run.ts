import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BenchRegister, createBenchRegister } from './bench-register.ts';
import { eventStoreFigures } from './eventstoredb.ts';
import { fairnessFigures } from './fairness.ts';
import { httpFigures } from './http.ts';
import { rebuildFigures } from './log.ts';
import { type Figure, table } from './measure.ts';
import { mongoFigures } from './mongodb.ts';
import { pageFigures } from './pages.ts';
import { readFigures, VERSIONS } from './reads.ts';
import { reportFigures } from './reports.ts';
import { sizeFigures } from './size.ts';
import { startFigures } from './start.ts';
import { trailFigures } from './trail.ts';
import { writeFigures } from './writes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, json: { type: 'string', default: 'bench-results.json' } },
});
const vendors = values.quick ? 10_000 : 100_000;
const durationMs = values.quick ? 1_200 : 6_000;
const startedAt = performance.now();
const logProgress = (text: string) =>
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s  ${text}\n`);

/** The groups of figures, by name. `npm run bench -- writes` measures only that group. */
const groups: Record<string, (benchRegister: BenchRegister) => Figure[] | Promise<Figure[]>> = {
  size: sizeFigures,
  http: (benchRegister) => httpFigures(benchRegister, durationMs),
  reads: (benchRegister) => readFigures(benchRegister, vendors),
  pages: (benchRegister) => pageFigures(benchRegister, vendors),
  reports: (benchRegister) => reportFigures(benchRegister, vendors, values.quick ? 1_000 : 10_000),
  rebuild: rebuildFigures,
  writes: (benchRegister) => writeFigures(benchRegister, durationMs),
  trail: trailFigures,
  eventstoredb: () => eventStoreFigures(durationMs),
  mongodb: mongoFigures,
  fairness: () => fairnessFigures(values.quick ? 2_000 : 20_000),
  start: () => startFigures(values.quick ? 2_000 : 20_000, values.quick ? 3 : 7),
};

logProgress(`creating ${vendors} vendors with ${VERSIONS} versions each`);
const benchRegister = await createBenchRegister(vendors, VERSIONS);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(groups)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  logProgress(name);
  try {
    figures.push(...(await measure(benchRegister)));
  } catch (error) {
    // The other groups' figures are not lost.
    console.error(error);
    process.exitCode = 1;
  }
}
await benchRegister.close();
logProgress('done');

process.stdout.write(`${table(figures)}\n`);
const environment = { node: process.version, vendors, quick: values.quick === true, at: new Date().toISOString() };
writeFileSync(values.json, `${JSON.stringify({ environment, figures }, null, 2)}\n`);
