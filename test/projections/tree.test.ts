import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Applier } from '../../src/projections/engine/applier.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { readNodes } from '../../src/projections/transparency/organization-tree.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { provesConsistency, provesInclusion } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { consistencyPath, inclusionPath, rangeHash } from '../../src/trail/seals/merkle.ts';
import { consistencyProof, inclusionProof } from '../../src/trail/seals/proof.ts';
import { sealStream } from '../../src/trail/seals/seal-events.ts';
import { closeStores, dumpDocuments, openStores, temporaryFolder } from '../support/register.ts';
import { FIRST_KEY, ORGANIZATION, rootOf, SealedHistory } from '../support/trail/sealed-history.ts';

const test = suite('the Merkle tree in the read models');

/** Returns 700 events of streams without a read model, with seals between them. */
function longHistory(): StoredEvent[] {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  while (history.events.length < 700) {
    if (history.events.length % 97 === 96) history.seal(FIRST_KEY);
    else history.append(`strange-${history.events.length % 5}`, 'SomethingHappened', {});
  }
  return history.events.map((event, n) => ({
    ...event,
    storePosition: String(n + 1).padStart(9, '0') as StoredEvent['storePosition'],
  }));
}

const EVENTS = longHistory();
const MADE = new Map<string, Buffer>();
const head = (size: number) => ({ size, root: rootOf(EVENTS.slice(0, size), MADE) });

test('equals the log’s tree, wherever projection was interrupted, and proves inclusion and consistency', async () => {
  const folder = temporaryFolder();
  const stores = openStores(folder);
  const events = { ...stores.events, compareStorePositions: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0) };
  const atOnce = await stores.reads.open('whole', COLLECTIONS);
  await new Applier(events, atOnce, 'i').apply(EVENTS);
  const inBatches = await stores.reads.open('cuts', COLLECTIONS);
  for (const [from, to] of [
    [0, 1],
    [1, 31],
    [31, 33],
    [33, 64],
    [64, 255],
    [255, 600],
    [600, 700],
  ] as const) {
    const applier = new Applier(events, inBatches, 'i');
    await applier.prepare();
    await applier.apply(EVENTS.slice(from, to));
  }
  const [one, other] = [await dumpDocuments(atOnce, [ORGANIZATION]), await dumpDocuments(inBatches, [ORGANIZATION])];
  assert.equal([one.tree, one.seals], [other.tree, other.seals]);
  const sizes = fc.tuple(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 700 }));
  await fc.assert(
    fc.asyncProperty(sizes, async ([a, b]) => {
      const [position, size] = [Math.min(a, b), Math.max(a, b)];
      const all = { from: 0, to: size };
      const node = await readNodes(inBatches, ORGANIZATION, [all]);
      assert.is(rangeHash(nodeCrypto, all, node), head(size).root);
      const path = await readNodes(inBatches, ORGANIZATION, inclusionPath(position - 1, size));
      const { hash } = EVENTS[position - 1]!.metadata;
      assert.ok(provesInclusion(inclusionProof(nodeCrypto, position, size, path), hash, head(size)));
      const growth = await readNodes(inBatches, ORGANIZATION, consistencyPath(position, size));
      assert.ok(provesConsistency(consistencyProof(nodeCrypto, position, size, growth), head(position), head(size)));
    }),
    { numRuns: 60 },
  );
  const seals = EVENTS.filter(({ stream }) => stream === sealStream(ORGANIZATION)).length;
  assert.equal(
    [one.seals!.length, one.parked!.length],
    [seals, 700 - seals],
    'unknown events are parked, seals are not',
  );
  await closeStores(stores);
  rmSync(folder, { recursive: true, force: true });
});

test.run();
