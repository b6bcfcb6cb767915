import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProgressReport } from '../../src/projections/engine/generation-progress.ts';
import { FollowedProjections, type ProgressWait } from '../../src/projections/followed-projections.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { StorePosition } from '../../src/stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../../src/stores/read-store.ts';
import { until } from '../support/run/wait.ts';

const ORGANIZATION = 'org_1';
const WAIT_MS = 5_000;
const at = (position: number) => String(position) as StorePosition;

interface Context {
  projections: FollowedProjections;
  /** Calls of the other thread's projections. */
  calls: (string | ProgressWait)[];
  opened: string[];
  closed: string[];
  /** Failures of the next calls of `open`. */
  failures: Error[];
  /** Calls of `open` for these generations wait for the promise. */
  delays: Map<string, Promise<void>>;
}

const test = suite<Context>('projections that follow another thread');

test.before.each((context) => {
  const { calls, closed, failures } = Object.assign(context, { calls: [], closed: [], failures: [] as Error[] });
  context.opened = [];
  context.delays = new Map();
  const open = async (generation: string) => {
    context.opened.push(generation);
    await context.delays.get(generation);
    const failure = failures.shift();
    if (failure) throw failure;
    return { generation, close: async () => void (closed as string[]).push(generation) } as unknown as ReadModels;
  };
  context.projections = new FollowedProjections({
    events: { compareStorePositions: (a, b) => Number(a) - Number(b) },
    reads: { open },
    remote: {
      start: (installation) => (calls as string[]).push(`start ${installation}`),
      expect: (wait) => (calls as ProgressWait[]).push(wait),
      stop: async () => void (calls as string[]).push('stop'),
    },
    exclusive: true,
    now: () => new Date(),
    log: { info: () => undefined, warn: () => undefined },
  });
});
test.after.each(({ projections }) => projections.stop());

function checkpoint(n: number): Checkpoint {
  const storePosition = at(n);
  return {
    organizationId: ORGANIZATION,
    n,
    storePosition,
    position: n,
    logTime: '',
    bytes: 0,
    parked: n,
    outOfOrder: 0,
    installation: '',
    place: null,
  };
}

function report(changes: Partial<ProgressReport> = {}): ProgressReport {
  return {
    role: 'LEADER',
    caughtUpAt: 1_000,
    lastError: null,
    isStoreDown: false,
    pendingSince: null,
    checkpoints: [],
    applied: null,
    ...changes,
  };
}

/** Starts, and serves the generation `one` at position 1. */
async function serveOne({ projections }: Context): Promise<void> {
  const started = projections.start('installation');
  projections.receive({ type: 'serving', generation: 'one', report: report({ checkpoints: [checkpoint(1)] }) });
  await started;
}

test('serve nothing before the other thread does, and say how far its build is', async (context) => {
  const { projections, calls, failures } = context;
  assert.throws(
    () => projections.models,
    (error: unknown) => error instanceof StoreUnavailable,
  );
  projections.receive({ type: 'building', progress: { events: 500, phase: 'EVENTS' } });
  assert.equal(projections.state(), { state: 'BUILDING', events: 500, phase: 'EVENTS' });
  projections.receive({ type: 'building', progress: null });
  failures.push(new StoreUnavailable('down for a moment'));
  await serveOne(context);
  assert.equal(calls, ['start installation']);
  assert.equal(
    [projections.models.generation, projections.organizations, projections.ready],
    ['one', [ORGANIZATION], true],
  );
  const { state, role, parked_events } = projections.state() as Record<string, unknown>;
  assert.equal([state, role, parked_events], ['SERVING', 'LEADER', 1]);
});

test('waits end with the notice of their progress, or with their time', async (context) => {
  const { projections, calls } = context;
  await serveOne(context);
  const projected = projections.waitUntilProjected(ORGANIZATION, at(2), WAIT_MS);
  const caughtUp = projections.progress.waitUntilCaughtUp(2_000, WAIT_MS);
  assert.not(await projections.waitUntilProjected(ORGANIZATION, at(3), 10));
  projections.receive({ type: 'progress', generation: 'one', report: report({ checkpoints: [checkpoint(2)] }) });
  assert.ok(await projected);
  projections.receive({ type: 'progress', generation: 'one', report: report({ caughtUpAt: 2_000 }) });
  assert.ok(await caughtUp);
  assert.ok(await projections.progress.waitUntilCaughtUp(2_000, WAIT_MS));
  // A leader applies events without being asked.
  assert.equal(calls.slice(1), [{ moment: 2_000, ms: WAIT_MS }]);
});

test('while the other thread’s runner follows another instance, it learns of each wait', async (context) => {
  const { projections, calls } = context;
  await serveOne(context);
  projections.receive({ type: 'progress', generation: 'one', report: report({ role: 'FOLLOWER' }) });
  const projected = projections.waitUntilProjected(ORGANIZATION, at(2), WAIT_MS);
  assert.equal(calls.at(-1), { organizationId: ORGANIZATION, storePosition: '2', ms: WAIT_MS });
  projections.receive({ type: 'progress', generation: 'one', report: report({ checkpoints: [checkpoint(2)] }) });
  assert.ok(await projected);
});

test('a wait goes on across a switch of the generation', async (context) => {
  const { projections } = context;
  await serveOne(context);
  const projected = projections.waitUntilProjected(ORGANIZATION, at(2), WAIT_MS);
  projections.receive({ type: 'serving', generation: 'two', report: report() });
  projections.receive({ type: 'progress', generation: 'two', report: report({ checkpoints: [checkpoint(1)] }) });
  await until(() => projections.models.generation === 'two');
  projections.receive({ type: 'progress', generation: 'two', report: report({ checkpoints: [checkpoint(2)] }) });
  assert.ok(await projected);
});

test('a generation that is replaced while it is opened is not served', async (context) => {
  const { projections, opened, closed, delays } = context;
  let openTwo = (): void => undefined;
  delays.set(
    'two',
    new Promise((resolve) => {
      openTwo = resolve;
    }),
  );
  await serveOne(context);
  projections.receive({ type: 'serving', generation: 'two', report: report() });
  await until(() => opened.includes('two'));
  projections.receive({ type: 'serving', generation: 'three', report: report() });
  openTwo();
  await until(() => projections.models.generation === 'three');
  assert.equal(closed, ['two']);
  projections.receive({ type: 'progress', generation: 'three', report: report({ checkpoints: [checkpoint(7)] }) });
  assert.ok(await projections.waitUntilProjected(ORGANIZATION, at(7), WAIT_MS));
});

test('while the other thread is started again, they serve what they have', async (context) => {
  const { projections } = context;
  await serveOne(context);
  const { models } = projections;
  projections.remoteEnded();
  const { state, role } = projections.state() as Record<string, unknown>;
  assert.equal([state, role, projections.ready, projections.isFailing], ['FAILING', 'FOLLOWER', true, true]);
  const projected = projections.waitUntilProjected(ORGANIZATION, at(2), WAIT_MS);
  projections.receive({
    type: 'serving',
    generation: 'one',
    report: report({ caughtUpAt: 0, checkpoints: [checkpoint(2)] }),
  });
  assert.ok(await projected);
  assert.is(projections.models, models);
  assert.is(projections.progress.caughtUpAt, 1_000);
  assert.is((projections.state() as { state: string }).state, 'SERVING');
  assert.is(projections.isFailing, false);
});

test('a stop ends all waits and the start, and closes the read models', async (context) => {
  const { projections, calls, closed } = context;
  await serveOne(context);
  const projected = projections.waitUntilProjected(ORGANIZATION, at(2), WAIT_MS);
  await projections.stop();
  assert.not(await projected);
  assert.equal([calls.at(-1), closed], ['stop', ['one']]);
});

test('a stop before anything is served ends the start', async ({ projections }) => {
  const started = projections.start('installation');
  await projections.stop();
  await started;
  assert.not(projections.ready);
});

test.run();
