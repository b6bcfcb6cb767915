/** Builds that stand still and are given up meanwhile, on each kind of read store. Nobody serves what they leave. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { activeGeneration, buildsOf, switchTo } from '../../src/projections/engine/active-generation.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { isComplete } from '../../src/projections/engine/is-complete.ts';
import { UnusedGenerations } from '../../src/projections/engine/unused-generations.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../../src/projections/models.ts';
import { Projections } from '../../src/projections/projections.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { INSTALLATION_ID, ORGANIZATION, SILENT_LOG } from '../support/register.ts';
import { rejection } from '../support/run/take.ts';
import { until } from '../support/run/wait.ts';
import { handlerOn } from '../support/stores/log-suite.ts';
import { type OpenPair, type Pair, startPairs, withOpenPair } from '../support/stores/pairs.ts';
import { createOrganization, writeVendor } from '../support/stores/write-events.ts';
import { withOverrides } from '../support/with-overrides.ts';

/** The observer's clock goes on by this much between two looks. */
const LOOK_MS = 5_000;
const VENDORS = 20;

/** Steps of a build before which it can stand still. */
const STEPS = ['buildIndexes', 'close', 'switch'] as const;

for (const pair of await startPairs()) define(pair);

function define(pair: Pair): void {
  const test = suite(`builds that are given up, on ${pair.name}`);

  test.before(() =>
    withOpenPair(pair.env, async ({ events }) => {
      const handler = handlerOn(events);
      await createOrganization(handler);
      for (let n = 0; n < VENDORS; n++) await writeVendor(handler, `vnd_${n}`);
    }),
  );
  test.after(() => pair.close());

  for (const step of STEPS) {
    test(`a build that is dropped before its step ${step} fails, and the old generation stays`, async () => {
      await withOpenPair(pair.env, async (open) => {
        const before = await servedGeneration(open);
        // The builder has stores of its own, as another process has.
        await withOpenPair(pair.env, async (builder) => {
          const { reads, pause } = standStillBefore(step, builder.reads);
          const building = rejection(buildGeneration({ ...builder, reads, installation: INSTALLATION_ID }));
          const dropped = await pause.reached;
          await giveUp(open.reads, before);
          assert.equal(await open.reads.generations(), [before], `${dropped} is dropped`);
          pause.end();
          assert.instance(await building, Error);
        });
        assert.is((await activeGeneration(open.reads))?.generation, before);
        assert.ok(await isComplete(open.events, open.reads, before));
        assert.equal(await open.reads.generations(), [before]);
      });
    });
  }

  test('a build that goes on is not given up, however long it takes', async () => {
    await withOpenPair(pair.env, async (open) => {
      const before = await servedGeneration(open);
      const { reads, pause } = standStillBefore('switch', open.reads, { isSlow: true });
      const building = buildGeneration({ ...open, reads, installation: INSTALLATION_ID });
      const slow = await pause.reached;
      let ms = 0;
      const observer = new UnusedGenerations(open.reads, () => ms);
      for (let look = 0; look < 3; look++) {
        const beat = (await open.reads.sharedEntry(`runner:${slow}`))!.version;
        await until(async () => (await open.reads.sharedEntry(`runner:${slow}`))!.version > beat);
        ms += 14_000;
        await observer.look(before);
      }
      pause.end();
      assert.is((await building).generation, slow);
      assert.ok(await isComplete(open.events, open.reads, slow));
    });
  });

  test('nobody can switch to a generation that isn’t being built', async () => {
    await withOpenPair(pair.env, async ({ reads, events }) => {
      const before = await servedGeneration({ reads, events });
      await reads.open('v0_other', COLLECTIONS);
      const next = { generation: 'v0_other', version: PROJECTIONS_VERSION, installation: INSTALLATION_ID };
      assert.is((await switchTo(reads, before, next)).generation, before);
      await reads.drop('v0_other');
    });
  });

  test('a generation that was emptied is neither complete nor served, also after new events', async () => {
    await withOpenPair(pair.env, async (open) => {
      const before = await servedGeneration(open);
      const projections = await startProjections(open);
      assert.is(projections.models.generation, before);
      await projections.stop();
      await open.reads.drop(before);
      await (await open.reads.open(before, COLLECTIONS)).close();
      assert.not(await isComplete(open.events, open.reads, before));
      await writeVendor(handlerOn(open.events), 'vnd_after');
      const next = await startProjections(open);
      assert.is.not(next.models.generation, before);
      assert.is(await countVendors(next.models), VENDORS + 1);
      await next.stop();
    });
  });

  test.run();
}

/** Builds a generation if none is active, and returns the active one. */
async function servedGeneration({ events, reads }: Pick<OpenPair, 'events' | 'reads'>): Promise<string> {
  const active = await activeGeneration(reads);
  if (active !== null && active.generation !== '') return active.generation;
  return (await buildGeneration({ events, reads, installation: INSTALLATION_ID })).generation;
}

async function startProjections({ events, reads }: OpenPair): Promise<Projections> {
  const now = () => new Date();
  const projections = new Projections({ events, reads, exclusive: true, now, log: SILENT_LOG });
  await projections.start(INSTALLATION_ID);
  assert.ok(await projections.progress.waitUntilCaughtUp(Date.now(), 5_000));
  return projections;
}

async function countVendors(models: ReadModels): Promise<number> {
  const [count] = await models.count({ collection: 'vendors', organizationId: ORGANIZATION, where: [] });
  return count?.total ?? 0;
}

/** Looks for unused generations with a clock of its own, until only one is left. */
async function giveUp(reads: ReadStore, serving: string): Promise<void> {
  let ms = 0;
  const observer = new UnusedGenerations(reads, () => ms);
  for (; (await reads.generations()).length > 1 && ms < 300_000; ms += LOOK_MS) await observer.look(serving);
  assert.equal(buildsOf((await activeGeneration(reads))!), []);
}

/** Returns a read store whose builder stands still before a step. Unless it is only slow, it renews no lease any more. */
function standStillBefore(step: (typeof STEPS)[number], real: ReadStore, { isSlow = false } = {}) {
  let reach = (_generation: string) => {};
  let end = () => {};
  const reached = new Promise<string>((resolve) => {
    reach = resolve;
  });
  const goesOn = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isStill = false;
  let generation = '';
  const stand = async () => {
    isStill = !isSlow;
    reach(generation);
    await goesOn;
    isStill = false;
  };
  const reads = withOverrides(real, {
    open: async (name, collections, isBuilding) => {
      const models = await real.open(name, collections, isBuilding);
      if (!isBuilding) return models;
      generation = name;
      return withOverrides(models, {
        buildIndexes: async () => {
          if (step === 'buildIndexes') await stand();
          await models.buildIndexes();
        },
        close: async () => {
          if (step === 'close') await stand();
          await models.close();
        },
      });
    },
    compareAndSet: async (name, version, value) => {
      const isSwitch = name === 'active' && (value as { generation: string }).generation === generation;
      if (isSwitch && step === 'switch') await stand();
      else if (isStill) await goesOn;
      return real.compareAndSet(name, version, value);
    },
  } as Partial<ReadStore>);
  return { reads, pause: { reached, end: () => end() } };
}
