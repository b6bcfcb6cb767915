import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { positionAt, SETTLED_MS } from '../../../src/queries/moments/moment.ts';
import { type ReadProgress, Snapshot, type SnapshotOptions } from '../../../src/queries/moments/snapshot.ts';
import type { DocumentReads, MatchingDocument } from '../../../src/stores/read-store.ts';

const test = suite('settled positions');

const NOON = Date.UTC(2026, 2, 1, 12);

/** A snapshot whose newest event has the position that `find` returns. Each read takes a moment of `caughtUpAt`. */
function snapshotOf(find: () => number, progress: { caughtUpAt: number }): Snapshot {
  const models = {
    find: async () => [{ doc: { position: String(find()) } }] as unknown as MatchingDocument[],
  } as unknown as DocumentReads;
  const reader = Object.assign(progress, { waitUntilCaughtUp: async () => true, checkpoint: () => null });
  const options = { now: () => new Date(NOON + 60_000) } as unknown as SnapshotOptions;
  return new Snapshot(models, reader as unknown as ReadProgress, options);
}

test('a position is kept only if the read models had caught up before it was read', async () => {
  const progress = { caughtUpAt: NOON };
  let position = 1;
  const snapshot = snapshotOf(() => {
    // The leader catches up, with one more event, while the answer of the store is under way.
    progress.caughtUpAt = NOON + SETTLED_MS;
    return position++;
  }, progress);
  const time = new Date(NOON).toISOString();
  assert.is(await positionAt(snapshot, 'org_1', time), 1);
  assert.is(await positionAt(snapshot, 'org_1', time), 2, 'it may be another one after that');
  assert.is(await positionAt(snapshot, 'org_1', time), 2, 'and is kept from then on');
});

test.run();
