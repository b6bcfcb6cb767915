import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandHandler } from '../../src/commands/engine/handler.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import { Runner, type RunnerOptions } from '../../src/projections/engine/runner.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import type { StorePosition } from '../../src/stores/event-store.ts';
import type { ReadModels } from '../../src/stores/read-store.ts';
import {
  closeStores,
  dumpDocuments,
  INSTALLATION_ID,
  ORGANIZATION,
  openStores,
  SILENT_LOG,
  type Stores,
  temporaryFolder,
} from './register.ts';
import { until } from './run/wait.ts';
import { handlerOn } from './stores/log-suite.ts';
import { createOrganization } from './stores/write-events.ts';

export interface RunnersContext {
  stores: Stores;
  handler: CommandHandler;
  /** Starts a runner on the one generation that all runners of a test share. */
  run(overrides?: Partial<RunnerOptions>): Promise<Runner>;
  /** Opens that generation with a new handle. */
  models(): Promise<ReadModels>;
}

/** Creates a suite in which each test has a log with one organization. It stops all runners after each test. */
export function runnersSuite(name: string) {
  const test = suite<RunnersContext & { folder: string; runners: Runner[] }>(name);
  test.before.each(async (context) => {
    context.folder = temporaryFolder();
    context.stores = openStores(context.folder);
    context.handler = handlerOn(context.stores.events);
    context.runners = [];
    context.models = () => context.stores.reads.open('g', COLLECTIONS);
    context.run = async (overrides = {}) => {
      const { events, reads } = context.stores;
      const models = await context.models();
      const parts = {
        events,
        reads,
        models,
        installation: INSTALLATION_ID,
        exclusive: false,
        now: () => new Date(),
        log: SILENT_LOG,
        ...overrides,
      };
      const runner = new Runner(parts);
      context.runners.push(runner);
      runner.start();
      return runner;
    };
    await createOrganization(context.handler);
  });
  test.after.each(async ({ folder, stores, runners }) => {
    await Promise.all(runners.map((runner) => runner.stop()));
    await closeStores(stores);
    rmSync(folder, { recursive: true, force: true });
  });
  return test;
}

export function waitUntilProjected(runner: Runner, storePosition: StorePosition, ms = 5_000): Promise<boolean> {
  return runner.waitUntilProjected(ORGANIZATION, storePosition, ms);
}

export function leads(runner: Runner): Promise<boolean> {
  return until(() => runner.role === 'LEADER', 5_000, 'the runner leads');
}

/** Asserts that the read models equal those of a single pass over the log, from the beginning. */
export async function assertEqualsSinglePass({ stores, models }: RunnersContext): Promise<void> {
  const rebuilt = await stores.reads.open(`fresh-${Math.random()}`, COLLECTIONS);
  const applier = new Applier(stores.events, rebuilt, INSTALLATION_ID);
  for await (const batch of stores.events.readAll(null)) await applier.apply(batch);
  assert.equal(await dumpDocuments(await models()), await dumpDocuments(rebuilt));
}
