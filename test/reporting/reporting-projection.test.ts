/** The projection of the reporting database on its own: what it says when it can't write, and whom it knows. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { peopleChanges } from '../../src/reporting/people.ts';
import { ReportingProjection, type ReportingState } from '../../src/reporting/reporting-projection.ts';
import { REPORTING_SCHEMA } from '../../src/reporting/tables.ts';
import { StoreRefused } from '../../src/stores/errors.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { openSqliteReportingStore } from '../../src/stores/sqlite/reporting-store.ts';
import { INSTALLATION_ID, OWNER, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { until } from '../support/run/wait.ts';

const test = registerSuite('the projection of the reporting database');

/** Runs a projection until a condition on its state holds. */
async function withProjection(
  { folder }: TestRegister,
  options: Partial<ConstructorParameters<typeof ReportingProjection>[0]>,
  condition: (states: readonly ReportingState[]) => boolean | Promise<boolean>,
): Promise<void> {
  const states: ReportingState[] = [];
  const reads = openSqliteReadStore(folder);
  const projection = new ReportingProjection({
    reads,
    open: (onMended) => openSqliteReportingStore(join(folder, 'reports'), REPORTING_SCHEMA, onMended),
    readNames: async (ids) => [...ids].map((account_id) => ({ account_id, name: 'Ada' })),
    installation: INSTALLATION_ID,
    holder: 'test',
    exclusive: true,
    now: () => new Date(),
    log: { info: () => undefined, warn: () => undefined },
    onState: (state) => states.push(state),
    ...options,
  });
  projection.start();
  try {
    await until(() => condition(states), 20_000);
  } finally {
    await projection.stop();
    await reads.close();
  }
}

test('is off, with the reason, while the service may not write there', async ({ register }) => {
  const refused = new StoreRefused('Reports are off: no right.', 'Give the user the role readWrite.');
  const open = () => Promise.reject(refused);
  await withProjection(register, { open }, (states) => states.at(-1)?.state === 'OFF');
  let last: ReportingState | undefined;
  await withProjection(register, { open }, (states) => {
    last = states.at(-1);
    return last !== undefined;
  });
  assert.equal(last, { state: 'OFF', lag_ms: last!.lag_ms, problem: refused.message });
});

test('knows a member’s name of now, and no erased account', async ({ register }) => {
  const people = async () => {
    const store = await openSqliteReportingStore(join(register.folder, 'reports'), REPORTING_SCHEMA);
    const rows = await store.read('people');
    await store.close();
    return rows.map(({ id, display_name, present }) => [id, display_name, present]);
  };
  const follows = (states: readonly ReportingState[]) => states.at(-1)?.state === 'FOLLOWING';
  await withProjection(register, {}, follows);
  assert.equal(await people(), [[OWNER, 'Ada', true]]);
  await withProjection(register, { readNames: async () => [{ account_id: OWNER, name: 'Ada Lovelace' }] }, follows);
  assert.equal(await people(), [[OWNER, 'Ada Lovelace', true]]);
  await withProjection(register, { readNames: async () => [] }, follows);
  assert.equal(await people(), []);
  rmSync(join(register.folder, 'reports'), { recursive: true });
});

test('a rebuild has the people when readers see its other rows', async ({ register }) => {
  let people = 0;
  const open = async () => {
    const store = await openSqliteReportingStore(join(register.folder, 'reports'), REPORTING_SCHEMA);
    const rebuild = store.rebuild.bind(store);
    return Object.assign(store, {
      rebuild: async (...args: Parameters<typeof rebuild>) => {
        await rebuild(...args);
        people = (await store.read('people')).length;
      },
    });
  };
  await withProjection(register, { open }, (states) => states.at(-1)?.state === 'FOLLOWING');
  assert.is(people, 1);
  rmSync(join(register.folder, 'reports'), { recursive: true });
});

test('writes only the people who changed', () => {
  const person = (id: string, display_name: string, present = true) => ({
    organization_id: 'org_1',
    id,
    display_name,
    present,
  });
  const before = [person('acc_1', 'Ada'), person('acc_2', 'Bob'), person('acc_3', 'Cy'), person('acc_4', 'Di')];
  const after = [person('acc_1', 'Ada'), person('acc_2', 'Rob'), person('acc_4', 'Di', false), person('acc_5', 'Ed')];
  assert.equal(peopleChanges(before, after), [
    { remove: before[2] },
    { put: after[1] },
    { put: after[2] },
    { put: after[3] },
  ]);
});

test.run();
