/** Members with any number of tokens can be removed, prolonged and erased. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationStream } from '../../../src/commands/families.ts';
import { MAX_REVOCATIONS } from '../../../src/commands/organization/organization-members.ts';
import { accountActor, executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { closeAll, rejectionError } from '../../support/identity/identity.ts';
import { type Company, openOrganization } from '../../support/identity/membership.ts';

/** The longest reason, of characters that take most bytes. */
const LONGEST_REASON = '漢'.repeat(1_000);
const DAY_MS = 86_400_000;

const test = suite('members with many tokens');

test.after.each(closeAll);

/** Opens an organization with a member whose tokens expire in a day, and who has none that the account store has. */
async function openWithMember(count: number): Promise<Company & { bo: string }> {
  const company = await openOrganization();
  const bo = await company.member('VIEWER', 'Bo');
  await createTokens(company, bo, count);
  return { ...company, bo };
}

/** Writes only events, as tokens of a person who has had many of them for years. */
async function createTokens({ handler, organizationId, now }: Company, account_id: string, count: number) {
  const expires_at = new Date(now().getTime() + DAY_MS).toISOString();
  for (let index = 0; index < count; index++) {
    const grant = { token_id: randomId('tok'), account_id, role: 'VIEWER', read_only: true, expires_at } as const;
    await executeOrganizationCommand(handler, organizationId, { type: 'CreateToken', ...grant });
  }
}

/** Returns the types of the newest events, each with the number of those in a row. */
async function newestTypes({ eventTypes }: Company, after: number): Promise<[string, number][]> {
  const runs: [string, number][] = [];
  for (const type of (await eventTypes()).slice(after)) {
    if (runs.at(-1)?.[0] === type) runs.at(-1)![1] += 1;
    else runs.push([type, 1]);
  }
  return runs;
}

test('a removal leaves 1,200 expired tokens out, and revokes 200 active ones with the longest reason', async () => {
  const company = await openWithMember(1_200);
  const { clock, members, organizationId, owner, bo, eventTypes, tokens } = company;
  clock.waitDays(2);
  const request = { name: 't', account_id: bo, role: 'VIEWER', organizations: [organizationId] } as const;
  const { token } = await tokens.create(request, accountActor(bo));
  await createTokens(company, bo, MAX_REVOCATIONS - 1);
  const written = (await eventTypes()).length;
  await members.remove(organizationId, bo, accountActor(owner), LONGEST_REASON);
  assert.equal(await newestTypes(company, written), [
    ['MemberRemoved', 1],
    ['TokenRevoked', MAX_REVOCATIONS],
  ]);
  assert.is(await company.authenticator.authenticate(token), null);
  const events = await company.events.readStream(organizationStream(organizationId));
  assert.ok(events.slice(written).every(({ data }) => data?.reason === LONGEST_REASON));
});

test('more active tokens than one append holds are revoked before the removal, also by one who leaves', async () => {
  const count = 2 * MAX_REVOCATIONS + 5;
  const company = await openWithMember(count);
  const { members, bo, eventTypes } = company;
  const written = (await eventTypes()).length;
  await members.leaveAll(bo);
  assert.equal(await newestTypes(company, written), [
    ['TokenRevoked', 2 * MAX_REVOCATIONS],
    ['MemberRemoved', 1],
    ['TokenRevoked', 5],
  ]);
  assert.equal((await members.organizationsOf(bo)).length, 0);
});

test('a refused removal revokes nothing', async () => {
  const company = await openOrganization();
  await createTokens(company, company.owner, MAX_REVOCATIONS + 1);
  const { members, organizationId, owner, eventTypes } = company;
  const written = await eventTypes();
  const error = await rejectionError(members.remove(organizationId, owner, accountActor(owner)));
  assert.match(error.message, 'last OWNER');
  assert.equal(await eventTypes(), written);
});

test('a membership that ended is prolonged without its tokens, active or expired', async () => {
  const company = await openOrganization();
  const { members, organizationId, owner, clock, accounts, tokens, eventTypes, now } = company;
  const bo = await company.member('VIEWER', 'Bo');
  const request = { name: 't', account_id: bo, role: 'VIEWER', organizations: [organizationId], days: 1 } as const;
  const { record } = await tokens.create(request, accountActor(bo));
  const end = new Date(now().getTime() + DAY_MS / 2).toISOString();
  await members.changeEnd(organizationId, bo, end, accountActor(owner));
  clock.waitDays(2);
  const written = (await eventTypes()).length;
  await members.changeEnd(organizationId, bo, null, accountActor(owner));
  assert.equal(await newestTypes(company, written), [['MemberAdded', 1]]);
  const stored = await accounts.get('tokens', record.id);
  assert.equal(stored?.organizations, [], 'an expired token of the ended membership can’t be renewed for the new one');
});

test.run();
