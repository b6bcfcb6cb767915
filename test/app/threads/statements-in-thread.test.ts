import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReadStatement, readInThread } from '../../../src/app/threads/statements-in-thread.ts';
import { Reader, type ServedGeneration, type SnapshotOptions } from '../../../src/queries/moments/snapshot.ts';
import type { CountQuery, DocumentQuery, DocumentReads } from '../../../src/stores/read-store.ts';
import { MIN_EVENTS_OF_SCAN } from '../../../src/tools/tool.ts';

interface Context {
  /** The generations that this thread has read, and `thread` for each statement of the other. */
  readers: string[];
  /** Makes a generation of an organization with that many events and bytes. */
  generation(name: string, position: number, bytes?: number): ReturnType<ServedGeneration>;
  run(statement: ReadStatement): Promise<unknown>;
}

const readerOf = (served: ServedGeneration) => new Reader(served, {} as SnapshotOptions);

const QUERY = { collection: 'vendors', organizationId: 'org_1', where: [] };

const test = suite<Context>('statements in a thread');

test.before.each((context) => {
  const readers: string[] = [];
  const read = (reader: string) => async () => {
    readers.push(reader);
    return [];
  };
  context.readers = readers;
  context.run = read('thread');
  context.generation = (name, position, bytes = 0) => ({
    models: { generation: name, count: read(name) } as unknown as DocumentReads,
    progress: {
      role: 'FOLLOWER',
      caughtUpAt: 0,
      checkpoint: () => ({ position, bytes }) as ReturnType<ReturnType<ServedGeneration>['progress']['checkpoint']>,
      waitUntilCaughtUp: async () => true,
    },
  });
});

test('the thread reads large organizations only, by their events and by their bytes', async ({
  readers,
  generation,
  run,
}) => {
  const KiB = 1_024;
  for (const [position, bytes] of [
    [MIN_EVENTS_OF_SCAN - 1, 0],
    [MIN_EVENTS_OF_SCAN, 0],
    [30, (MIN_EVENTS_OF_SCAN - 1) * KiB],
    [30, (MIN_EVENTS_OF_SCAN - 1) * KiB + 1],
  ] as const) {
    const served = generation('one', position, bytes);
    await readInThread(
      readerOf(() => served),
      run,
    )
      .snapshot()
      .models.count(QUERY);
  }
  assert.equal(readers, ['one', 'thread', 'one', 'thread']);
});

test('only the query is sent, because the rest of its object may be no data', async ({ generation }) => {
  const sent: ReadStatement[] = [];
  const served = generation('one', MIN_EVENTS_OF_SCAN);
  const run = async (statement: ReadStatement) => sent.push(structuredClone(statement));
  const { models } = readInThread(
    readerOf(() => served),
    run,
  ).snapshot();
  const order = { key: 'name', direction: 'ASC' } as const;
  const page = { ...QUERY, order, limit: 2, after: { key: 'a', id: 'ven_1' } };
  await models.find({ ...page, models } as DocumentQuery);
  await models.count({ ...QUERY, limit: 1, models } as CountQuery, ['status']);
  await models.countDistinct({ ...QUERY, limit: 1, models } as CountQuery, 'status');
  const query = { ...QUERY, limit: 1 };
  assert.equal(sent, [
    { method: 'find', query: page },
    { method: 'count', query, by: ['status'] },
    { method: 'countDistinct', query, key: 'status' },
  ]);
});

test('a read that began on a replaced generation ends on it', async ({ readers, generation, run }) => {
  let served = generation('one', MIN_EVENTS_OF_SCAN);
  const reader = readInThread(
    readerOf(() => served),
    run,
  );
  const { models } = reader.snapshot();
  await models.count(QUERY);
  served = generation('two', MIN_EVENTS_OF_SCAN);
  await models.count(QUERY);
  await reader.snapshot().models.count(QUERY);
  assert.equal(readers, ['thread', 'one', 'thread']);
});

test('both readers share what they cache', ({ generation, run }) => {
  const served = generation('one', MIN_EVENTS_OF_SCAN);
  const reader = readerOf(() => served);
  const [here, there] = [reader, readInThread(reader, run)].map(({ snapshot }) => snapshot());
  assert.is(there!.settledPositions, here!.settledPositions);
});

test.run();
