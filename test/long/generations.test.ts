import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActiveGeneration } from '../../src/projections/engine/active-generation.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../../src/projections/models.ts';
import { Projections } from '../../src/projections/projections.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import {
  type Answer,
  closeStores,
  dumpDocuments,
  INSTALLATION_ID,
  ORGANIZATION,
  openStores,
  SILENT_LOG,
  type Stores,
  startRegister,
  type TestRegister,
  temporaryFolder,
} from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { rejection } from '../support/run/take.ts';
import { until } from '../support/run/wait.ts';
import { handlerOn } from '../support/stores/log-suite.ts';
import { writeVendor } from '../support/stores/write-events.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = registerSuite('generations of read models', 'EACH');

async function add({ call }: TestRegister, name: string): Promise<Answer> {
  const answer = await call('addVendor', { organization_id: ORGANIZATION, name });
  assert.not('error' in answer, JSON.stringify(answer));
  assert.not('pending' in answer, 'a write can be read immediately');
  return answer;
}

function rebuild(
  { stores }: TestRegister,
  overrides: Partial<Parameters<typeof buildGeneration>[0]> = {},
): Promise<ActiveGeneration> {
  return buildGeneration({ ...stores, installation: INSTALLATION_ID, ...overrides });
}

async function activeIn({ stores }: TestRegister): Promise<ActiveGeneration> {
  return (await stores.reads.sharedEntry<ActiveGeneration>('active'))!.value;
}

test('a rebuilt generation equals the updated one', async ({ register }) => {
  const { vendor } = (await add(register, 'Unicloud')) as { vendor: { id: string } };
  await register.call('reviewVendor', { id: vendor.id, outcome: 'REJECTED', reason: 'no' });
  await register.call('addRisk', { organization_id: ORGANIZATION, name: 'Fire', inherent_impact: 2 });
  await register.call('archiveRecords', { ids: [vendor.id], action: 'ARCHIVE', reason: 'gone' });
  const expected = await dumpDocuments(register.projections.models);
  const phases: string[] = [];
  let events = 0;
  const { generation } = await buildGeneration({
    ...register.stores,
    installation: INSTALLATION_ID,
    onPhase: (phase) => phases.push(phase),
    onProgress: (count) => {
      events = count;
    },
  });
  assert.equal([phases, events], [['EVENTS', 'INDEXES'], 6]);
  assert.equal(await dumpDocuments(await register.stores.reads.open(generation, COLLECTIONS)), expected);
});

test('a generation is built while the service writes, and becomes active within seconds', async ({ register }) => {
  const { projections, stores } = register;
  const old = projections.models.generation;
  let writeCount = 0;
  let writing = true;
  const writer = (async () => {
    while (writing) await add(register, `Vendor ${writeCount++}`);
  })();
  await until(() => writeCount > 20);
  const { generation, version } = await rebuild(register);
  assert.equal([(await activeIn(register)).generation, version], [generation, PROJECTIONS_VERSION]);
  await until(() => projections.models.generation === generation, 5_000, 'the service has switched');
  const atSwitch = writeCount;
  await until(() => writeCount > atSwitch + 20);
  writing = false;
  await writer;
  assert.is.not(old, generation);
  const { total } = await register.call('listVendors', { organization_id: ORGANIZATION, view: 'COUNT' });
  assert.is(total, writeCount);
  const rebuilt = await rebuild(register);
  const newGeneration = await stores.reads.open(rebuilt.generation, COLLECTIONS);
  assert.equal(await dumpDocuments(projections.models), await dumpDocuments(newGeneration));
});

/** Starts projections again on the same stores. */
async function startProjections(
  { stores }: TestRegister,
  installation = INSTALLATION_ID,
  reads = stores.reads,
): Promise<Projections> {
  const projections = new Projections({ ...stores, reads, exclusive: true, now: () => new Date(), log: SILENT_LOG });
  await projections.start(installation);
  assert.ok(await projections.progress.waitUntilCaughtUp(Date.now(), 5_000));
  return projections;
}

test('a generation of this version and log is used again; any other is rebuilt', async ({ register }) => {
  const { projections, stores } = register;
  await add(register, 'Unicloud');
  const expected = await dumpDocuments(projections.models);
  const { generation } = projections.models;
  await projections.stop();
  const restarted = await startProjections(register);
  assert.is(restarted.models.generation, generation);
  await restarted.stop();
  for (const other of [{ version: PROJECTIONS_VERSION - 1 }, { installation: 'another log' }]) {
    const { value, version } = (await stores.reads.sharedEntry<ActiveGeneration>('active'))!;
    assert.ok(await stores.reads.compareAndSet('active', version, { ...value, ...other }));
    const anew = await startProjections(register);
    assert.is.not(anew.models.generation, value.generation);
    assert.equal(await activeIn(register), {
      generation: anew.models.generation,
      version: PROJECTIONS_VERSION,
      installation: INSTALLATION_ID,
    });
    assert.equal(await dumpDocuments(anew.models), expected);
    await anew.stop();
  }
});

test('a build stops when it is aborted, and leaves no data', async ({ register }) => {
  const { projections, stores } = register;
  await add(register, 'Unicloud');
  const stopping = new AbortController();
  const reason = new StoreUnavailable('the service is stopping');
  const building = rebuild(register, { signal: stopping.signal, onPhase: () => stopping.abort(reason) });
  assert.is(await rejection(building), reason);
  assert.equal(await stores.reads.generations(), [projections.models.generation]);
});

test('two concurrent builds end with one generation', async ({ register }) => {
  await add(register, 'Unicloud');
  const old = register.projections.models.generation;
  const [one, two] = await Promise.all([rebuild(register), rebuild(register)]);
  assert.equal(one, two);
  const newGenerations = (await register.stores.reads.generations()).filter((name) => name !== old);
  assert.equal(newGenerations, [one!.generation]);
});

test('a failed build leaves no data, and the current generation stays active', async ({ register }) => {
  const { projections, stores } = register;
  const old = projections.models.generation;
  const failing = (models: ReadModels) =>
    withOverrides(models, { buildIndexes: () => Promise.reject(new StoreUnavailable('full')) });
  const reads = withOverrides(stores.reads, { open: async (...args) => failing(await stores.reads.open(...args)) });
  assert.instance(await rejection(rebuild(register, { reads })), StoreUnavailable);
  assert.equal(await stores.reads.generations(), [old]);
  assert.is((await activeIn(register)).generation, old);
  await add(register, 'Unicloud');
});

test.run();

const start = suite('starting the projections');

start('retries while the read store is unavailable', async () => {
  const folder = temporaryFolder();
  const first = await startRegister(folder);
  await first.stop();
  const stores = openStores(folder);
  let away = 1;
  const reads = withOverrides(stores.reads, {
    sharedEntry: async (name: string) => {
      if (away-- > 0) throw new StoreUnavailable('away');
      return stores.reads.sharedEntry(name);
    },
  } as Partial<ReadStore>);
  const projections = new Projections({ ...stores, reads, exclusive: true, now: () => new Date(), log: SILENT_LOG });
  assert.throws(
    () => projections.models,
    (error: unknown) => error instanceof StoreUnavailable,
  );
  assert.equal(projections.state(), { state: 'BUILDING' });
  projections.expect({ moment: Date.now(), ms: 1 });
  assert.not(projections.ready);
  await projections.start(INSTALLATION_ID);
  assert.ok(await projections.progress.waitUntilCaughtUp(Date.now(), 5_000));
  assert.ok(projections.ready);
  assert.equal(projections.organizations, [ORGANIZATION]);
  await projections.stop();
  await closeStores(stores);
  rmSync(folder, { recursive: true });
});

start(
  'builds another generation if the active one stays locked, as by a rebuild that hangs while it ends',
  async () => {
    const folder = temporaryFolder();
    const first = await startRegister(folder);
    const { generation } = first.projections.models;
    await add(first, 'Unicloud');
    await first.stop();
    const stores = openStores(folder);
    const reads = withOverrides(stores.reads, {
      open: async (name, ...rest) => {
        if (name === generation) throw new StoreUnavailable('another process has locked the file');
        return stores.reads.open(name, ...rest);
      },
    } as Partial<ReadStore>);
    const projections = new Projections({ ...stores, reads, exclusive: true, now: () => new Date(), log: SILENT_LOG });
    await projections.start(INSTALLATION_ID);
    assert.is.not(projections.models.generation, generation);
    assert.ok(await projections.progress.waitUntilCaughtUp(Date.now(), 5_000));
    const [count] = await projections.models.count({ collection: 'vendors', organizationId: ORGANIZATION, where: [] });
    assert.is(count!.total, 1);
    await projections.stop();
    await closeStores(stores);
    rmSync(folder, { recursive: true });
  },
);

start.run();

const shared = suite('a switch of two instances');

shared('is never seen: what one has acknowledged, the other reads at once', async () => {
  const folder = temporaryFolder();
  const first = await startRegister(folder);
  await first.stop();
  const stores = openStores(folder);
  const instances = await Promise.all([startInstance(stores), startInstance(stores)]);
  const handler = handlerOn(stores.events);
  const { generation } = await buildGeneration({ ...stores, installation: INSTALLATION_ID });
  const misses: string[] = [];
  let writes = 0;
  const isSwitched = () => instances.every(({ models }) => models.generation === generation);
  for (let rest = 20; rest > 0; writes++) {
    if (isSwitched()) rest -= 1;
    const [writer, reader] = writes % 2 === 0 ? instances : [...instances].reverse();
    const position = await writeVendor(handler, `vnd_${writes}`);
    if (!(await writer!.waitUntilProjected(ORGANIZATION, position, 5_000))) continue;
    const served = reader!.models;
    const [read] = await served.get('vendors', [`vnd_${writes}`]);
    if (read === undefined)
      misses.push(`${position} in ${served.generation}, written through ${writer!.models.generation}`);
    await delay(20);
  }
  assert.equal(misses, [], `of ${writes} writes`);
  await Promise.all(instances.map((instance) => instance.stop()));
  await closeStores(stores);
  rmSync(folder, { recursive: true });
});

async function startInstance(stores: Stores): Promise<Projections> {
  const projections = new Projections({ ...stores, exclusive: false, now: () => new Date(), log: SILENT_LOG });
  await projections.start(INSTALLATION_ID);
  assert.ok(await projections.progress.waitUntilCaughtUp(Date.now(), 10_000));
  return projections;
}

shared.run();
