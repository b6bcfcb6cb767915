import { suite } from 'uvu';
import { runOutageOf } from '../support/relayed-pair.ts';

const test = suite('a store is silent, or down for long');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: connected, but nothing comes through`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'choke')));
  });
}

/** Long enough that the stores' clients back off between attempts, if they do so. */
const LONG_MS = 40_000;

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: away for long`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'cut', LONG_MS)));
  });
}

test.run();
