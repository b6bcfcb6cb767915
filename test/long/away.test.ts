import { suite } from 'uvu';
import { runOutageOf } from '../support/relayed-pair.ts';

const test = suite('a store is silent, or away for long');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: connected, but nothing comes through`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'choke')));
  });
}

/** Long enough that clients of the stores wait long between two attempts, if they do. */
const LONG_MS = 40_000;

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: away for long`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'cut', LONG_MS)));
  });
}

test.run();
