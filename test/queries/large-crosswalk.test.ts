/** One event with more rows in the history than a read of the store returns. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crosswalkAggregate } from '../../src/commands/crosswalk.ts';
import { sortedPair } from '../../src/register/link.ts';
import { adopt, assertRebuilt, ok } from '../support/controls.ts';
import { type Answer, envelopeFor, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql, verifyChanges } from '../support/trail/verify-changes.ts';

interface Context {
  register: TestRegister;
  controls: string[];
  position: number;
}

const test = suite<Context>('a large crosswalk');

const PAIRS = 300;

test.before(async (context) => {
  const register = await startRegister();
  const numbers = Array.from({ length: PAIRS }, (_, index) => `A.${index}`);
  const [one, other] = [await adopt(register, 'One', numbers), await adopt(register, 'Other', numbers)];
  const framework_ids = sortedPair(one.framework, other.framework);
  const pairs = numbers.map((number) => ({
    from_id: one.ids[number]!,
    to_id: other.ids[number]!,
    relation: 'SUPPORTS' as const,
  }));
  const command = { type: 'ImportCrosswalk', framework_ids, pairs } as const;
  const { storePosition } = await register.handler.execute(
    crosswalkAggregate(...framework_ids),
    command,
    envelopeFor(),
  );
  await register.projections.waitUntilProjected(ORGANIZATION, storePosition!, 10_000);
  const position = register.reader.snapshot().newestPosition(ORGANIZATION);
  for (const name of ['Gate', 'Fence']) await register.call('addRisk', { organization_id: ORGANIZATION, name });
  Object.assign(context, { register, controls: Object.values(one.ids), position });
});
test.after(({ register }) => register.stop());

test('is one change in lists of controls’ changes, on any page', async ({ register, controls, position }) => {
  const filters = [
    { record_types: ['CONTROL', 'RISK'] },
    { record_types: ['CONTROL'] },
    { record_id: controls.slice(0, 50) },
  ];
  for (const filter of filters) {
    for (const size of [1, 2, 50]) {
      const listed: unknown[] = [];
      let cursor: string | undefined;
      do {
        const input = { organization_id: ORGANIZATION, filter, size, cursor };
        const page = await ok<{ changes: Answer[]; next_cursor?: string }>(register, 'listChanges', input);
        assert.ok(page.changes.length <= size);
        listed.push(...page.changes.map(({ event_type }) => event_type));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      const risks = 'record_types' in filter && filter.record_types.includes('RISK') ? ['RiskAdded', 'RiskAdded'] : [];
      assert.equal(
        listed,
        [...risks, 'CrosswalkImported', 'FrameworkAdopted', 'FrameworkAdopted'].slice(0, listed.length),
      );
      const { total } = await ok(register, 'listChanges', { organization_id: ORGANIZATION, filter, view: 'COUNT' });
      assert.is(listed.length, total, `${JSON.stringify(filter)}, ${size}, position ${position}`);
    }
  }
});

test('verifies, and an altered row of one control is found', async ({ register, position }) => {
  const { verification } = await verifyChanges(register, { filter: {} });
  assert.equal([verification.verdict, verification.complete, verification.faults], ['VALID', true, []]);
  const alter = [alterChangeSql('reason', "'forged'", position)];
  const altered = await withReadModels(register.folder, alter, () => verifyChanges(register, { filter: {} }));
  assert.is(altered.verification.verdict, 'INVALID');
});

test('is the same after a rebuild', ({ register }) => assertRebuilt(register));

test.run();
