/** Calls that change more than five existing records. */
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import type { ImportAnswer } from '../../src/import/import-answer.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { logLength, runImport, suppliers } from '../support/mcp/imports.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('selection', 'EACH');

interface BulkAnswer extends Answer {
  call_id?: string;
  selection?: string;
  changes?: { record_id: string; field: string; from: unknown; to: unknown }[];
  error?: { code: string; field?: string; message: string; retryable: boolean };
}

/** Each kind of call on a number of existing records, and what brings them back. */
interface Bulk {
  tool: string;
  input: object;
}

async function vendors(register: TestRegister, count: number): Promise<string[]> {
  return (await runImport(register, 'VENDOR', suppliers(count))).rows.map(({ id }) => id!);
}

/** Returns a call of each kind that changes these records, which are linked with a risk. */
async function bulks(register: TestRegister, ids: readonly string[]): Promise<Bulk[]> {
  const { risk } = await register.call<{ risk: { id: string } }>('addRisk', {
    organization_id: ORGANIZATION,
    name: 'Fire',
  });
  const links = ids.map((to_id) => ({ from_id: risk.id, to_id }));
  const reason = 'Tidied';
  assert.is((await register.call('linkRecords', { links })).error, undefined, 'new links never ask');
  const rows = ids.map((id) => ({ id, country: 'FR' }));
  return [
    { tool: 'importRecords', input: { organization_id: ORGANIZATION, type: 'VENDOR', rows, reason } },
    { tool: 'linkRecords', input: { links, action: 'UNLINK', reason } },
    { tool: 'archiveRecords', input: { ids, action: 'ARCHIVE', reason } },
    { tool: 'archiveRecords', input: { ids, action: 'RESTORE', reason } },
  ];
}

const call = (register: TestRegister, { tool, input }: Bulk, more: object = {}, caller = callerAs()) =>
  register.call<BulkAnswer>(tool, { ...input, ...more }, caller);

test('six changes of each kind need the selection of their dry run, five do not', async ({ register }) => {
  const five = await bulks(register, await vendors(register, 5));
  for (const bulk of five) assert.is((await call(register, bulk)).error, undefined, bulk.tool);
  const added = await runImport(
    register,
    'VENDOR',
    Array.from({ length: 6 }, (_, index) => ({ name: `Other ${index}` })),
  );
  const ids = added.rows.map(({ id }) => id!);
  for (const bulk of await bulks(register, ids)) {
    const length = await logLength(register);
    const { error } = await call(register, bulk);
    assert.equal([error?.code, error?.field], ['invalid_input', 'selection'], bulk.tool);
    assert.match(error!.message, /^This call changes 6 records\. .*dry_run first/);
    const dryRun = await call(register, bulk, { dry_run: true });
    assert.is(dryRun.changes?.length, 6, JSON.stringify(dryRun));
    assert.is(await logLength(register), length, 'neither writes');
    const { selection } = dryRun;
    const written = await call(register, bulk, { selection });
    assert.is(written.error, undefined, JSON.stringify(written));
    assert.is(written.call_id, dryRun.call_id);
    const withoutTimes = ({ changes }: BulkAnswer) => changes!.map(({ record_id, field }) => [record_id, field]);
    assert.equal(withoutTimes(written), withoutTimes(dryRun));
    assert.is(await logLength(register), length + 6);
    const repeated = await call(register, bulk, { selection });
    assert.equal([repeated.error, repeated.call_id], [undefined, dryRun.call_id]);
    assert.is(await logLength(register), length + 6, 'a repeat writes nothing');
  }
});

test('rows that change nothing, and new rows, do not count', async ({ register }) => {
  const ids = await vendors(register, 8);
  const changed = ids.slice(0, 5).map((id) => ({ id, country: 'FR' }));
  const same = ids.slice(5).map((id) => ({ id, country: 'DE' }));
  const added = Array.from({ length: 6 }, (_, index) => ({ name: `New ${index}` }));
  const input = { organization_id: ORGANIZATION, type: 'VENDOR', rows: [...changed, ...same, ...added] };
  const answer = await register.call<ImportAnswer & BulkAnswer>('importRecords', input);
  assert.equal([answer.error, answer.created, answer.updated, answer.unchanged], [undefined, 6, 5, 3]);
});

test('a selection holds for one call, its records as they were, and one account', async ({ register }) => {
  const member = randomId('acc');
  const command = { type: 'AddMember', account_id: member, role: 'OWNER' } as const;
  await register.handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
  const ids = await vendors(register, 6);
  const isConflict = (answer: BulkAnswer, label: string) =>
    assert.equal([answer.error?.code, answer.error?.field], ['conflict', 'selection'], label);
  const [rows, unlink, archive] = await bulks(register, ids);
  for (const bulk of [rows!, unlink!, archive!]) {
    const { selection } = await call(register, bulk, { dry_run: true });
    isConflict(await call(register, bulk, { selection, reason: 'Another' }), `${bulk.tool}: reason`);
    isConflict(await call(register, bulk, { selection: `${selection}x` }), `${bulk.tool}: text`);
    const other = callerAs('OWNER', { account_id: member });
    isConflict(await call(register, bulk, { selection }, other), `${bulk.tool}: account`);
    for (const another of [rows!, unlink!, archive!].filter((one) => one !== bulk)) {
      isConflict(await call(register, another, { selection }), `${another.tool} with that of ${bulk.tool}`);
    }
  }
  for (const bulk of [rows!, archive!]) {
    const { selection } = await call(register, bulk, { dry_run: true });
    await register.call('updateVendor', { id: ids[0], category: bulk.tool });
    isConflict(await call(register, bulk, { selection }), `${bulk.tool}: a record changed`);
  }
  const { selection } = await call(register, unlink!, { dry_run: true });
  const [link] = (unlink!.input as { links: object[] }).links;
  await register.call('linkRecords', { links: [link], action: 'UNLINK', reason: 'Alone' });
  isConflict(await call(register, unlink!, { selection }), 'a link went');
  const five = await register.call<BulkAnswer>('archiveRecords', {
    ...{ ids: ids.slice(0, 2), action: 'ARCHIVE', reason: 'Gone' },
    selection,
  });
  isConflict(five, 'a selection that is given must be right');
});

test('the same call finishes an interrupted one, by its selection or its key', async ({ register }) => {
  const ids = await vendors(register, 7);
  const { events } = register.stores;
  const append = events.append.bind(events);
  for (const idempotency_key of [undefined, 'finish']) {
    for (const [index, bulk] of (await bulks(register, ids)).entries()) {
      const key = idempotency_key && `${idempotency_key} ${index}`;
      const input = { ...bulk.input, idempotency_key: key };
      const one = { tool: bulk.tool, input };
      const { selection, call_id } = await call(register, one, { dry_run: true });
      const length = await logLength(register);
      let left = 3;
      events.append = (...args) => {
        if (left-- <= 0) throw new StoreUnavailable('gone');
        return append(...args);
      };
      const cut = await call(register, one, { selection });
      events.append = append;
      assert.is(cut.error?.code, 'unavailable', bulk.tool);
      assert.is(await logLength(register), length + 3);
      const refused = await call(register, one, { idempotency_key: 'another', selection });
      assert.is(refused.error?.code, 'conflict', 'another call finds changed records');
      const finished = await call(register, one, { selection });
      assert.equal([finished.error, finished.call_id], [undefined, call_id], bulk.tool);
      assert.is(await logLength(register), length + 7);
    }
    await register.call('importRecords', {
      ...{ organization_id: ORGANIZATION, type: 'VENDOR' },
      rows: ids.slice(0, 5).map((id) => ({ id, country: 'DE' })),
    });
    await register.call('importRecords', {
      ...{ organization_id: ORGANIZATION, type: 'VENDOR' },
      rows: ids.slice(5).map((id) => ({ id, country: 'DE' })),
    });
  }
});

test('two people who use one key make two calls', async ({ register }) => {
  const ids = await vendors(register, 2);
  const archive = (caller = callerAs(), index = 0) =>
    call(
      register,
      {
        tool: 'archiveRecords',
        input: { ids: [ids[index]], action: 'ARCHIVE', reason: 'r', idempotency_key: 'monthly' },
      },
      {},
      caller,
    );
  const other = callerAs('ADMIN', { account_id: randomId('acc') });
  const [first, second] = [await archive(), await archive(other, 1)];
  assert.equal([first.error, second.error], [undefined, undefined]);
  assert.is.not(first.call_id, second.call_id);
  assert.is((await archive()).call_id, first.call_id, 'a repeat is the same call');
});

test.run();
