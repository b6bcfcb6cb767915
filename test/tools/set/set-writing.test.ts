import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { ImportedNames } from '../../../src/identity/imported-names.ts';
import type { ImportAnswer } from '../../../src/import/import-answer.ts';
import { importTool } from '../../../src/import/import-tool.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { setFields } from '../../../src/tools/set/set-fields.ts';
import type { SetInput } from '../../../src/tools/set/set-input.ts';
import { replaceMembers } from '../../support/identity/identity.ts';
import { countsOf, runImport, suppliers } from '../../support/mcp/imports.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const RECORDS = 12;

const test = registerSuite<{ register: TestRegister; ids: string[] }>(
  'setting fields of many records',
  'ALL',
  async (register) => {
    return { ids: (await runImport(register, 'VENDOR', suppliers(RECORDS))).rows.map(({ id }) => id!) };
  },
);

type Vendor = { id: string; country: string; category: string | null; criticality: string; revision: number };

/** Returns all vendors in full, by id. */
async function vendorsOf({ call }: TestRegister): Promise<Map<string, Vendor>> {
  const list = { organization_id: ORGANIZATION, view: 'FULL', size: 100 };
  const { vendors } = await call<{ vendors: Vendor[] }>('listVendors', list);
  return new Map(vendors.map((vendor) => [vendor.id, vendor]));
}

/** Returns setFields on the register's log, whose store can be made to fail. */
function setterOf({ stores, names, reader, projections }: TestRegister, overrides: Partial<EventStore> = {}) {
  const handler = new CommandHandler(replaceMembers(stores.events, overrides), {
    now: () => new Date(),
    maxAcceptanceDays: 366,
  });
  const { progress: runner } = projections;
  const service = {
    handler,
    reader,
    names,
    importedNames: new ImportedNames(stores.accounts),
    writeWaitMs: 5_000,
    waitUntilProjected: () => runner.waitUntilCaughtUp(Date.now(), 5_000),
    reportGenerated: () => undefined,
  };
  return (input: Omit<SetInput, 'organization_id' | 'dry_run'> & { dry_run?: boolean }): Promise<ImportAnswer> =>
    setFields(
      { service, caller: callerAs(), tool: importTool },
      { organization_id: ORGANIZATION, dry_run: false, reason: 'Reorganized', ...input },
    );
}

let calls = 0;
/** Returns a country that no vendor has yet, so that every record is changed. */
const newCountry = () => `Country ${++calls}`;

test('a write after its dry run changes exactly the records that the filter matches', async ({ register, ids }) => {
  const country = fc.constantFrom('DE', 'FR', 'IT');
  const criticality = fc.constantFrom('LOW', 'HIGH');
  const states = fc.array(fc.record({ country, criticality }), { minLength: RECORDS, maxLength: RECORDS });
  const filter = fc.record({ country: fc.tuple(country), criticality: fc.tuple(criticality) }, { requiredKeys: [] });
  const chosen = filter.filter((conditions) => Object.keys(conditions).length > 0);
  const set = setterOf(register);
  const property = fc.asyncProperty(states, chosen, country, async (before, conditions, to) => {
    await runImport(
      register,
      'VENDOR',
      before.map((fields, index) => ({ id: ids[index], ...fields })),
    );
    const vendors = await vendorsOf(register);
    const input = { type: 'VENDOR', filter: conditions, set: { country: to } };
    const { rows, selection } = await set({ ...input, dry_run: true });
    const matching = [...vendors.values()].filter((vendor) =>
      Object.entries(conditions).every(([name, [value]]) => vendor[name as 'country'] === value),
    );
    assert.equal(rows.map(({ id }) => id).sort(), matching.map(({ id }) => id).sort());
    await set({ ...input, selection });
    const changed = new Map([...vendors.values()].map((vendor) => [vendor.id, vendor.country]));
    for (const { id } of matching) changed.set(id, to);
    for (const [id, vendor] of await vendorsOf(register)) {
      assert.is(vendor.country, changed.get(id));
      const { country, revision } = vendors.get(id)!;
      assert.is(vendor.revision - revision, vendor.country === country ? 0 : 1);
    }
  });
  await fc.assert(property, { numRuns: 15 });
});

test('a write that is cut anywhere is finished by repeating it, though written records match no more', async ({
  register,
}) => {
  const property = fc.asyncProperty(fc.nat(RECORDS), fc.boolean(), async (written, isOtherChanged) => {
    const [from, to] = [newCountry(), newCountry()];
    const all = { type: 'VENDOR', filter: { query: 'supplier' }, set: { country: from } };
    const set = setterOf(register);
    await set({ ...all, selection: (await set({ ...all, dry_run: true })).selection });
    const before = await vendorsOf(register);
    const input = { type: 'VENDOR', filter: { country: [from] }, set: { country: to }, idempotency_key: to };
    const { selection } = await set({ ...input, dry_run: true });
    let appendsLeft = written;
    const broken = setterOf(register, {
      append: (stream, events, expected) => {
        if (appendsLeft-- <= 0) throw new StoreUnavailable('gone');
        return register.stores.events.append(stream, events, expected);
      },
    });
    const cut = await broken({ ...input, selection }).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    assert.is(cut, written < RECORDS ? 'unavailable' : null);
    const changedByOther = isOtherChanged ? await changeWritten(register, to) : null;
    const finished = await set({ ...input, selection });
    assert.equal(countsOf(finished), [0, RECORDS - written, written]);
    for (const [id, { country, revision }] of await vendorsOf(register)) {
      const expected = before.get(id)!.revision + (id === changedByOther ? 2 : 1);
      assert.equal([country, revision], [to, expected]);
    }
  });
  await fc.assert(property, { numRuns: 12 });
});

/** Changes a record that the first attempt has written. Returns its id; null if it wrote none. */
async function changeWritten(register: TestRegister, country: string): Promise<string | null> {
  const written = [...(await vendorsOf(register)).values()].find((vendor) => vendor.country === country);
  if (written === undefined) return null;
  await register.call('updateVendor', { id: written.id, category: newCountry() });
  return written.id;
}

test('a record that another writer changes during the write keeps that change, and its row says so', async ({
  register,
  ids,
}) => {
  const country = newCountry();
  const input = { type: 'VENDOR', ids: ids.slice(0, 3), set: { country } };
  const { selection } = await setterOf(register)({ ...input, dry_run: true });
  let isChanged = false;
  const raced = setterOf(register, {
    append: async (stream, events, expected) => {
      if (!isChanged) {
        isChanged = true;
        await register.call('updateVendor', { id: ids[1], category: country });
      }
      return register.stores.events.append(stream, events, expected);
    },
  });
  const answer = await raced({ ...input, selection });
  assert.equal(countsOf(answer), [0, 2, 0]);
  const lost = answer.rows.find(({ errors }) => errors !== undefined)!;
  assert.is(lost.id, ids[1]);
  assert.match(lost.errors![0]!.message, /revision/);
  const vendors = await vendorsOf(register);
  assert.equal(
    ids.slice(0, 3).map((id) => vendors.get(id)!.country === country),
    [true, false, true],
  );
});

test.run();
