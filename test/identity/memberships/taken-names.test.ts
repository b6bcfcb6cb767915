/** Names that callers could confuse with another member's are refused where people choose their names. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { accountActor, executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { addToMembershipIndex } from '../../../src/identity/memberships/membership-index.ts';
import { toVerifiedPerson } from '../../../src/identity/openid/claims.ts';
import { closeAll } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  EVE,
  refusalOf,
  signUp,
  startPeople,
  type TestPeople,
} from '../../support/identity/people.ts';

const test = suite('taken names');

test.after.each(closeAll);

const LOOKALIKES = ['ada  LOVELACE', '\u0410da Lovelace', 'Ada Love1ace'];

/** Creates an organization with its owner, and more members. */
async function createOrganization(people: TestPeople, ...memberIds: string[]): Promise<string> {
  const { handler, accounts } = people.identity;
  const id = randomId('org');
  const [owner_id, ...others] = memberIds as [string];
  await executeOrganizationCommand(handler, id, {
    type: 'CreateOrganization',
    name: 'Acme',
    import_key: 'k',
    installation: 'i',
    owner_id,
  });
  for (const account_id of others) {
    await executeOrganizationCommand(handler, id, { type: 'AddMember', account_id, role: 'EDITOR' });
  }
  for (const account_id of memberIds) await addToMembershipIndex(accounts, account_id, id);
  return id;
}

test('nobody takes a name like that of another member, and names elsewhere don’t matter', async () => {
  const people = await startPeople();
  const { account: ada } = await signUp(people);
  const { account: eve, session } = await signUp(people, EVE);
  for (const name of LOOKALIKES) await people.accounts.rename(session, name);
  const organizationId = await createOrganization(people, ada.id, eve.id);
  for (const name of LOOKALIKES.toReversed().slice(1)) {
    const refusal = await refusalOf(people.accounts.rename(session, name));
    assert.equal([refusal.code, refusal.more.field], ['invalid_input', 'name'], name);
  }
  await people.accounts.rename(session, 'Eve Lovelace');
  await people.accounts.rename(session, 'EVE Lovelace');
  const remove = { type: 'RemoveMember', account_id: eve.id } as const;
  await executeOrganizationCommand(people.identity.handler, organizationId, remove, accountActor(ada.id));
  await people.accounts.rename(session, 'Ada Lovelace');
});

test('an invitation isn’t used up by a taken name', async () => {
  const people = await startPeople();
  const { account: ada } = await signUp(people);
  const organization_id = await createOrganization(people, ada.id);
  const invitation = { kind: 'INVITATION', organization_id, role: 'EDITOR', made_by: ada.id } as const;
  const { secret } = await people.links.create(invitation);
  const join = (name: string) => people.welcome.join(secret, { ...EVE, name }, CLIENT_INFO);
  for (const name of LOOKALIKES) {
    const refusal = await refusalOf(join(name));
    assert.equal([refusal.code, refusal.more.field], ['invalid_input', 'name'], name);
  }
  const { message } = await refusalOf(join(`Ada${' '.repeat(300)}Lovelace`));
  assert.match(message, '1 to 200 characters', 'a long text is compared with nobody’s name');
  assert.is((await people.identity.accounts.all('accounts')).length, 1);
  const person = { ...EVE, name: 'Ada  Lovelace', email: 'other@example.org' };
  const { account, session } = await signUp(people, person);
  assert.match((await refusalOf(people.welcome.accept(secret, session))).message, 'Change yours');
  await people.accounts.rename(session, 'Ada B. Lovelace');
  assert.is(await people.welcome.accept(secret, session), organization_id);
  assert.is((people.joined as [unknown, string][])[0]![1], account.id);
});

test('ids, reserved words and others’ addresses are no names', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  for (const name of ['Me', 'SYSTEM', 'Owner', 'Verltrail', randomId('acc'), 'acc_ada', EVE.email]) {
    const refusal = await refusalOf(people.accounts.rename(session, name));
    assert.equal([refusal.code, refusal.more.field], ['invalid_input', 'name'], name);
    assert.is(
      (await refusalOf(people.accounts.create({ ...ADA, name, email: 'x@example.org' }, CLIENT_INFO))).code,
      'invalid_input',
    );
  }
  await people.accounts.rename(session, ADA.email);
});

test('a provider’s claim that can’t be a name is left out', () => {
  const nameOf = (claims: object) =>
    toVerifiedPerson({ iss: 'https://id.example', sub: '1', email: 'ada@example.org', email_verified: true, ...claims })
      .name;
  assert.is(nameOf({ name: 'SYSTEM', given_name: 'Ada' }), 'Ada');
  assert.is(nameOf({ preferred_username: 'eve@example.org' }), 'ada');
  assert.is(nameOf({ preferred_username: 'ada@example.org' }), 'ada@example.org');
});

test.run();
