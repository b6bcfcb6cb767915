/** The turns that an undo of much takes in the event loop: the documents that it reads in each are counted, not timed. */
import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../src/commands/families.ts';
import { DOCUMENTS_PER_READ } from '../../src/queries/records/record-links.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { undoCall } from '../../src/tools/undo-call.ts';
import { adopt } from '../support/controls.ts';
import { suppliers } from '../support/mcp/imports.ts';
import { toolCallsOf } from '../support/mcp/tool-calls.ts';
import { callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('turns of an undo');

/** Returns a reader that counts the documents it reads in a turn of the loop, and the most of any turn. Links are small. */
function countingModels({ reader }: TestRegister) {
  const snapshot = reader.snapshot();
  const { models } = snapshot;
  const counts = { inTurn: 0, most: 0 };
  const counted = async <Row>(collection: string, reading: Promise<Row[]>): Promise<Row[]> => {
    const rows = await reading;
    if (collection !== 'links') counts.inTurn += rows.length;
    counts.most = Math.max(counts.most, counts.inTurn);
    return rows;
  };
  const reactions = new Set<number>();
  /** A turn begins with a callback of the loop: a timer, an answer of a file or thread, no reaction to a promise. */
  const turns = createHook({
    init: (id, type) => void (['PROMISE', 'TickObject', 'Microtask'].includes(type) && reactions.add(id)),
    before: (id) => {
      if (!reactions.has(id)) counts.inTurn = 0;
    },
  });
  const reads = Object.create(models, {
    find: { value: (query: Parameters<typeof models.find>[0]) => counted(query.collection, models.find(query)) },
    get: { value: (name: string, ids: readonly string[]) => counted(name, models.get(name, ids)) },
  });
  const counting = Object.create(snapshot, { models: { value: reads } });
  return { counts, turns, reader: Object.create(reader, { snapshot: { value: () => counting } }) };
}

/** Makes the dry run of an undo that looks at 250 records at most. Returns the most documents read in a turn. */
async function mostReadInTurn(register: TestRegister, call_id: string): Promise<number> {
  const { counts, turns, reader } = countingModels(register);
  const tool = { name: 'importRecords', permission: 'changeRecords' };
  const context = { caller: callerAs(), service: { ...register, reader }, tool } as unknown as ToolContext;
  turns.enable();
  const { updated } = await undoCall(context, { organization_id: ORGANIZATION, undo: { call_id }, dry_run: true }, 250);
  turns.disable();
  assert.ok(updated > 0);
  return counts.most;
}

test('reads the changes and records of a call on many in several turns', async ({ register }) => {
  const correlation_id = '0b1f7a52-9d64-4b7e-8a3c-5e6d7f809121';
  const add = (fields: { name: string }) => {
    const command = { type: 'AddVendor', fields };
    const envelope = envelopeFor({ correlation_id, command_id: randomUUID(), input: command });
    return register.handler.execute(recordAggregate(randomId('vnd')), command, envelope);
  };
  await Promise.all(suppliers(450).map(add));
  await toolCallsOf(register).add('Vendor', { name: 'The last' });
  const most = await mostReadInTurn(register, correlation_id);
  assert.ok(most <= DOCUMENTS_PER_READ, `${most} documents in one turn of the loop`);
});

test('reads the controls of an adopted framework in several turns', async ({ register }) => {
  const numbers = Array.from({ length: 450 }, (_, index) => `A.${index}`);
  const { call_id } = await adopt(register, 'ISO 27001', numbers);
  const most = await mostReadInTurn(register, call_id);
  assert.ok(most <= DOCUMENTS_PER_READ, `${most} documents in one turn of the loop`);
});

test.run();
