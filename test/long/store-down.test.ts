import { suite } from 'uvu';
import { canStartMongo } from '../support/stores/mongodb.ts';
import { runOutageOf } from '../support/stores/relayed-pair.ts';

const test = suite('silent stores and outages');

/** Long enough that the stores' clients back off between attempts, if they do so. */
const LONG_MS = 40_000;

for (const [outage, fault, lastingMs] of [
  ['is connected but silent', 'stall', 0],
  ['is down', 'disconnect', 0],
  [`is down for ${LONG_MS / 1000} s`, 'disconnect', LONG_MS],
] as const) {
  test(`calls are unavailable while a store ${outage}, and succeed soon after it answers`, async () => {
    const recoveries = (['EventStoreDB', 'MongoDB'] as const).map((store) => runOutageOf(store, fault, lastingMs));
    console.log(JSON.stringify(await Promise.all(recoveries)));
  });
}

if (canStartMongo()) test.run();
