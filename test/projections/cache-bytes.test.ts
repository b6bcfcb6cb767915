import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate, recordAggregate } from '../../src/commands/families.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import type { ReadModels } from '../../src/stores/read-store.ts';
import { envelopeFor } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';

const test = suite('memory of projections');

const RISKS = 1_400;

/** Applies the additions of many risks, then one more event of each. Returns the number of risks that are read again. */
async function risksReadAgain(description: string): Promise<number> {
  const store = new MemoryEventStore();
  const organization_id = randomId('org');
  const handler = new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 366 });
  const execute = (aggregate: object, command: object) =>
    handler.execute(aggregate as never, command as never, envelopeFor({ organization_id, isPresumedNew: true }));
  const facts = { name: 'Acme', import_key: 'k', installation: 'i', owner_id: 'acc_1' };
  await execute(organizationAggregate(organization_id), { type: 'CreateOrganization', ...facts });
  const ids = Array.from({ length: RISKS }, () => randomId('rsk'));
  const fields = { name: 'Outage', description };
  const add = (id: string) => execute(recordAggregate(id), { type: 'AddRisk', fields });
  for (const id of ids) await add(id);
  const readIds = new Set<string>();
  const models = {
    get: async (collection: string, asked: readonly string[]) => {
      if (collection === 'risks') for (const id of asked) readIds.add(id);
      return [];
    },
    commit: async () => undefined,
    checkpoints: async () => [],
    recover: async () => undefined,
  } as unknown as ReadModels;
  const applier = new Applier(store, models, 'i');
  await applier.apply(store.log);
  assert.is(readIds.size, 0, 'new records are not looked up');
  const from = store.log.length;
  for (const id of ids.reverse()) await execute(recordAggregate(id), { type: 'UpdateRisk', changes: { name: 'Fire' } });
  await applier.apply(store.log.slice(from));
  return readIds.size;
}

test('projections keep many short records, and of long ones as many as fit', async () => {
  assert.is(await risksReadAgain('short'), 0);
  const count = await risksReadAgain('x '.repeat(4_950));
  assert.ok(count > 200 && count < RISKS, `${count} of ${RISKS} were dropped`);
});

test.run();
