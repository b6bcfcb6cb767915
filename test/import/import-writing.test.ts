import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { organizationStream, recordAggregate } from '../../src/commands/families.ts';
import { ImportedNames } from '../../src/identity/imported-names.ts';
import type { ImportAnswer } from '../../src/import/import-answer.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { ROW_READERS } from '../../src/import/import-rows.ts';
import { importTool } from '../../src/import/import-tool.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { WriteContext, WriteService } from '../../src/tools/tool.ts';
import { replaceMembers } from '../support/identity/identity.ts';
import { sdkClient } from '../support/mcp/mcp-client.ts';
import { callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { embeddedPair, serve } from '../support/stores/pairs.ts';

const test = registerSuite('importRecords writing', 'EACH');

type Row = Record<string, unknown>;

const suppliers = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ name: `Supplier ${n}`, country: 'DE' }));

const countsOf = ({ created, updated, unchanged }: ImportAnswer) => [created, updated, unchanged];

/** Returns an import on the register's log, whose store can be made to fail. */
function importer(
  register: TestRegister,
  overrides: Partial<EventStore> = {},
  replaced: Pick<Partial<WriteService & WriteContext>, 'waitUntilProjected' | 'progress'> = {},
) {
  const events = replaceMembers(register.stores.events, overrides);
  const handler = new CommandHandler(events, { now: () => new Date(), maxAcceptanceDays: 366 });
  const { waitUntilProjected = () => Promise.resolve(true), progress } = replaced;
  const importedNames = new ImportedNames(register.stores.accounts);
  const service = { handler, names: register.names, importedNames, waitUntilProjected, writeWaitMs: 0 };
  const context = { service, caller: callerAs(), tool: importTool, progress };
  const reader = ROW_READERS.get('VENDOR')!;
  return (rows: Row[], options: Parameters<typeof importRecords>[3] = {}) =>
    importRecords(context, reader, { organization_id: ORGANIZATION, rows }, options);
}

async function namesInLog({ stores }: TestRegister): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const events of stores.events.readAll(null)) {
    for (const { type, data } of events) if (type === 'VendorAdded') names.push(data?.name);
  }
  return names;
}

test('an import reads the members once, though each of its rows names an owner', async ({ register }) => {
  const { events } = register.stores;
  let reads = 0;
  const write = importer(register, {
    readStream: (stream, ...range) => {
      if (stream === organizationStream(ORGANIZATION)) reads += 1;
      return events.readStream(stream, ...range);
    },
  });
  assert.equal(countsOf(await write(suppliers(1).map((row) => ({ ...row, owner_id: 'ME' })))), [1, 0, 0]);
  const readsForOne = reads;
  const rows = suppliers(30).map((row) => ({ ...row, owner_id: 'ME', description: 'One of 30' }));
  assert.equal(countsOf(await write(rows)), [30, 0, 0]);
  assert.ok(reads - readsForOne <= readsForOne, `${reads - readsForOne} reads, ${readsForOne} for one row`);
});

test('an import that fails midway is unavailable, and repeating it finishes it', async ({ register }) => {
  const rows = suppliers(200);
  let appendsLeft = 70;
  const broken = importer(register, {
    append: (stream, events, expected) => {
      if (appendsLeft-- <= 0) throw new StoreUnavailable('gone');
      return register.stores.events.append(stream, events, expected);
    },
  });
  const error = await broken(rows).then(
    () => null,
    (thrown: { code: string }) => thrown,
  );
  assert.is(error?.code, 'unavailable');
  const writtenCount = (await namesInLog(register)).length;
  assert.is(writtenCount, 70);
  assert.equal(countsOf(await importer(register)(rows)), [130, 0, 70]);
  const names = await namesInLog(register);
  assert.equal([names.length, new Set(names).size], [200, 200]);
});

test('a row that loses a race after the check gets an error, and the others are written', async ({ register }) => {
  const { rows } = await importer(register)(suppliers(3));
  const ids = rows.map(({ id }) => id!);
  const archive = { type: 'Archive', reason: 'gone' };
  let judged = 0;
  const spoiling = importer(register, {
    readStream: async (stream, from) => {
      const read = await register.stores.events.readStream(stream, from);
      // The last of the three rows has been checked. Now another writer changes its record.
      if (stream.includes('vendor-') && ++judged === 3) {
        await register.handler.execute(recordAggregate(ids[1]!), archive, envelopeFor());
      }
      return read;
    },
  });
  const answer = await spoiling(ids.map((id) => ({ id, country: 'FR' })));
  assert.equal(countsOf(answer), [0, 2, 0]);
  assert.equal(
    answer.rows.map(({ id, result, errors }) => [id, result ?? errors!.map(({ message }) => /archived/.test(message))]),
    [
      [ids[0], 'UPDATED'],
      [ids[1], [true]],
      [ids[2], 'UPDATED'],
    ],
  );
});

test('two concurrent imports of the same rows add each record once', async ({ register }) => {
  const rows = suppliers(100);
  const answers = await Promise.all([importer(register)(rows), importer(register)(rows)]);
  assert.is(answers[0].created + answers[1].created, 100);
  assert.is(answers[0].unchanged + answers[1].unchanged, 100);
  assert.is((await namesInLog(register)).length, 100);
});

test('writeValidRows writes the valid rows despite invalid ones', async ({ register }) => {
  const [a, b] = suppliers(2) as [Row, Row];
  const answer = await importer(register)([a, { name: '' }, b], { writeValidRows: true });
  assert.equal(countsOf(answer), [2, 0, 0]);
  assert.equal(
    answer.rows.map(({ errors }) => errors?.length ?? 0),
    [0, 1, 0],
  );
});

test('an import reports progress row by row, and says if it is pending', async ({ register }) => {
  const progressCalls: unknown[] = [];
  const lateImporter = importer(
    register,
    {},
    {
      waitUntilProjected: () => Promise.resolve(false),
      progress: (done, total) => progressCalls.push([done, total]),
    },
  );
  const answer = await lateImporter(suppliers(3));
  assert.equal(progressCalls, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  assert.is(answer.pending, true);
});

test('a client with a progress token gets an import’s progress and the same answer', async () => {
  const served = await serve(embeddedPair());
  const client = await sdkClient(served.url, served.token);
  try {
    const notifications: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const args = { organization_id: served.organizationId, type: 'VENDOR', rows: suppliers(30) };
    const call = { name: 'importRecords', arguments: args };
    const startedAt = performance.now();
    const onprogress = (progress: (typeof notifications)[number]) => notifications.push(progress);
    const { structuredContent } = await client.callTool(call, undefined, { onprogress });
    assert.is((structuredContent as { created: number }).created, 30);
    assert.equal(notifications.at(-1), { progress: 30, total: 30, message: '30 of 30 rows written' });
    assert.is(notifications[0]?.progress, 1);
    assert.ok(
      notifications.length <= 2 + (performance.now() - startedAt) / 100,
      `${notifications.length} in so short a time`,
    );
  } finally {
    await client.close();
    await served.close();
  }
});

test.run();
