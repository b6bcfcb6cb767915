import { suite } from 'uvu';
import { goThroughWithout } from '../support/faults-relays.ts';

const test = suite('a store is silent');

for (const store of ['EventStoreDB', 'MongoDB'] as const) {
  test(`${store}: connected, but nothing comes through`, async () => {
    console.log(JSON.stringify(await goThroughWithout(store, 'choke')));
  });
}

test.run();
