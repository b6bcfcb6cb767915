import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Bed, layBed } from './data.ts';
import { familyFigures } from './families.ts';
import { httpFigures } from './http.ts';
import { importFigures } from './import.ts';
import { rebuildFigures } from './log.ts';
import { type Figure, table } from './measure.ts';
import { memoryFigures } from './memory.ts';
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
const ms = values.quick ? 1_200 : 6_000;
const started = performance.now();
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - started) / 1_000).toFixed(1)} s  ${text}\n`);

/** The groups of figures, each by its name; `npm run bench -- writes` measures that one alone. */
const groups: Record<string, (bed: Bed) => Figure[] | Promise<Figure[]>> = {
  size: sizeFigures,
  http: (bed) => httpFigures(bed, ms),
  reads: (bed) => readFigures(bed, vendors),
  reports: (bed) => reportFigures(bed, vendors, values.quick ? 1_000 : 10_000),
  rebuild: rebuildFigures,
  writes: (bed) => writeFigures(bed, ms),
  trail: (bed) => trailFigures(bed, ms),
  memory: () => memoryFigures(values.quick ? 100_000 : 1_000_000),
  families: () => familyFigures(values.quick ? 1_000 : 100_000, say),
  import: (bed) => importFigures(bed),
  start: () => startFigures(values.quick ? 20_000 : 200_000, values.quick ? 3 : 7),
};

say(`laying ${vendors} vendors with ${VERSIONS} versions each`);
const bed = await layBed(vendors, VERSIONS);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(groups)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  say(name);
  figures.push(...(await measure(bed)));
}
await bed.close();
say('done');

process.stdout.write(`${table(figures)}\n`);
const environment = { node: process.version, vendors, quick: values.quick === true, at: new Date().toISOString() };
writeFileSync(values.json, `${JSON.stringify({ environment, figures }, null, 2)}\n`);
