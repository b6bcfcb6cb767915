import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../src/app/logger.ts';
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { until } from '../../support/run/wait.ts';
import { canStartMongo } from '../../support/stores/mongodb.ts';
import { startRelayedPair } from '../../support/stores/relayed-pair.ts';

const test = suite('stopping without a store');

/** Below the 30 s that our container configuration allows for a stop. */
const STOP_MS = 15_000;

for (const [store, isReady] of [
  ['MongoDB', false],
  ['EventStoreDB', false],
  ['MongoDB', true],
  ['EventStoreDB', true],
] as const) {
  test(`the service stops in time after ${store} goes down ${isReady ? 'in service' : 'during the start'}`, async () => {
    const relayed = (await startRelayedPair())!;
    const config = readConfig({ ...relayed.pair.env, PORT: '0' }, '/nowhere');
    const logger = createLogger('silent');
    await (await startApp(config, logger)).stop();

    const app = await startApp(config, logger);
    if (isReady) await until(async () => (await fetch(`http://127.0.0.1:${app.port}/readyz`)).ok);
    await (store === 'MongoDB' ? relayed.toMongo : relayed.toEventStore).disconnect();
    const startedAt = performance.now();
    const timeout = new Promise<string>((resolve) => setTimeout(resolve, STOP_MS, 'still there').unref());
    const outcome = await Promise.race([app.stop().then(() => 'stopped'), timeout]);
    console.log(`${Math.round(performance.now() - startedAt)} ms`);
    await relayed.pair.close();
    assert.is(outcome, 'stopped');
  });
}

if (canStartMongo()) test.run();
