import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationStream } from '../../../src/commands/families.ts';
import { ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { accountActor, SYSTEM_ACTOR } from '../../../src/identity/memberships/actor.ts';
import { OrganizationTokens } from '../../../src/identity/tokens/organization-tokens.ts';
import { Tokens } from '../../../src/identity/tokens/tokens.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { closeAll, withAccounts } from '../../support/identity/identity.ts';
import { type Company, openOrganization, refusedWith } from '../../support/identity/membership.ts';

const test = suite('people’s credentials');

test.after.each(closeAll);

/** Creates a member's own token. */
function createOwnToken(
  { tokens, organizationId }: Company,
  account_id: string,
  role: Role,
  organizations = [organizationId],
) {
  return tokens.create({ name: 'mine', account_id, role, organizations }, accountActor(account_id));
}

const CLIENT = { id: 'client-1', name: 'Some assistant' };

/** Creates another organization with these members. */
async function createOtherOrganization({ members, owner }: Company, ...accounts: [string, Role][]): Promise<string> {
  const { id } = await members.createOrganization('Another', owner);
  for (const [account, role] of accounts) await members.add(id, account, role, accountActor(owner));
  return id;
}

test('people create tokens for themselves, up to their role in each organization', async () => {
  const company = await openOrganization();
  const { authenticator, clock, member, organizationId, owner, tokens } = company;
  for (const present of ROLES) {
    const account = await member(present);
    for (const role of ROLES) {
      clock.wait(1);
      const creation = createOwnToken(company, account, role);
      if (ROLES.indexOf(role) > ROLES.indexOf(present)) assert.is(await refusedWith(creation), 'forbidden');
      else {
        const caller = (await authenticator.authenticate((await creation).token))!;
        assert.equal([caller.roles.get(organizationId), caller.members.get(organizationId)], [role, present]);
      }
    }
  }
  const bo = await member('EDITOR');
  const newToken = { name: 'for Bo', account_id: bo, role: 'VIEWER', organizations: [organizationId] } as const;
  assert.is(await refusedWith(tokens.create(newToken, accountActor(owner))), 'forbidden');
  const foreignToken = await createOtherOrganization(company);
  assert.is(await refusedWith(createOwnToken(company, bo, 'VIEWER', [organizationId, foreignToken])), 'not_found');
  const both = await createOtherOrganization(company, [bo, 'VIEWER']);
  assert.is(await refusedWith(createOwnToken(company, bo, 'EDITOR', [organizationId, both])), 'forbidden');
  assert.is((await tokens.listOfAccount(bo)).length, 0);
});

test('a form sent twice at once creates one token and one event', async () => {
  const company = await openOrganization();
  const { member, organizationId, eventTypes, tokens } = company;
  const bo = await member('EDITOR');
  const countCreated = async () => (await eventTypes()).filter((type) => type === 'TokenCreated').length;
  const before = await countCreated();
  const commandId = '7e0f0c0e-6c0f-4c64-9a0a-3f6f0d2b8a11';
  const send = (role: Role) =>
    tokens.create(
      { name: 'mine', account_id: bo, role, organizations: [organizationId], once: commandId },
      accountActor(bo),
    );
  const both = await Promise.allSettled([send('EDITOR'), send('VIEWER')]);
  assert.equal(
    both
      .map((creation) => (creation.status === 'fulfilled' ? 'made' : (creation.reason as { code?: string }).code))
      .sort(),
    ['conflict', 'made'],
  );
  assert.is(await countCreated(), before + 1);
  assert.is((await tokens.listOfAccount(bo)).length, 1);
});

test('leaving everything for erasure also erases the names of one’s tokens', async () => {
  const company = await openOrganization();
  const { accounts, member, members, organizationId, tokens } = company;
  const bo = await member('EDITOR');
  const { record } = await createOwnToken(company, bo, 'EDITOR');
  await accounts.update('tokens', record.id, { name: 'Bo Smith’s laptop' });
  const grant = { name: 'Some assistant', account_id: bo, role: 'VIEWER', organizations: [organizationId] } as const;
  const assistant = await tokens.connect({ ...grant, client: CLIENT }, accountActor(bo));
  await members.leaveAll(bo);
  const names = new Map((await tokens.listOfAccount(bo)).map(({ id, name }) => [id, name]));
  assert.equal([names.get(record.id), names.get(assistant.id)], ['API token', 'Some assistant']);
});

test('a person’s list marks tokens that expire soon, and contains no hash', async () => {
  const company = await openOrganization();
  const { clock, member, owner, tokens } = company;
  const bo = await member('EDITOR');
  const { record: first } = await createOwnToken(company, bo, 'EDITOR');
  clock.wait(1);
  const { record: second } = await createOwnToken(company, bo, 'VIEWER');
  await tokens.revoke(second.id, 'r', accountActor(bo));
  const states = async () => (await tokens.listOfAccount(bo)).map(({ id, state, expiring }) => [id, state, expiring]);
  assert.equal(await states(), [
    [second.id, 'REVOKED', false],
    [first.id, 'ACTIVE', false],
  ]);
  clock.waitDays(76);
  assert.equal((await states())[1], [first.id, 'ACTIVE', true]);
  clock.waitDays(14);
  assert.equal((await states())[1], [first.id, 'EXPIRED', false]);
  assert.not.ok((await tokens.listOfAccount(bo)).some((token) => 'hash' in token));
  assert.is((await tokens.listOfAccount(owner)).length, 1);
});

test('renewing or revoking another person’s token fails as if it did not exist', async () => {
  const company = await openOrganization();
  const { member, owner, tokens } = company;
  const bo = await member('EDITOR');
  const { record } = await createOwnToken(company, bo, 'EDITOR');
  assert.is(await refusedWith(tokens.revoke(record.id, 'r', accountActor(owner))), 'not_found');
  assert.is(await refusedWith(tokens.regenerate(record.id, 90, accountActor(owner))), 'not_found');
  assert.is((await tokens.regenerate(record.id, 30, accountActor(bo))).record.id, record.id);
  await tokens.revoke(record.id, 'r', accountActor(bo));
  assert.is((await company.eventTypes()).at(-1), 'TokenRevoked');
});

test('an assistant is a token without a text; people connect, list and revoke it', async () => {
  const company = await openOrganization();
  const { accounts, events, member, organizationId, tokens } = company;
  const bo = await member('EDITOR');
  const newToken = { name: 'Some assistant', account_id: bo, role: 'EDITOR', organizations: [organizationId] } as const;
  const record = await tokens.connect({ ...newToken, read_only: true, client: CLIENT }, accountActor(bo));
  assert.equal((await accounts.get('tokens', record.id))!.hash, null);
  const created = (await events.readStream(organizationStream(organizationId))).at(-1)!;
  const { expires_at } = record;
  const facts = { token_id: record.id, account_id: bo, role: 'EDITOR', read_only: true, expires_at, kind: 'ASSISTANT' };
  assert.equal([created.type, created.data], ['TokenCreated', facts]);
  const [assistant] = await tokens.listOfAccount(bo);
  assert.equal([assistant!.kind, assistant!.client, assistant!.last_four], ['ASSISTANT', CLIENT, '']);
  assert.is(await refusedWith(tokens.regenerate(record.id, 90, accountActor(bo))), 'invalid_transition');
  await tokens.revoke(record.id, undefined, accountActor(bo));
  assert.is((await accounts.get('tokens', record.id))!.revoked_at, company.clock.now().toISOString());
  assert.is((await company.eventTypes()).at(-1), 'TokenRevoked');
});

test('an OWNER or ADMIN sees the organization’s tokens with their owner and current role', async () => {
  const company = await openOrganization();
  const { clock, member, members, organizationId, owner, tokens } = company;
  const organizationTokens = new OrganizationTokens(company);
  const bo = await member('EDITOR', 'Bo');
  clock.wait(1);
  const { record } = await createOwnToken(company, bo, 'EDITOR');
  await tokens.revoke((await createOwnToken(company, bo, 'VIEWER')).record.id);
  clock.wait(1);
  await tokens.connect(
    { name: 'A', account_id: bo, role: 'VIEWER', organizations: [organizationId], client: CLIENT, days: 1 },
    accountActor(bo),
  );
  await members.changeRole(organizationId, bo, 'AUDITOR', accountActor(owner));
  const listed = await organizationTokens.list(organizationId, accountActor(owner));
  assert.equal(
    listed.map(({ kind, role, owner: { name } }) => [kind, role, name]),
    [
      ['ASSISTANT', 'VIEWER', 'Bo'],
      ['API', 'AUDITOR', 'Bo'],
      ['API', 'ADMIN', 'First owner'],
    ],
  );
  assert.is(listed[1]!.id, record.id);
  clock.waitDays(1);
  assert.is((await organizationTokens.list(organizationId, SYSTEM_ACTOR)).length, 2);
  for (const role of ROLES) {
    const account = await member(role);
    const list = organizationTokens.list(organizationId, accountActor(account));
    if (role === 'ADMIN' || role === 'OWNER') assert.is((await list).length, 2);
    else assert.is(await refusedWith(list), 'forbidden');
  }
});

test('a list reads only its own tokens', async () => {
  const company = await openOrganization();
  const all: AccountStore['all'] = async () => assert.unreachable('read all of them') as never;
  const tokens = new Tokens(withAccounts(company, { all }));
  assert.is((await tokens.listOfAccount(company.owner)).length, 1);
  const organizationTokens = new OrganizationTokens(withAccounts(company, { all }));
  assert.is((await organizationTokens.list(company.organizationId, SYSTEM_ACTOR)).length, 1);
});

test('a token removed from an organization loses its role there at once, on other instances within a second, and stays valid elsewhere', async () => {
  const company = await openOrganization();
  const otherCompany = await openOrganization(company);
  const { accounts, authenticator, clock, member, organizationId, owner, tokens } = company;
  const bo = await member('EDITOR');
  const second = await createOtherOrganization(company, [bo, 'EDITOR']);
  const { token, record } = await createOwnToken(company, bo, 'EDITOR', [organizationId, second]);
  const organizationsOf = async (there: Company) =>
    [...(await there.authenticator.authenticate(token))!.roles.keys()].sort();
  const both = [organizationId, second].sort();
  assert.equal([await organizationsOf(company), await organizationsOf(otherCompany)], [both, both]);
  assert.is(
    await refusedWith(tokens.revokeInOrganization(record.id, second, accountActor(await member('ADMIN')))),
    'forbidden',
  );
  await tokens.revokeInOrganization(record.id, organizationId, accountActor(owner), 'not for work');
  assert.equal(await organizationsOf(company), [second]);
  clock.wait(1_000);
  assert.equal(await organizationsOf(otherCompany), [second]);
  assert.equal(
    [(await company.eventTypes()).at(-1), (await company.eventTypes(second)).at(-1)],
    ['TokenRevoked', 'TokenCreated'],
  );
  const renewed = await tokens.regenerate(record.id, 30, accountActor(bo));
  assert.equal([...(await authenticator.authenticate(renewed.token))!.roles.keys()], [second]);
  await tokens.revokeInOrganization(record.id, second, accountActor(owner));
  assert.is(await authenticator.authenticate(renewed.token), null);
  const storedRecord = (await accounts.get('tokens', record.id))!;
  assert.equal([storedRecord.hash, storedRecord.organizations, typeof storedRecord.revoked_at], [null, [], 'string']);
});

test('only its owner, an ADMIN or an OWNER may remove a token from an organization', async () => {
  const company = await openOrganization();
  const { member, organizationId, tokens } = company;
  const bo = await member('EDITOR');
  for (const role of ROLES) {
    const { record } = await createOwnToken(company, bo, 'VIEWER');
    const revocation = tokens.revokeInOrganization(record.id, organizationId, accountActor(await member(role)));
    if (role === 'ADMIN' || role === 'OWNER') await revocation;
    else assert.is(await refusedWith(revocation), 'forbidden');
  }
  const { record } = await createOwnToken(company, bo, 'VIEWER');
  await tokens.revokeInOrganization(record.id, organizationId, accountActor(bo));
  const revocation = tokens.revokeInOrganization('tok_00000000000000000000000000', organizationId, SYSTEM_ACTOR);
  assert.is(await refusedWith(revocation), 'not_found');
});

test('a removed member’s tokens and assistants stop at once, on other instances within a second', async () => {
  const company = await openOrganization();
  const otherCompany = await openOrganization(company);
  const { accounts, authenticator, clock, member, members, organizationId, owner, tokens } = company;
  const bo = await member('EDITOR');
  const { token, record } = await createOwnToken(company, bo, 'EDITOR');
  const newToken = { name: 'A', account_id: bo, role: 'EDITOR', organizations: [organizationId] } as const;
  const assistant = await tokens.connect({ ...newToken, client: CLIENT }, accountActor(bo));
  assert.ok(await authenticator.authenticate(token));
  assert.ok(await otherCompany.authenticator.authenticate(token));
  await members.remove(organizationId, bo, accountActor(owner), 'left the house');
  assert.is(await authenticator.authenticate(token), null);
  clock.wait(1_000);
  assert.is(await otherCompany.authenticator.authenticate(token), null);
  assert.equal((await company.eventTypes()).slice(-3), ['MemberRemoved', 'TokenRevoked', 'TokenRevoked']);
  for (const { id } of [record, assistant]) assert.is.not((await accounts.get('tokens', id))!.revoked_at, null);
  await members.add(organizationId, bo, 'EDITOR', accountActor(owner));
  clock.wait(1_000);
  assert.is(await authenticator.authenticate(token), null);
});

test('a new role takes effect at once, on other instances within a second', async () => {
  const company = await openOrganization();
  const otherCompany = await openOrganization(company);
  const { clock, member, members, organizationId, owner } = company;
  const bo = await member('ADMIN');
  const { token } = await createOwnToken(company, bo, 'ADMIN');
  const role = async ({ authenticator }: Company) => {
    const caller = (await authenticator.authenticate(token))!;
    return [caller.roles.get(organizationId), caller.members.get(organizationId)];
  };
  assert.equal(
    [await role(company), await role(otherCompany)],
    [
      ['ADMIN', 'ADMIN'],
      ['ADMIN', 'ADMIN'],
    ],
  );
  await members.changeRole(organizationId, bo, 'VIEWER', accountActor(owner));
  assert.equal(await role(company), ['VIEWER', 'VIEWER']);
  clock.wait(1_000);
  assert.equal(await role(otherCompany), ['VIEWER', 'VIEWER']);
});

test.run();
