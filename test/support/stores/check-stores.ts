import * as assert from 'uvu/assert';
import type { ActiveGeneration } from '../../../src/projections/engine/active-generation.ts';
import { Applier } from '../../../src/projections/engine/applier.ts';
import { buildGeneration } from '../../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import type { ReadModels } from '../../../src/stores/read-store.ts';
import { verifyChain } from '../../../src/trail/index.ts';
import { readable } from '../histories/readable.ts';
import { dumpDocuments } from '../register.ts';
import { type OpenPair, withOpenPair } from './pairs.ts';
import type { Writers } from './writers.ts';

/** Reads the whole log, by stream. */
async function streamsOf(events: EventStore): Promise<Map<string, StoredEvent[]>> {
  const streams = new Map<string, StoredEvent[]>();
  for await (const batch of events.readAll(null)) {
    for (const event of batch) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  }
  return streams;
}

/**
 * Checks stores while no service runs on them. Every chain must verify. Every acknowledged write must be in the log, once.
 * The stored read models, with the rest of the log applied, must equal a rebuild, document for document.
 */
export async function checkStores(env: Record<string, string>, writers: Writers): Promise<void> {
  await withOpenPair(env, async (stores) => {
    const logged: string[] = [];
    for (const [stream, events] of await streamsOf(stores.events)) {
      assert.is(verifyChain(readable(events)), null);
      if (stream.startsWith('vendor-')) logged.push(...events.map(({ metadata }) => metadata.command_id));
    }
    const { acknowledged, unanswered } = writers.commands();
    const loggedIds = new Set(logged);
    assert.is(loggedIds.size, logged.length, 'a write is in the log twice');
    assert.equal(
      [...acknowledged].filter((id) => !loggedIds.has(id)),
      [],
      'acknowledged, but not in the log',
    );
    assert.equal(
      logged.filter((id) => !acknowledged.has(id) && !unanswered.has(id)),
      [],
      'in the log, but no writer sent it',
    );
    await checkRebuild(stores);
  });
}

/** Compares the stored read models, caught up, with a rebuild. The stored ones stay active. */
export async function checkRebuild({ events, reads }: OpenPair): Promise<void> {
  const activeBefore = (await reads.sharedEntry<ActiveGeneration>('active'))!.value;
  const models = await reads.open(activeBefore.generation, COLLECTIONS);
  const applier = new Applier(events, models, 'checked');
  await applier.prepare();
  const installation = [...applier.checkpoints.values()][0]!.installation;
  for await (const batch of events.readAll(applier.place!.storePosition)) await applier.apply(batch);
  const organizations = [...applier.checkpoints.keys()];
  const before = await dumpAll(models, organizations);

  const rebuilt = await buildGeneration({ events, reads, installation });
  const after = await dumpAll(await reads.open(rebuilt.generation, COLLECTIONS), organizations);
  const active = (await reads.sharedEntry<ActiveGeneration>('active'))!;
  assert.ok(await reads.compareAndSet('active', active.version, activeBefore));
  await reads.drop(rebuilt.generation);
  for (const name of Object.keys(after)) assert.equal(before[name], after[name], `${name}: stored and rebuilt`);
}

/** Returns all documents, and the parts of checkpoints that don't depend on the batches. */
async function dumpAll(models: ReadModels, organizations: string[]): Promise<Record<string, unknown>> {
  const checkpoints = (await models.checkpoints())
    .map(({ n: _, place: _place, ...rest }) => rest)
    .sort((a, b) => a.organizationId.localeCompare(b.organizationId));
  return { ...(await dumpDocuments(models, organizations)), checkpoints };
}
