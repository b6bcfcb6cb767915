import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callUntilAccepted, firstOrganization } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { startService } from '../support/service.ts';
import { checkStores } from '../support/stores/check-stores.ts';
import {
  canKillEventStore,
  type EventStoreProcess,
  startEventStoreProcess,
} from '../support/stores/event-store-server.ts';
import { Writers } from '../support/stores/writers.ts';

/** Kills and pauses a real EventStoreDB while a service writes. The fake stores nothing, so it can't replace it. */
const test = suite('a real EventStoreDB');

/** Faults, with the recovery from each. */
const FAULTS: Record<string, (server: EventStoreProcess) => Promise<void>> = {
  killed: async (server) => {
    await server.kill();
    await server.start();
  },
  paused: async (server) => {
    server.pause();
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    server.resume();
  },
};

for (const [what, suffer] of Object.entries(FAULTS)) {
  test(`${what}: no event is lost or duplicated`, async () => {
    const server = await startEventStoreProcess();
    const folder = mkdtempSync(join(tmpdir(), 'veritrail-real-'));
    const env = { DATA_DIR: join(folder, 'data'), EVENTSTORE_URL: server.url };
    const service = await startService(env);
    const { url, token } = service;
    const writers = await Writers.create(url, token, await firstOrganization(url, token));
    for (let round = 0; round < 3; round += 1) {
      const before = writers.acknowledgedCount;
      writers.start([url], token, 6);
      await until(() => writers.acknowledgedCount > before + 20, 20_000, 'writers make progress');
      await suffer(server);
      await callUntilAccepted(url, token, 'addVendor', writers.newAddition(`After ${round}`));
      await writers.stop();
    }
    await writers.repeat(url, token);
    assert.ok(writers.acknowledgedCount > 60);
    await service.stop();
    await checkStores(env, writers);
    await server.close();
    rmSync(folder, { recursive: true });
  });
}

if (canKillEventStore()) test.run();
