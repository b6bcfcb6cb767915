/** A cursor from before a restore may have a position that doesn't exist any more. Its page would mix two histories. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Refusal } from '../../../src/commands/engine/refusal.ts';
import { pinFile } from '../../../src/queries/files/open-file.ts';
import { rejectionError } from '../../support/identity/identity.ts';
import { type Answer, callerAs, ORGANIZATION, startRegister, type TestRegister } from '../../support/register.ts';

interface Context {
  before: TestRegister;
  /** The same organization, restored from an older copy. */
  restored: TestRegister;
}

const test = suite<Context>('cursors after a restore');

const VENDORS = 60;

test.before(async (context) => {
  // Each checks at most 30 events a call.
  context.before = await startRegister(undefined, { maxEventsVerified: 30 });
  context.restored = await startRegister(undefined, { maxEventsVerified: 30 });
  for (let index = 0; index < VENDORS; index++) {
    const vendor = { organization_id: ORGANIZATION, name: `V${index}`, description: 'long '.repeat(400) };
    await context.before.call('addVendor', vendor);
  }
  for (const name of ['V0', 'V1', 'V2']) {
    await context.restored.call('addVendor', { organization_id: ORGANIZATION, name });
  }
});

test.after(async ({ before, restored }) => {
  await before.stop();
  await restored.stop();
});

const CALLS: readonly [tool: string, args: object, next: (answer: Answer) => unknown, field: string][] = [
  ['listVendors', { as_of: '40', size: 1 }, ({ next_cursor }) => next_cursor, 'cursor'],
  ['listChanges', { size: 1 }, ({ next_cursor }) => next_cursor, 'cursor'],
  ['listChanges', { as_of: '40', size: 1 }, ({ next_cursor }) => next_cursor, 'cursor'],
  ['getReport', { type: 'VENDORS', format: 'JSON' }, ({ next_cursor }) => next_cursor, 'cursor'],
  [
    'listChanges',
    { verify: true, size: 1 },
    ({ verification }) => (verification as { verify_cursor: string }).verify_cursor,
    'verify_cursor',
  ],
];

for (const [tool, args, next, field] of CALLS) {
  test(`${tool} ${JSON.stringify(args)}: refuses a position that doesn’t exist`, async ({ before, restored }) => {
    const input = { organization_id: ORGANIZATION, ...args };
    const cursor = next(await before.call(tool, input));
    assert.type(cursor, 'string');
    assert.not('error' in (await before.call(tool, { ...input, [field]: cursor })));
    const { error } = await restored.call<{ error: Record<string, string> }>(tool, { ...input, [field]: cursor });
    assert.equal([error.code, error.field], ['invalid_input', field]);
    assert.match(error.message!, 'before the history was restored');
  });
}

test('a file that is resumed refuses it too', async ({ before, restored }) => {
  const input = { organization_id: ORGANIZATION, as_of: '40' };
  const { cursor } = await pinFile(before.reader.snapshot(), callerAs(), 'vendors', input);
  const resumed = { ...input, cursor };
  assert.is((await pinFile(before.reader.snapshot(), callerAs(), 'vendors', resumed)).moment.position, 40);
  const refusal = await rejectionError(pinFile(restored.reader.snapshot(), callerAs(), 'vendors', resumed));
  assert.equal([(refusal as Refusal).code, (refusal as Refusal).more.field], ['invalid_input', 'cursor']);
});

test.run();
