import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { startApp } from '../../../src/start-app.ts';
import { startRelayedPair } from '../../support/relayed-pair.ts';
import { until } from '../../support/wait.ts';

const test = suite('stopping without a store');

/** An orchestrator waits longer: 30 s in our configuration. */
const STOP_MS = 15_000;

for (const [store, settled] of [
  ['MongoDB', false],
  ['EventStoreDB', false],
  ['MongoDB', true],
  ['EventStoreDB', true],
] as const) {
  test(`${store} goes away ${settled ? 'later' : 'while the read models are being opened'}: it stops soon all the same`, async () => {
    const ways = await startRelayedPair();
    if (ways === null) return;
    const config = readConfig({ ...ways.pair.env, PORT: '0' }, '/nowhere');
    const logger = createLogger('silent');
    await (await startApp(config, logger)).stop();

    const app = await startApp(config, logger);
    if (settled) await until(async () => (await fetch(`http://127.0.0.1:${app.port}/readyz`)).ok);
    await (store === 'MongoDB' ? ways.toMongo : ways.toEventStore).cut();
    const startedAt = performance.now();
    const late = new Promise<string>((resolve) => setTimeout(resolve, STOP_MS, 'still there').unref());
    const ended = await Promise.race([app.stop().then(() => 'stopped'), late]);
    console.log(`${Math.round(performance.now() - startedAt)} ms`);
    await ways.pair.close();
    assert.is(ended, 'stopped');
  });
}

test.run();
