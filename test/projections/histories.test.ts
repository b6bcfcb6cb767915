import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { approximateBytes } from '../../src/commands/engine/byte-cache.ts';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { applyStoredEvent } from '../../src/commands/engine/stream-state.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import type { ChangeDocument } from '../../src/projections/history/change-document.ts';
import { COLLECTIONS, modelOfStream, READ_MODELS } from '../../src/projections/models.ts';
import { historyOf } from '../../src/projections/read-models/read-model.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { history, playSteps } from '../support/histories/histories.ts';
import { readable } from '../support/histories/readable.ts';
import { dumpDocuments, ORGANIZATION, temporaryFolder } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';
import { createOrganization, writeVendor } from '../support/stores/write-events.ts';

type Document = Record<string, unknown>;

/** Every history has its own organizations, so all share two generations. */
const test = suite<{ folder: string; reads: ReadStore; models: ReadModels; others: ReadModels }>(
  'read models of random histories',
);

test.before(async (context) => {
  context.folder = temporaryFolder();
  context.reads = openSqliteReadStore(context.folder);
  context.models = await context.reads.open('one', COLLECTIONS);
  context.others = await context.reads.open('two', COLLECTIONS);
});

test.after(async ({ folder, reads }) => {
  await reads.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Applies a complete log at once. */
async function applyAll(store: MemoryEventStore, models: ReadModels): Promise<void> {
  const applier = new Applier(store, models, 'i');
  await applier.prepare();
  await applier.apply(store.log);
}

function logOf(log: readonly StoredEvent[], organization: string): StoredEvent[] {
  return log.filter((event) => event.metadata.organization_id === organization);
}

/** Computes log times by their definition. */
function logTimes(log: readonly StoredEvent[]): string[] {
  const times: string[] = [];
  for (const { metadata } of log) times.push([metadata.recorded_at, times.at(-1) ?? ''].sort()[1]!);
  return times;
}

/** Folds all records after each position from the beginning: slow, but obvious. */
function recordsAt(log: readonly StoredEvent[], position: number): Map<string, Document> {
  const records = new Map<string, Document>();
  for (const [index, event] of readable(log.slice(0, position)).entries()) {
    const model = modelOfStream(event.stream)!;
    const id = event.stream.slice(event.stream.indexOf('-') + 1);
    const before = records.get(id) ?? null;
    const state = applyStoredEvent(model.family, before as never, event);
    const { organization_id, recorded_at } = event.metadata;
    records.set(id, {
      ...state,
      ...model.derive?.(state, {}),
      id,
      organization_id,
      created_at: before?.created_at ?? recorded_at,
      updated_at: recorded_at,
      revision: event.revision + 1,
      position: index + 1,
      from_position: index + 1,
    });
  }
  return records;
}

const byId = (a: Document, b: Document) => (String(a.id) < String(b.id) ? -1 : 1);

test('number the log, store its time, and list what each event changed', async ({ models }) => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const { store, organizations } = await playSteps(steps);
      await applyAll(store, models);
      for (const organization of organizations)
        await assertChanges(models, organization, logOf(store.log, organization));
    }),
    { numRuns: 30 },
  );
});

async function assertChanges(models: ReadModels, organization: string, log: readonly StoredEvent[]): Promise<void> {
  const changes = (await dumpDocuments(models, [organization])).changes as ChangeDocument[];
  const numbers = changes.map(({ position }) => position);
  assert.equal(
    numbers,
    log.map((_, index) => index + 1),
  );
  const times = changes.map(({ log_time: logTime }) => logTime);
  assert.equal(times, logTimes(log));
  const proofs = changes.map(({ event_id, hash }) => [event_id, hash]);
  assert.equal(
    proofs,
    log.map(({ id, metadata }) => [id, metadata.hash]),
  );
  for (const change of changes) assertTells(log, change);
  const { position, logTime, bytes, storePosition, parked } = (await models.checkpoint(organization))!;
  assert.equal([position, logTime, storePosition, parked], [log.length, times.at(-1), log.at(-1)!.storePosition, 0]);
  assert.is(
    bytes,
    log.reduce((sum, { data }) => sum + approximateBytes(data), 0),
  );
}

/** Asserts that a change's from and to are the record's tracked fields just before and after it. */
function assertTells(log: readonly StoredEvent[], { position, record, changes }: ChangeDocument): void {
  const model = READ_MODELS.find(({ family }) => family.type === record.type)!;
  if (model.mapFields !== undefined) return;
  const before = recordsAt(log, position - 1).get(record.id) ?? {};
  const after = recordsAt(log, position).get(record.id)!;
  assert.is(record.name, after.name);
  const expected = model.family.historyFields
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] ?? null }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to));
  assert.equal(changes, expected);
}

test('store every version: spans touch, never overlap, and have the state of their time', async ({ models }) => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const { store, organizations } = await playSteps(steps);
      await applyAll(store, models);
      for (const organization of organizations)
        await assertHistory(models, organization, logOf(store.log, organization));
    }),
    { numRuns: 30 },
  );
});

/** Asserts that at every position each record has exactly the version of a naive fold. */
async function assertHistory(models: ReadModels, organization: string, log: readonly StoredEvent[]): Promise<void> {
  const naive = (position: number, isVersion: boolean) =>
    [...recordsAt(log, position).values()].map((record) => asProjected(record, isVersion)).sort(byId);
  for (let position = 0; position <= log.length; position++) {
    assert.equal(await versionsAt(models, organization, position), naive(position, true), `at ${position}`);
  }
  const all = await dumpDocuments(models, [organization]);
  const current = READ_MODELS.flatMap(({ family }) => all[family.plural] as Document[]);
  assert.equal(current.sort(byId), naive(log.length, false), 'now');
}

async function versionsAt(models: ReadModels, organizationId: string, position: number): Promise<Document[]> {
  const versions: Document[] = [];
  for (const { family } of READ_MODELS) {
    const documents = await models.find({
      collection: historyOf(family.plural),
      organizationId,
      where: [
        { key: 'from_position', op: 'range', lte: position },
        { key: 'until_position', op: 'range', gt: position },
      ],
      order: { key: null, direction: 'ASC' },
      limit: 1_000,
    });
    versions.push(...documents.map(({ doc }) => doc));
  }
  return versions.sort(byId);
}

/**
 * Returns the projected form. Organizations, too, have `owner_id` and `archived_at`, which are null. Their maps are rows:
 * see map-entries.test.ts.
 */
function asProjected(document: Document, isVersion: boolean): Document {
  const { largeMap, currentFields = [] } = READ_MODELS.find(({ family }) =>
    `${document.id}`.startsWith(family.prefix),
  )!;
  const absent = [largeMap?.field, ...(isVersion ? currentFields : [])];
  const fields = Object.entries(document).filter(([name]) => !absent.includes(name));
  return { owner_id: null, archived_at: null, ...Object.fromEntries(fields) };
}

test('are the same with any batches and restarts, and apply nothing twice', async (context) => {
  const cuts = fc.array(fc.record({ size: fc.integer({ min: 1, max: 20 }), restart: fc.boolean() }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, cuts, async (steps, batches) => {
      const { store, organizations } = await playSteps(steps);
      await applyAll(store, context.models);
      let applier = new Applier(store, context.others, 'i');
      let end = 0;
      for (const { size, restart } of [...batches, { size: store.log.length, restart: true }]) {
        if (restart) {
          applier = new Applier(store, context.others, 'i');
          await applier.prepare();
        }
        const from = restart ? 0 : end;
        end = Math.min(end + size, store.log.length);
        await applier.apply(store.log.slice(from, end));
      }
      assert.equal(
        await dumpDocuments(context.others, organizations),
        await dumpDocuments(context.models, organizations),
      );
    }),
    { numRuns: 30 },
  );
});

test('are committed in batches of a bounded size', async ({ reads }) => {
  const store = new MemoryEventStore();
  const handler = new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 366 });
  await createOrganization(handler);
  for (let n = 0; n < 1_198; n++) await writeVendor(handler, 'vnd_A', `Name ${n}`);
  for (let n = 0; n < 5; n++) await writeVendor(handler, `vnd_${n}`, 'x'.repeat(900_000));
  const sizes: number[] = [];
  const models = await reads.open('batches', COLLECTIONS);
  const applier = new Applier(store, models, 'i');
  await applier.prepare();
  await applier.apply(store.log, (count) => sizes.push(count));
  assert.equal(sizes, [500, 500, 202, 2, 1]);
  const { n, position } = applier.checkpoints.get(ORGANIZATION)!;
  assert.equal([n, position], [sizes.length, store.log.length]);
});

test.run();
