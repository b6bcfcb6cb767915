import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AppliedLeaves, toAppliedLeaves } from '../../src/projections/transparency/applied-leaves.ts';
import { LogTrees } from '../../src/seal/log-trees.ts';
import type { StoredEvent, StorePosition } from '../../src/stores/event-store.ts';
import { chainEvents } from '../../src/trail/hash.ts';
import { GrowingTree } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import * as merkle from '../../src/trail/seals/merkle.ts';

const test = suite('log trees');

const ORGANIZATIONS = ['org_a', 'org_b', 'org_c'];
const EVENTS = 40;

/** Events of three organizations in turn, at the store positions 000, 001 … */
const LOG: readonly StoredEvent[] = Array.from({ length: EVENTS }, (_, n) => {
  const [event] = chainEvents(nodeCrypto, {
    stream: `vendor-${n}`,
    revision: -1,
    previousHash: null,
    metadata: {
      organization_id: ORGANIZATIONS[(n * n) % ORGANIZATIONS.length]!,
      actor_id: 'acc_a',
      token_id: null,
      client: null,
      command_id: `c${n}`,
      correlation_id: `c${n}`,
      causation_id: null,
      recorded_at: '2026-01-01T00:00:00.000Z',
    },
    input: {},
    newEvents: [{ type: 'VendorAdded', data: {} }],
    schemaVersion: () => 1,
  });
  return { ...event!, storePosition: String(n).padStart(3, '0') as StorePosition };
});

const place = (count: number): StorePosition | null => (count === 0 ? null : LOG[count - 1]!.storePosition);
const leavesBetween = (from: number, to: number): AppliedLeaves => toAppliedLeaves(place(from), LOG.slice(from, to));

/** Returns the root over an organization's events among the first `count` of the log. */
function rootAfter(organizationId: string, count: number): string {
  const tree = new GrowingTree();
  for (const { metadata } of LOG.slice(0, count))
    if (metadata.organization_id === organizationId) tree.append(metadata.hash);
  return tree.root();
}

/** Starts trees from nothing, on a log whose readings are counted. */
function startTrees(onRead: () => void = () => undefined) {
  let readings = 0;
  const trees = new LogTrees({
    compareStorePositions: (a, b) => a.localeCompare(b),
    async *readAll(after) {
      readings += 1;
      for (
        let from = LOG.findIndex(({ storePosition }) => storePosition > (after ?? ''));
        from >= 0 && from < EVENTS;
      ) {
        yield LOG.slice(from, from + 3);
        from += 3;
        onRead();
      }
    },
  });
  for (const id of ORGANIZATIONS) trees.set(id, new merkle.GrowingTree(nodeCrypto), null);
  return { trees, readings: () => readings };
}

test('after one reading, trees grow with the received leaves', async () => {
  const { trees, readings } = startTrees();
  trees.receive(leavesBetween(5, 10));
  await trees.catchUp(ORGANIZATIONS, place(10)!);
  for (let from = 10; from < EVENTS; from += 5) {
    trees.receive(leavesBetween(from, from + 5));
    await trees.catchUp(ORGANIZATIONS, place(from + 5)!);
  }
  assert.is(readings(), 1);
  for (const id of ORGANIZATIONS) assert.is(trees.get(id)!.tree.root(), rootAfter(id, EVENTS));
});

test('leaves that come during a reading are neither missed nor added twice', async () => {
  let received = 4;
  const { trees, readings } = startTrees(() => {
    if (received < 30) trees.receive(leavesBetween(received, received + 4));
    received += 4;
  });
  trees.receive(leavesBetween(0, 4));
  await trees.catchUp(ORGANIZATIONS, place(4)!);
  assert.is(readings(), 1);
  for (const id of ORGANIZATIONS) assert.is(trees.get(id)!.tree.root(), rootAfter(id, Math.min(received, 32)));
});

test('trees equal the log, whatever leaves come twice, late or not at all', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('receive', 'skip', 'back', 'read'), fc.integer({ min: 1, max: 6 })), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { trees } = startTrees();
      let applied = 0;
      for (const [step, count] of all) {
        const next = Math.min(applied + count, EVENTS);
        if (step === 'receive' && next > applied) trees.receive(leavesBetween(applied, next));
        if (step === 'receive' || step === 'skip') applied = next;
        if (step === 'back') applied = Math.max(applied - count, 0);
        if (step !== 'read' || applied === 0) continue;
        await trees.catchUp(ORGANIZATIONS, place(applied)!);
        for (const id of ORGANIZATIONS) {
          const { tree, lastEvent } = trees.get(id)!;
          const end = LOG.findIndex(({ storePosition }) => storePosition === lastEvent) + 1;
          assert.is(tree.root(), rootAfter(id, end));
          assert.ok(tree.size >= sizeAfter(id, applied), 'no event up to the place asked for is missing');
        }
      }
    }),
  );
});

function sizeAfter(organizationId: string, count: number): number {
  return LOG.slice(0, count).filter(({ metadata }) => metadata.organization_id === organizationId).length;
}

test.run();
