import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { layBed } from './data.ts';
import { httpFigures } from './http.ts';
import { rebuildFigures } from './log.ts';
import { type Figure, table } from './measure.ts';
import { readFigures, VERSIONS } from './reads.ts';
import { startFigures } from './start.ts';
import { writeFigures } from './writes.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'string', default: 'bench-results.json' } },
});
const vendors = values.quick ? 10_000 : 100_000;
const ms = values.quick ? 2_000 : 6_000;
const started = performance.now();
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - started) / 1_000).toFixed(1)} s  ${text}\n`);

say(`laying ${vendors} vendors with ${VERSIONS} versions each`);
const bed = await layBed(vendors, VERSIONS);
const figures: Figure[] = [];
say('HTTP');
figures.push(...(await httpFigures(bed, ms)));
say('lists');
figures.push(...(await readFigures(bed, vendors)));
say('rebuild');
figures.push(...(await rebuildFigures(bed)));
say('writes');
figures.push(...(await writeFigures(bed, ms)));
await bed.close();
say('start');
figures.push(...(await startFigures(values.quick ? 20_000 : 200_000)));
say('done');

process.stdout.write(`${table(figures)}\n`);
const environment = { node: process.version, vendors, quick: values.quick === true, at: new Date().toISOString() };
writeFileSync(values.json, `${JSON.stringify({ environment, figures }, null, 2)}\n`);
