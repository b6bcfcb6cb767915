/** The thread that keeps a service's read models up to date. */
import type { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActiveGeneration } from '../../../src/projections/engine/active-generation.ts';
import { buildGeneration } from '../../../src/projections/engine/build-generation.ts';
import { callUntilAccepted, firstOrganization, getJson } from '../../support/mcp/call-tool.ts';
import { startHere } from '../../support/run/in-process.ts';
import { until } from '../../support/run/wait.ts';
import type { Running } from '../../support/service.ts';
import { checkStores } from '../../support/stores/check-stores.ts';
import { startPairs, withOpenPair } from '../../support/stores/pairs.ts';
import { Writers } from '../../support/stores/writers.ts';

const CRASHES = 2;
const WRITERS = 4;
const WRITES_PER_ROUND = 8;
const WAIT_MS = 20_000;

/** The threads that this process started, oldest first. */
const threads: Worker[] = [];
process.on('worker', (worker) => threads.push(worker));

async function projectionsOf({ url, token }: Running): Promise<{ state: string; role: string; generation: string }> {
  const { body } = await getJson(`${url}/api/mcp/v1/health`, token);
  return body.projections as { state: string; role: string; generation: string };
}

for (const pair of await startPairs()) {
  const test = suite<{ service: Running; writers: Writers }>(`the projection thread, on ${pair.name}`);

  test.before(async (context) => {
    const service = await startHere(pair.env);
    context.service = service;
    context.writers = await Writers.create(
      service.url,
      service.token,
      await firstOrganization(service.url, service.token),
    );
  });

  test('the service switches to a generation that another process built', async ({ service, writers }) => {
    const { url, token } = service;
    const before = await projectionsOf(service);
    assert.equal([before.state, before.role], ['SERVING', 'LEADER']);
    const built = await withOpenPair(pair.env, async ({ events, reads }) => {
      const { installation } = (await reads.sharedEntry<ActiveGeneration>('active'))!.value;
      return buildGeneration({ events, reads, installation });
    });
    await until(async () => (await projectionsOf(service)).generation === built.generation, WAIT_MS, 'the switch');
    const written = writers.acknowledgedCount;
    writers.start([url], token, 1);
    await until(() => writers.acknowledgedCount > written, WAIT_MS);
    await writers.stop();
    const { body } = await callUntilAccepted(url, token, 'listVendors', {
      organization_id: await firstOrganization(url, token),
    });
    assert.is((body.vendors as object[]).length, writers.vendors);
  });

  test('when it crashes, writes go on, and nothing is lost', async ({ service, writers }) => {
    const { url, token } = service;
    const isStarted = (count: number) => until(() => threads.length > count, WAIT_MS, 'the thread is started again');
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const before = writers.acknowledgedCount;
      const count = threads.length;
      writers.start([url], token, WRITERS);
      await until(() => writers.acknowledgedCount >= before + WRITES_PER_ROUND, WAIT_MS);
      // An uncaught exception. `terminate` could end the thread within libsql, which then aborts the whole process.
      threads.at(-1)!.postMessage(null);
      await isStarted(count);
      await until(() => writers.acknowledgedCount >= before + 2 * WRITES_PER_ROUND, WAIT_MS);
      await writers.stop();
    }
    await writers.repeat(url, token);
    await until(async () => (await projectionsOf(service)).state === 'SERVING', WAIT_MS, 'healthy again');
    await service.stop();
    assert.is(service.output().match(/a thread ended unexpectedly, restarting/g)?.length, CRASHES);
    await checkStores(pair.env, writers);
    await pair.close();
  });

  test.run();
}
