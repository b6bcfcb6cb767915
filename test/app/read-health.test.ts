import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readHealth } from '../../src/app/read-health.ts';
import { StoreProblems } from '../../src/app/store-problems.ts';
import { StoreReplaced, StreamDamaged } from '../../src/stores/errors.ts';
import type { Stores } from '../../src/stores/open.ts';

const test = suite('health');

type Sources = Parameters<typeof readHealth>[1];

const NO_DIFFERENCES = { state: { differences: 0, failed: 0 } };
const REPORTING = { state: { state: 'FOLLOWING', lag_ms: 0 } } as const;
const healthOf = (stores: Stores, sources: Sources) => readHealth(stores, sources, NO_DIFFERENCES, REPORTING);

const projections = (
  facts: { ready: boolean; isFailing: boolean; organizations?: string[] },
  load = async (_stream: string) => undefined,
) =>
  ({
    projections: { organizations: [], ...facts, state: () => ({ state: 'as told' }) },
    handler: { load: (aggregate: { stream: string }) => load(aggregate.stream) },
    problems: new StoreProblems({ warn: () => undefined }),
    clock: { state: { status: 'TRUSTED', off_by_ms: 0, trusted_in_ms: 0 } },
  }) as unknown as Sources;

const JUMPED = { state: { status: 'JUMPED', off_by_ms: 3_600_000, trusted_in_ms: 12_000 } } as const;

const storesWith = (check: () => Promise<unknown>) =>
  ({
    events: { check },
    reads: { sharedEntry: async () => null },
    accounts: { check: async () => null },
  }) as unknown as Stores;

test('is degraded, and still serving, while the read models fail', async () => {
  const stores = storesWith(async () => null);
  const healthy = await healthOf(stores, projections({ ready: true, isFailing: false }));
  assert.equal([healthy.serving, healthy.degraded, healthy.projections], [true, false, { state: 'as told' }]);
  assert.equal(healthy.reconciliation, NO_DIFFERENCES.state);
  const failing = await healthOf(stores, projections({ ready: true, isFailing: true }));
  assert.equal([failing.serving, failing.degraded], [true, true]);
});

test('is not serving while a store is down, or before the read models have caught up', async () => {
  const down = storesWith(() => Promise.reject(new Error('away')));
  const { serving, stores } = await healthOf(down, projections({ ready: true, isFailing: false }));
  assert.equal([serving, stores], [false, { event_store: 'DOWN', read_store: 'UP', account_store: 'UP' }]);
  const starting = storesWith(async () => null);
  assert.is((await healthOf(starting, projections({ ready: false, isFailing: false }))).serving, false);
});

test('is degraded when a store was replaced, and says what to do', async () => {
  const replaced = storesWith(() => Promise.reject(new StoreReplaced('The file events.db was replaced.')));
  const health = await healthOf(replaced, projections({ ready: true, isFailing: false }));
  assert.equal(
    [health.serving, health.degraded, health.stores],
    [true, true, { event_store: 'REPLACED', read_store: 'UP', account_store: 'UP' }],
  );
  assert.equal(health.problems, [
    'The file events.db was replaced. Nothing is written any more. Stop the service, put the right data back, then start it again.',
  ]);
});

test('is degraded while an organization can not be sealed, without naming it to all callers', async () => {
  const stop = { organization_id: 'org_1', why: 'LOG', from: 3, until: 5 };
  const sharedEntry = async (name: string) => (name === 'seal-stops' ? { value: [stop], version: 1 } : null);
  const stores = { ...storesWith(async () => null), reads: { sharedEntry } } as unknown as Stores;
  const health = await healthOf(stores, projections({ ready: true, isFailing: false }));
  assert.equal([health.serving, health.degraded, health.sealStops], [true, true, [stop]]);
  assert.match(String(health.problems), /^Sealing of 1 organization has stopped, .+ Run "veritrail rebuild"\. /);
});

test('is not serving while the roles of no organization can be read, because every call would fail', async () => {
  const stores = storesWith(async () => null);
  const damaged = new Set(['organization-org_1']);
  const sources = projections({ ready: true, isFailing: false, organizations: ['org_1', 'org_2'] }, async (stream) => {
    if (damaged.has(stream)) throw new StreamDamaged(stream, 'it was deleted');
  });
  assert.is((await healthOf(stores, sources)).serving, true);
  damaged.add('organization-org_2');
  sources.problems.report(new StreamDamaged('organization-org_2', 'it was deleted'));
  const { serving, problems } = await healthOf(stores, sources);
  assert.equal(
    [serving, problems],
    [false, ['A stored history is damaged: it was deleted. The log names its stream.']],
  );
});

test('is degraded while the clock is in doubt, and says how that ends', async () => {
  const sources = { ...projections({ ready: true, isFailing: false }), clock: JUMPED } as unknown as Sources;
  const health = await healthOf(
    storesWith(async () => null),
    sources,
  );
  assert.equal([health.serving, health.degraded, health.clock], [true, true, JUMPED.state]);
  assert.equal(health.problems, [
    'The clock of this machine jumped. Writes wait until it is right, or has kept still for 30 s.',
  ]);
});

test.run();
