/** Members who leave, are removed or are erased while a concurrent call adds them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { removeFromMembershipIndex } from '../../../src/identity/memberships/membership-index.ts';
import { closeAll, replaceMembers } from '../../support/identity/identity.ts';
import { openOrganization } from '../../support/identity/membership.ts';
import { CLIENT_INFO, signUp, startPeople } from '../../support/identity/people.ts';

const test = suite('leaving concurrently');

test.after.each(closeAll);

test('a person added again during their removal is still indexed, and can leave everything', async () => {
  const company = await openOrganization();
  const secondService = await openOrganization(company);
  const { accounts, names, handler, authenticator, members, member, now, organizationId, owner, tokens } = company;
  const bo = await member('EDITOR');
  const addAgain = () => secondService.members.add(organizationId, bo, 'EDITOR', accountActor(owner));
  // Runs after the event, and before the organization is removed from the index.
  const atOnce = {
    accounts,
    names,
    handler,
    now,
    tokens: new Proxy(tokens, {
      get: (target, name) => (name === 'removeOrganization' ? addAgain : Reflect.get(target, name)),
    }),
  };
  await new Members(atOnce).remove(organizationId, bo, accountActor(owner));
  assert.equal([...(await members.rolesOf(bo)).keys()], [organizationId]);
  const request = { name: 'mine', account_id: bo, role: 'EDITOR', organizations: [organizationId] } as const;
  const { token } = await tokens.create(request, accountActor(bo));
  await members.leaveAll(bo);
  assert.is((await authenticator.authenticate(token))?.roles.size ?? 0, 0, 'an erased account keeps no token');
});

test('restores an index entry that a concurrent removal deleted', async () => {
  const company = await openOrganization();
  const { accounts, names, handler, members, member, now, organizationId, owner, tokens } = company;
  const bo = await member('EDITOR');
  await members.remove(organizationId, bo, accountActor(owner));
  // The other call's last step comes between this call's index entry and its event.
  const execute: typeof handler.execute = async (...args) => {
    await removeFromMembershipIndex(accounts, bo, organizationId);
    return handler.execute(...args);
  };
  const slowMembers = new Members({ accounts, names, tokens, now, handler: replaceMembers(handler, { execute }) });
  await slowMembers.add(organizationId, bo, 'VIEWER', accountActor(owner));
  assert.equal([...(await members.rolesOf(bo)).keys()], [organizationId]);
});

test('an account erased while it joins is a member nowhere', async () => {
  const company = await openOrganization();
  const { accounts, members, organizationId, owner } = company;
  const { id } = await members.createOrganization('Another', owner);
  const rounds: string[] = [];
  const join = async (account: string) => {
    const joining = members.add(id, account, 'OWNER', accountActor(owner));
    rounds.push(
      await joining.then(
        () => 'joined',
        () => 'refused',
      ),
    );
  };
  for (const when of ['before', 'after'] as const) {
    const people = await startPeople(company, {
      leaveAll: async (account) => {
        const erased = (await people.accounts.get(account))!.erased_at !== null;
        await members.leaveAll(account);
        if (erased === (when === 'after')) await join(account);
      },
    });
    const person = { name: when, email: `${when}@example.org`, password: 'weaves algebraic patterns' };
    const { account, session } = await signUp(people, person);
    await members.add(organizationId, account.id, 'EDITOR', accountActor(owner));
    await people.accounts.erase(session, person.password, CLIENT_INFO);
    assert.equal([...(await members.rolesOf(account.id))], [], when);
    assert.equal(
      (await members.membersOf(id)).map(({ account_id }) => account_id),
      [owner],
    );
    assert.equal(Object.keys((await accounts.get('accounts', account.id))!).sort(), ['created_at', 'erased_at', 'id']);
  }
  assert.equal(rounds, ['joined', 'refused']);
});

test.run();
