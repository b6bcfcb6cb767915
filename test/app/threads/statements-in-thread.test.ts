import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReadStatement, servedInThread } from '../../../src/app/threads/statements-in-thread.ts';
import { MIN_EVENTS_OF_SCAN } from '../../../src/mcp/tools/list-load.ts';
import type { ServedGeneration } from '../../../src/queries/moments/snapshot.ts';
import type { DocumentReads } from '../../../src/stores/read-store.ts';

interface Context {
  /** The generations that this thread has read, and `thread` for each statement of the other. */
  readers: string[];
  /** Makes a generation of an organization with that many events. */
  generation(name: string, position: number): ReturnType<ServedGeneration>;
  run(statement: ReadStatement): Promise<unknown>;
}

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
  context.generation = (name, position) => ({
    models: { generation: name, count: read(name) } as unknown as DocumentReads,
    progress: {
      role: 'FOLLOWER',
      caughtUpAt: 0,
      checkpoint: () => ({ position }) as ReturnType<ReturnType<ServedGeneration>['progress']['checkpoint']>,
      waitUntilCaughtUp: async () => true,
    },
  });
});

test('the thread reads large organizations only', async ({ readers, generation, run }) => {
  for (const position of [MIN_EVENTS_OF_SCAN - 1, MIN_EVENTS_OF_SCAN]) {
    const served = generation('one', position);
    await servedInThread(() => served, run)().models.count(QUERY);
  }
  assert.equal(readers, ['one', 'thread']);
});

test('a read that began on a replaced generation ends on it', async ({ readers, generation, run }) => {
  let served = generation('one', MIN_EVENTS_OF_SCAN);
  const reads = servedInThread(() => served, run);
  const { models } = reads();
  await models.count(QUERY);
  served = generation('two', MIN_EVENTS_OF_SCAN);
  await models.count(QUERY);
  await reads().models.count(QUERY);
  assert.equal(readers, ['thread', 'one', 'thread']);
});

test.run();
