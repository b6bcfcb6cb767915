import { suite } from 'uvu';
import { runOutageOf } from '../support/stores/relayed-pair.ts';

const test = suite('silent stores and long outages');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`calls are unavailable while ${store} is connected but silent, and succeed once it answers`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'stall')));
  });
}

/** Long enough that the stores' clients back off between attempts, if they do so. */
const LONG_MS = 40_000;

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`calls succeed soon after ${store} was down for ${LONG_MS / 1000} s`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'disconnect', LONG_MS)));
  });
}

test.run();
