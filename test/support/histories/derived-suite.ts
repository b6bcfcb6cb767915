import fc from 'fast-check';
import { suite, type uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGeneration } from '../../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import type { ReadModels, ReadStore } from '../../../src/stores/read-store.ts';
import { applyInBatches, assertFacts, assertStorable, assertVersions, readEverything } from './derived-checks.ts';
import { derivedHistory } from './derived-histories.ts';
import { playHistory } from './derived-player.ts';

interface Opened {
  reads: ReadStore;
  close(): Promise<void>;
}

export interface DerivedContext extends Opened {
  models: ReadModels;
  others: ReadModels;
}

/** Number of histories per test, and the maximum of actions in each. */
export interface SuiteSize {
  runs: number;
  actions: number;
  /** Compares facts at every nth position. The default is every one. */
  stride?: number;
}

/** Tests derived facts on a read store. Every history has its own organization, so all share two generations. */
export function derivedSuite(name: string, open: () => Promise<Opened>, size: SuiteSize): uvu.Test<DerivedContext> {
  const { runs: numRuns, actions, stride: every = 1 } = size;
  const test = suite<DerivedContext>(`derived facts, on ${name}`);
  test.before(async (context) => {
    Object.assign(context, await open());
    context.models = await context.reads.open('one', COLLECTIONS);
    context.others = await context.reads.open('two', COLLECTIONS);
    await context.models.buildIndexes();
  });
  test.after(({ close }) => close());

  test('derived facts agree with the log at every position', async ({ models }) => {
    const property = fc.asyncProperty(derivedHistory(actions), async (steps) => {
      const { store, organization } = await playHistory(steps);
      await applyInBatches(store, models);
      await assertFacts(models, organization, store.log, every);
      const all = await readEverything(models, organization);
      assertVersions(all);
      assertStorable(Object.values(all));
    });
    await fc.assert(property, { numRuns });
  });

  test('derived facts are the same for every batch size and after a rebuild', async ({ reads, models, others }) => {
    const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 });
    const property = fc.asyncProperty(derivedHistory(actions), cuts, fc.boolean(), async (steps, sizes, singly) => {
      const { store, organization } = await playHistory(steps);
      await applyInBatches(store, models);
      const liveDocuments = await readEverything(models, organization);
      await applyInBatches(store, others, singly ? store.log.map(() => 1) : sizes);
      assert.equal(await readEverything(others, organization), liveDocuments);
      const { generation } = await buildGeneration({ events: store, reads, installation: 'i' });
      const rebuiltModels = await reads.open(generation, COLLECTIONS);
      assert.equal(await readEverything(rebuiltModels, organization), liveDocuments);
      await rebuiltModels.close();
      await reads.drop(generation);
    });
    await fc.assert(property, { numRuns });
  });
  return test;
}
