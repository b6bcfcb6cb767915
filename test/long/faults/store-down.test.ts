import { suite } from 'uvu';
import { canStartMongo } from '../../support/stores/mongodb.ts';
import { runOutageOf } from '../../support/stores/relayed-pair.ts';

const test = suite('a store is down');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`while ${store} is down, calls are unavailable and health names it; the service recovers by itself`, async () => {
    console.log(JSON.stringify(await runOutageOf(store, 'disconnect')));
  });
}

if (canStartMongo()) test.run();
