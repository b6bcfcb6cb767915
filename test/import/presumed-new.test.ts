import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { recordAggregate } from '../../src/commands/families.ts';
import { ImportedNames } from '../../src/identity/imported-names.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { ROW_READERS } from '../../src/import/import-rows.ts';
import { importTool } from '../../src/import/import-tool.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { countsOf, errorsOf, logLength, runImport, suppliers } from '../support/mcp/imports.ts';
import { callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

/*
 * An import presumes that rows are new whose records the read models don't know. These tests are about wrong presumptions
 * too: another writer added the record meanwhile, or the read models miss it.
 */

const test = registerSuite('rows presumed new', 'EACH');

/** Imports rows as another instance does, which reads each stream. This instance's cache doesn't learn of it. */
async function importElsewhere(
  { stores, names }: TestRegister,
  type: string,
  rows: object[],
  events: EventStore = stores.events,
) {
  const handler = new CommandHandler(events, { now: () => new Date(), maxAcceptanceDays: 366 });
  const importedNames = new ImportedNames(stores.accounts);
  const waitUntilProjected = () => Promise.resolve(true);
  const service = { handler, names, importedNames, waitUntilProjected, writeWaitMs: 0 };
  const context = { service, caller: callerAs(), tool: importTool };
  const input = { organization_id: ORGANIZATION, rows: rows as Record<string, unknown>[] };
  const answer = await importRecords(context, ROW_READERS.get(type)!, input);
  return { handler, ids: answer.rows.map(({ id }) => id!) };
}

/** Counts the reads of records' streams from now on. */
function countReads({ stores: { events } }: TestRegister): () => number {
  const read = events.readStream.bind(events);
  let reads = 0;
  events.readStream = (stream, ...range) => {
    if (!stream.startsWith('organization-')) reads += 1;
    return read(stream, ...range);
  };
  return () => reads;
}

/** Lets the read models know none of the records that an import asks for, as if others added them just then. */
function hideRecords({ reader }: TestRegister): void {
  reader.snapshot().models.get = async () => [];
}

const risks = (name: string) => [
  { reference_id: 'R-1', name: 'Fire' },
  { reference_id: 'R-2', name },
  { reference_id: 'R-3', name: 'Storm' },
];

test('new rows are written without reading their streams, and a repeat reads them', async ({ register }) => {
  const reads = countReads(register);
  assert.equal(countsOf(await runImport(register, 'VENDOR', suppliers(30))), [30, 0, 0]);
  assert.is(reads(), 0);
  assert.equal(countsOf(await runImport(register, 'VENDOR', suppliers(31))), [1, 0, 30]);
  assert.is(reads(), 30);
});

test('a dry run reads the streams', async ({ register }) => {
  const reads = countReads(register);
  await runImport(register, 'VENDOR', suppliers(3), { dry_run: true });
  assert.is(reads(), 3);
});

test('a record that another process has just added is known before the first write', async ({ register }) => {
  const events = openSqliteEventStore(register.folder);
  try {
    await importElsewhere(register, 'RISK', risks('Flood').slice(1, 2), events);
    const length = await logLength(register);
    assert.equal(errorsOf(await runImport(register, 'RISK', risks('Flooding'))), [null, ['reference_id'], null]);
    assert.is(await logLength(register), length, 'nothing was written');
    assert.equal(countsOf(await runImport(register, 'RISK', risks('Flood'))), [2, 0, 1]);
  } finally {
    await events.close();
  }
});

test('read models that lag, miss something or fail presume nothing', async ({ register }) => {
  await importElsewhere(register, 'RISK', risks('Flood').slice(1, 2));
  const length = await logLength(register);
  const { models, progress } = register.reader.snapshot();
  const checkpoint = progress.checkpoint(ORGANIZATION)!;
  hideRecords(register);
  const down = async () => {
    throw new StoreUnavailable('down');
  };
  const troubles = [
    [progress, { waitUntilCaughtUp: async () => false }],
    [progress, { checkpoint: () => ({ ...checkpoint, parked: 1 }) }],
    [progress, { role: 'FOLLOWER' }],
    [models, { get: down }],
  ] as const;
  for (const [object, trouble] of troubles) {
    const before = Object.fromEntries(Object.keys(trouble).map((name) => [name, Reflect.get(object, name)]));
    Object.assign(object, trouble);
    const answer = await runImport(register, 'RISK', risks('Flooding'));
    Object.assign(object, before);
    assert.equal(errorsOf(answer), [null, ['reference_id'], null], JSON.stringify(Object.keys(trouble)));
    assert.is(await logLength(register), length);
  }
});

test('a record added meanwhile by the same row is unchanged', async ({ register }) => {
  await importElsewhere(register, 'RISK', risks('Flood').slice(1, 2));
  hideRecords(register);
  const length = await logLength(register);
  const answer = await runImport(register, 'RISK', risks('Flood'), { idempotency_key: 'any' });
  assert.equal(
    answer.rows.map(({ result }) => result),
    ['CREATED', 'UNCHANGED', 'CREATED'],
  );
  assert.is(await logLength(register), length + 2);
});

test('a record added meanwhile under the same reference_id by another row is that row’s error', async ({
  register,
}) => {
  const { ids } = await importElsewhere(register, 'RISK', risks('Flood').slice(1, 2));
  hideRecords(register);
  const length = await logLength(register);
  const answer = await runImport(register, 'RISK', risks('Flooding'));
  assert.equal(
    [countsOf(answer), errorsOf(answer)],
    [
      [2, 0, 0],
      [null, ['reference_id'], null],
    ],
  );
  assert.match(answer.rows[1]!.errors![0]!.message, ids[0]!);
  assert.is(await logLength(register), length + 2);
});

test('a record added and archived meanwhile stays archived', async ({ register }) => {
  const { handler, ids } = await importElsewhere(register, 'RISK', risks('Flood').slice(1, 2));
  await handler.execute(recordAggregate(ids[0]!), { type: 'Archive', reason: 'sold' }, envelopeFor());
  hideRecords(register);
  assert.equal(countsOf(await runImport(register, 'RISK', risks('Flood'))), [2, 0, 1]);
  const events = await register.stores.events.readStream(recordAggregate(ids[0]!).stream);
  assert.equal(
    events.map(({ type }) => type),
    ['RiskAdded', 'RiskArchived'],
  );
});

test('a row that would be refused is confirmed with its stream', async ({ register }) => {
  const row = { name: 'Suspended one', status: 'SUSPENDED' };
  const reasoned = { reason: 'bankrupt' };
  assert.equal(countsOf(await runImport(register, 'VENDOR', [row], reasoned)), [1, 0, 0]);
  hideRecords(register);
  // Without its reason the row could add nothing, but it was imported before.
  assert.equal(countsOf(await runImport(register, 'VENDOR', [row])), [0, 0, 1]);
});

test('an import cut in the middle is finished by repeating it, though its rows are presumed new', async ({
  register,
}) => {
  const { events } = register.stores;
  const append = events.append.bind(events);
  let appendsLeft = 70;
  events.append = (...args) => {
    if (appendsLeft-- <= 0) throw new StoreUnavailable('gone');
    return append(...args);
  };
  const before = await logLength(register);
  const { error } = await register.call('importRecords', {
    organization_id: ORGANIZATION,
    type: 'VENDOR',
    rows: suppliers(200),
  });
  assert.is((error as { code: string }).code, 'unavailable');
  events.append = append;
  assert.equal(countsOf(await runImport(register, 'VENDOR', suppliers(200))), [130, 0, 70]);
  assert.is(await logLength(register), before + 200);
});

test('the name of a past decision is stored again by no repeat', async ({ register }) => {
  const names = new ImportedNames(register.stores.accounts);
  const row = { name: 'Cedar', status: 'APPROVED', last_reviewed: '2026-01-02', reviewed_by: 'J. Smith' };
  await importElsewhere(register, 'VENDOR', [row]);
  const [stored] = await names.list(ORGANIZATION);
  assert.ok(await names.erase(ORGANIZATION, stored!.id));
  assert.equal(countsOf(await runImport(register, 'VENDOR', [row])), [0, 0, 1]);
  assert.equal(await names.list(ORGANIZATION), []);
});

test.run();
