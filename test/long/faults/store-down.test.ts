import { suite } from 'uvu';
import { runOutageOf } from '../../support/relayed-pair.ts';

const test = suite('a store is down');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: calls are unavailable, health names it, and all goes on by itself`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'cut')));
  });
}

test.run();
