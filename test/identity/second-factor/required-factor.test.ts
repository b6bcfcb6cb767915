/** An organization that requires a second factor of its members: whom it keeps out, from when, and what they are told. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { requirePermission } from '../../../src/commands/organization/permissions.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { hasTwoFactors } from '../../../src/identity/second-factor/required-factor.ts';
import { Authenticator } from '../../../src/identity/tokens/authenticator.ts';
import { type Company, openOrganization, refusedWith } from '../../support/identity/membership.ts';

const test = suite<{ company: Company; bo: string }>('a required second factor');

const APP = { secret: 'JBSWY3DPEHPK3PXP', step: 0 };
const DAY_MS = 86_400_000;
const PAGE = 'https://grc.example/settings/security';

test.before.each(async (context) => {
  const company = await openOrganization();
  context.company = company;
  context.bo = await company.member('EDITOR', 'Bo');
  await company.accounts.update('accounts', company.owner, { totp: APP });
});
test.after.each(({ company }) => company.close());

const dayOf = ({ now }: Company, days = 0) => new Date(now().getTime() + days * DAY_MS).toISOString().slice(0, 10);

const requireFrom = (company: Company, from = dayOf(company)) =>
  company.members.requireSecondFactor(company.organizationId, from, accountActor(company.owner));

/** Creates a token of an account, and returns a function that finds its caller. */
async function tokenOf(company: Company, account_id: string) {
  const organizations = [company.organizationId];
  const { token } = await company.tokens.create({ name: 'T', account_id, role: 'EDITOR', organizations });
  const authenticator = new Authenticator({ ...company, baseUrl: 'https://grc.example' });
  return async () => {
    company.clock.wait(1_001);
    return authenticator.authenticate(token);
  };
}

test('only an OWNER who has a second factor sets it, not for a past day', async ({ company, bo }) => {
  const { members, organizationId, owner, accounts } = company;
  const today = dayOf(company);
  await accounts.update('accounts', bo, { totp: APP });
  assert.is(await refusedWith(members.requireSecondFactor(organizationId, today, accountActor(bo))), 'forbidden');
  assert.is(await refusedWith(requireFrom(company, dayOf(company, -1))), 'invalid_input');
  await accounts.update('accounts', owner, { totp: null });
  assert.is(await refusedWith(requireFrom(company)), 'forbidden');
  await accounts.update('accounts', owner, { totp: APP });
  await requireFrom(company);
  await requireFrom(company);
  assert.is(await members.secondFactorFrom(organizationId), today);
  const types = (await company.eventTypes()).filter((type) => type.startsWith('SecondFactor'));
  assert.equal(types, ['SecondFactorRequired']);
});

test('a token without the factor gets forbidden, with the page that helps; with it, the token works again', async ({
  company,
  bo,
}) => {
  const { organizationId, accounts } = company;
  const callerOf = await tokenOf(company, bo);
  assert.is((await callerOf())!.roles.get(organizationId), 'EDITOR');
  await requireFrom(company);
  const caller = (await callerOf())!;
  assert.equal([...caller.roles], []);
  const error = await Promise.resolve()
    .then(() => requirePermission(caller, organizationId, 'readRecords'))
    .catch((thrown: unknown) => thrown as Refusal);
  assert.instance(error, Refusal);
  assert.is((error as Refusal).code, 'forbidden');
  assert.match((error as Refusal).message, PAGE);

  await accounts.insert('passkeys', { id: 'key', account_id: bo });
  assert.is((await callerOf())!.roles.get(organizationId), 'EDITOR');
  await accounts.remove('passkeys', 'key');
  assert.equal([...(await callerOf())!.roles], []);
  await company.members.makeSecondFactorOptional(organizationId, accountActor(company.owner));
  assert.is((await callerOf())!.roles.get(organizationId), 'EDITOR');
});

test('it begins with its day, also for a token that was just used', async ({ company, bo }) => {
  const { organizationId, clock, members } = company;
  const callerOf = await tokenOf(company, bo);
  const from = dayOf(company, 1);
  await requireFrom(company, from);
  clock.wait(Date.parse(from) - clock.now().getTime() - 1_500);
  assert.is((await callerOf())!.roles.size, 1);
  clock.wait(500);
  assert.is((await callerOf())!.roles.size, 0);
  assert.ok((await members.membership(bo, organizationId))!.missingFactor);
});

test('it holds in this organization only, and sessions are kept out like tokens', async ({ company, bo }) => {
  const { members, organizationId } = company;
  const other = await members.createOrganization('Other', company.owner);
  await members.add(other.id, bo, 'VIEWER', accountActor(company.owner));
  await requireFrom(company);
  const caller = await members.callerOf(bo);
  assert.equal([...caller.roles], [[other.id, 'VIEWER']]);
  assert.equal([...caller.missingFactor!.organizations], [organizationId]);
  assert.equal([...(await members.callerOf(company.owner)).roles.keys()].sort(), [organizationId, other.id].sort());
});

test('the provider’s factors count for an account without a password', async ({ company, bo }) => {
  const { accounts } = company;
  const has = () => hasTwoFactors(accounts, bo);
  assert.not.ok(await has());
  await accounts.update('accounts', bo, { subject: 'https://login.example bo', provider_factors: true });
  assert.ok(await has());
  await accounts.update('accounts', bo, { password: 'a hash' });
  assert.not.ok(await has(), 'the password alone would be enough');
  await accounts.update('accounts', bo, { password: null, provider_factors: false });
  assert.not.ok(await has());
});

test.run();
