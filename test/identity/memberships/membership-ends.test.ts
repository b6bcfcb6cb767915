/** Memberships with an end. The clock ends them: no event is written, and no cache may outlive the end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { LiveInstances } from '../../../src/projections/engine/instances.ts';
import { READABLE_EVENTS } from '../../../src/register/events.ts';
import { closeAll, rejectionError } from '../../support/identity/identity.ts';
import { type Company, openOrganization, refusedWith } from '../../support/identity/membership.ts';

/** The test clock begins on 1 March 2026 at 9:00. */
const END = '2026-03-01T23:59:59.999Z';
const UNTIL_END_MS = Date.parse(END) - Date.parse('2026-03-01T09:00:00.000Z');
const WEEK_LATER = '2026-03-08T23:59:59.999Z';

const test = suite('memberships with an end');

test.after.each(closeAll);

/** Opens an organization with an auditor whose membership ends, and returns a token of theirs. */
async function openAudit(): Promise<Company & { auditor: string; token: string }> {
  const company = await openOrganization();
  const { members, organizationId, owner, member } = company;
  const auditor = await member('AUDITOR', 'Una');
  await members.changeEnd(organizationId, auditor, END, accountActor(owner));
  return { ...company, auditor, token: await newToken(company, auditor) };
}

async function newToken({ tokens, organizationId }: Company, account_id: string): Promise<string> {
  const request = { name: 'audit', account_id, role: 'AUDITOR', organizations: [organizationId] } as const;
  return (await tokens.create(request, accountActor(account_id))).token;
}

test('a member has access up to the end, and is as removed a millisecond later', async () => {
  const { members, authenticator, clock, organizationId, auditor, token, eventTypes } = await openAudit();
  const written = await eventTypes();
  clock.wait(UNTIL_END_MS);
  assert.is((await members.membership(auditor, organizationId))?.role, 'AUDITOR');
  assert.equal([...(await authenticator.authenticate(token))!.roles], [[organizationId, 'AUDITOR']]);
  clock.wait(1);
  assert.is(await authenticator.authenticate(token), null, 'the cached roles end with the membership');
  assert.is(await members.membership(auditor, organizationId), null);
  assert.equal(await members.organizationsOf(auditor), []);
  assert.is((await members.callerOf(auditor)).roles.size, 0);
  assert.equal(
    (await members.membersOf(organizationId)).map(({ name, until, ended }) => [name, until, ended]),
    [
      ['First owner', null, false],
      ['Una', END, true],
    ],
  );
  assert.equal(await eventTypes(), written, 'the end itself is no event');
});

test('a token keeps the organizations in which the membership goes on', async () => {
  const company = await openAudit();
  const { members, authenticator, clock, organizationId, owner, auditor, tokens } = company;
  const other = await members.createOrganization('Other', owner);
  await members.add(other.id, auditor, 'VIEWER', accountActor(owner));
  const organizations = [organizationId, other.id];
  const request = { name: 'both', account_id: auditor, role: 'VIEWER', organizations } as const;
  const { token } = await tokens.create(request, accountActor(auditor));
  clock.wait(UNTIL_END_MS);
  assert.is((await authenticator.authenticate(token))!.roles.size, 2);
  clock.wait(1);
  assert.equal([...(await authenticator.authenticate(token))!.roles.keys()], [other.id]);
});

test('prolonging a membership in time keeps its tokens', async () => {
  const { members, authenticator, clock, organizationId, owner, auditor, token } = await openAudit();
  await members.changeEnd(organizationId, auditor, WEEK_LATER, accountActor(owner), 'The audit takes a week more');
  clock.wait(UNTIL_END_MS + 1);
  assert.is((await authenticator.authenticate(token))!.roles.get(organizationId), 'AUDITOR');
  await members.changeEnd(organizationId, auditor, null, accountActor(owner));
  clock.waitDays(30);
  assert.is((await authenticator.authenticate(token))!.roles.get(organizationId), 'AUDITOR');
});

test('tokens end with the membership for good, also if the member is added again', async () => {
  const company = await openAudit();
  const { accounts, members, authenticator, clock, organizationId, owner, auditor, token } = company;
  clock.wait(UNTIL_END_MS + 1);
  assert.is(await refusedWith(newToken(company, auditor)), 'not_found');
  await members.add(organizationId, auditor, 'AUDITOR', accountActor(owner), WEEK_LATER);
  assert.is(await authenticator.authenticate(token), null);
  const [record] = await accounts.find('tokens', 'account_id', auditor);
  assert.equal(record!.organizations, []);
  assert.ok(await authenticator.authenticate(await newToken(company, auditor)));
});

test('an ended member may be removed', async () => {
  const { members, clock, organizationId, owner, auditor, eventTypes } = await openAudit();
  clock.wait(UNTIL_END_MS + 1);
  await members.remove(organizationId, auditor, accountActor(owner));
  assert.equal((await eventTypes()).slice(-2), ['MemberRemoved', 'TokenRevoked']);
  assert.is((await members.membersOf(organizationId)).length, 1);
});

test('an erased account leaves the organization of its ended membership, too', async () => {
  const { members, clock, organizationId, auditor, eventTypes } = await openAudit();
  clock.wait(UNTIL_END_MS + 1);
  await members.leaveAll(auditor);
  assert.equal((await eventTypes()).slice(-2), ['MemberRemoved', 'TokenRevoked']);
  assert.is((await members.membersOf(organizationId)).length, 1);
});

test('an invitation with an impossible end is refused before its link is made', async () => {
  const { members, organizationId, owner, member, eventTypes } = await openAudit();
  const written = await eventTypes();
  const actor = accountActor(owner);
  await members.checkInvitation(organizationId, 'AUDITOR', END, actor);
  const past = members.checkInvitation(organizationId, 'AUDITOR', '2026-02-28T23:59:59.999Z', actor);
  assert.is(await refusedWith(past), 'invalid_input');
  assert.is(await refusedWith(members.checkInvitation(organizationId, 'OWNER', END, actor)), 'invalid_input');
  assert.equal(await eventTypes(), written);
  const admin = accountActor(await member('ADMIN'));
  assert.is(await refusedWith(members.checkInvitation(organizationId, 'AUDITOR', END, admin)), 'forbidden');
});

test('no member is added or invited while an older instance runs, which would ignore the end', async () => {
  const company = await openOrganization();
  const { reads, events, now, organizationId, owner, member } = company;
  const older = new LiveInstances({ reads, readable: { ...READABLE_EVENTS, MemberAdded: 1 } });
  const instances = new LiveInstances({ reads });
  await older.start();
  await instances.follow();
  const bo = await member('EDITOR');
  const handler = new CommandHandler(events, { now, maxAcceptanceDays: 366, canRead: instances.canRead });
  const members = new Members({ ...company, handler });
  for (const call of [
    members.changeEnd(organizationId, bo, END, accountActor(owner)),
    members.checkInvitation(organizationId, 'AUDITOR', END, accountActor(owner)),
  ]) {
    const { code, message } = (await rejectionError(call)) as Error & { code: string };
    assert.is(code, 'unavailable');
    assert.match(message, /cannot read MemberAdded\. Upgrade all instances/);
  }
  await older.stop();
  await instances.follow();
  await members.changeEnd(organizationId, bo, END, accountActor(owner));
  await instances.stop();
});

test.run();
