/** An organization_id that a call leaves out is the only organization that its credential reaches. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller, Role } from '../../../src/commands/organization/caller.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import {
  OTHER_PREFIX,
  startTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/two-organizations.ts';
import { assertNames, type RefusalError } from '../../support/mcp/refusals.ts';
import { callerAs, ORGANIZATION } from '../../support/register.ts';
import { embeddedPair, serve } from '../../support/stores/pairs.ts';

const test = suite<TwoOrganizations>('an organization left out');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

/** Returns a caller with a role in both organizations. */
function callerOfBoth({ otherOwner }: TwoOrganizations, role: Role = 'OWNER'): Caller {
  const roles = new Map([...otherOwner.roles.keys(), ORGANIZATION].map((id) => [id, role] as const));
  return callerAs(role, { roles });
}

const implied = ALL_TOOLS.filter(({ impliesOrganization }) => impliesOrganization).map(({ name }) => name);

test('lists, adds, changes, reports and imports can leave it out', () => {
  assert.equal(
    [...implied].sort(),
    ALL_TOOLS.map(({ name }) => name)
      .filter((name) => /^(list(?!Organizations)|add|getReport|importRecords)/.test(name))
      .sort(),
  );
});

for (const name of implied) {
  test(`${name} takes the only organization, and its answer states it`, async ({ register, inputsByTool, ourIds }) => {
    const { organization_id, ...input } = inputsByTool.get(name)!;
    for (const unused of [{}, { organization_id: null }, { organization_id: '' }]) {
      const answer = await register.call(name, { ...input, ...unused });
      assert.is(answer.error, undefined, `${name}: ${JSON.stringify(answer)}`);
      assert.is(answer.organization_id, ourIds.get('org'));
    }
    const named = await register.call(name, { ...input, organization_id });
    assert.is(named.organization_id, undefined);
  });
}

test('a caller of several organizations is told their names, whatever the role', async (context) => {
  const { register, ourIds, theirIds } = context;
  for (const role of ['OWNER', 'VIEWER'] as const) {
    for (const name of implied) {
      const { organization_id: _, ...input } = context.inputsByTool.get(name)!;
      const { error } = await register.call<{ error: RefusalError }>(name, input, callerOfBoth(context, role));
      assertNames(error, 'invalid_input', 'organization_id', name);
      assert.equal(error.allowed, [ourIds.get('org'), theirIds.get('org')], name);
      assert.is(error.hint, `Acme (${ourIds.get('org')}), ${OTHER_PREFIX} (${theirIds.get('org')})`);
    }
  }
});

test('other problems of the input are told in the same round', async (context) => {
  const input = { order_by: { field: 'none' }, surplus: 1 };
  const answer = await context.register.call<{ error: RefusalError }>('listRisks', input, callerOfBoth(context));
  assert.equal(
    answer.error.issues!.map(({ field }) => field),
    ['organization_id', 'order_by.field', 'surplus'],
  );
});

test('a caller without an organization is told so', async ({ register }) => {
  const nobody = callerAs('OWNER', { roles: new Map() });
  const { error } = await register.call<{ error: RefusalError }>('listRisks', {}, nobody);
  assertNames(error, 'invalid_input', 'organization_id', 'nobody');
  assert.equal([error.allowed, error.hint], [undefined, undefined]);
});

test('roles that the log confirms decide, not those that were known before', async (context) => {
  const { register, inputsByTool } = context;
  const both = callerOfBoth(context);
  const { organization_id: _, ...input } = inputsByTool.get('addVendor')!;
  const joined = { ...callerAs(), confirm: () => Promise.resolve(both) };
  const { error } = await register.call<{ error: RefusalError }>('addVendor', input, joined);
  assertNames(error, 'invalid_input', 'organization_id', 'joined');
});

test('a repeated call may name the organization that the first one left out', async ({ register }) => {
  const input = { name: 'Once', idempotency_key: 'implied' };
  const first = await register.call('addVendor', input);
  const again = await register.call('addVendor', { ...input, organization_id: ORGANIZATION });
  assert.equal([again.repeated, again.position], [true, first.position]);
});

test('a token’s own organizations count, not those of its account', async () => {
  const served = await serve(embeddedPair());
  try {
    const organizations = [served.organizationId, await served.secondOrganization()];
    const both = await served.as('OWNER', { organizations });
    assert.equal((await both.refused('listVendors', {})).allowed?.toSorted(), organizations.toSorted());
    for (const id of organizations) {
      const one = await served.as('EDITOR', { organizations: [id] });
      const { vendor } = await one.ok('addVendor', { name: 'Nimbus' });
      assert.is(vendor.organization_id, id);
    }
  } finally {
    await served.close();
  }
});

test.run();
