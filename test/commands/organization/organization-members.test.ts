import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { organization } from '../../../src/commands/organization/organization.ts';
import { MAX_REVOCATIONS } from '../../../src/commands/organization/organization-members.ts';
import type { OrganizationEvent } from '../../../src/register/organization.ts';
import { organizationStory } from '../../support/identity/organization.ts';
import { specOf } from '../../support/spec.ts';

const test = suite('organization members');
const { given } = specOf(organization);
const { ADA, BO, CY, SYSTEM, added, as, begun } = organizationStory;

const roleChanged = (account_id: string, from: Role, to: Role): OrganizationEvent => ({
  type: 'MemberRoleChanged',
  data: { account_id, from, to },
});
const removed = (account_id: string, role: Role): OrganizationEvent => ({
  type: 'MemberRemoved',
  data: { account_id, role },
});
const admitted = (domain: string, role: Role): OrganizationEvent => ({
  type: 'DomainAdmitted',
  data: { domain, role },
});
const token = (token_id: string, account_id: string, expires_at = '2027-01-01T00:00:00.000Z'): OrganizationEvent => ({
  type: 'TokenCreated',
  data: { token_id, account_id, role: 'VIEWER', read_only: false, expires_at },
});

test('members are added by an OWNER; the same role again changes nothing, another role is refused', () => {
  const add = { type: 'AddMember', account_id: BO, role: 'EDITOR' } as const;
  given(begun)
    .when(add, as(ADA))
    .then([added(BO, 'EDITOR')]);
  given(begun)
    .when(add, SYSTEM)
    .then([added(BO, 'EDITOR')]);
  const both = [...begun, added(BO, 'EDITOR')];
  given(both).when(add, as(ADA)).then([]);
  given(both)
    .when({ ...add, role: 'VIEWER' }, as(ADA))
    .refused('invalid_transition', { field: 'role' });
});

test('an OWNER changes a member’s role, with a reason', () => {
  const both = [...begun, added(BO, 'EDITOR')];
  const change = { type: 'ChangeMemberRole', account_id: BO, role: 'ADMIN' } as const;
  given(both)
    .when(change, as(ADA))
    .then([roleChanged(BO, 'EDITOR', 'ADMIN')]);
  given(both)
    .when({ ...change, reason: 'r' }, as(ADA))
    .then([{ type: 'MemberRoleChanged', data: { account_id: BO, from: 'EDITOR', to: 'ADMIN', reason: 'r' } }]);
  given(both)
    .when({ ...change, role: 'EDITOR' }, as(ADA))
    .then([]);
  given(both)
    .when({ ...change, account_id: CY }, as(ADA))
    .refused('not_found', { field: 'account_id' });
  assert.equal(given([...both, roleChanged(BO, 'EDITOR', 'ADMIN')]).state().members, { [ADA]: 'OWNER', [BO]: 'ADMIN' });
});

test('only an OWNER may change members', () => {
  for (const role of ROLES.filter((other) => other !== 'OWNER')) {
    const history = [...begun, added(BO, role), added(CY, 'EDITOR'), admitted('acme.no', 'VIEWER')];
    for (const command of [
      { type: 'AddMember', account_id: 'acc_new', role: 'VIEWER' },
      { type: 'ChangeMemberRole', account_id: CY, role: 'VIEWER' },
      { type: 'ChangeMemberRole', account_id: BO, role: 'OWNER' },
      { type: 'RemoveMember', account_id: CY },
      { type: 'AdmitDomain', domain: 'other.no', role: 'VIEWER' },
      { type: 'WithdrawDomain', domain: 'acme.no' },
    ] as const) {
      given(history).when(command, as(BO)).refused('forbidden');
      given(history).when(command, as('acc_stranger')).refused('forbidden');
    }
  }
});

test('an actor can’t use a role that was just revoked', () => {
  const history = [...begun, added(BO, 'OWNER'), roleChanged(BO, 'OWNER', 'EDITOR')];
  given(history)
    .when({ type: 'ChangeMemberRole', account_id: ADA, role: 'VIEWER' }, { actor_id: BO, role: 'OWNER' })
    .refused('forbidden');
});

test('members are removed with all their active tokens, in one command', () => {
  const history: OrganizationEvent[] = [
    ...[...begun, added(BO, 'EDITOR'), token('tok_1', BO), token('tok_2', BO), token('tok_3', ADA), token('tok_4', BO)],
    { type: 'TokenRevoked', data: { token_id: 'tok_2' } },
  ];
  const events: OrganizationEvent[] = [
    { type: 'MemberRemoved', data: { account_id: BO, role: 'EDITOR', reason: 'left the house' } },
    { type: 'TokenRevoked', data: { token_id: 'tok_1', reason: 'left the house' } },
    { type: 'TokenRevoked', data: { token_id: 'tok_4', reason: 'left the house' } },
  ];
  given(history).when({ type: 'RemoveMember', account_id: BO, reason: 'left the house' }, as(ADA)).then(events);
  const { members, former, tokens } = given([...history, ...events]).state();
  assert.equal([members, former], [{ [ADA]: 'OWNER' }, { [BO]: 'EDITOR' }]);
  assert.equal(
    tokens.entries().map(([id, { revoked }]) => [id, revoked]),
    [
      ['tok_1', true],
      ['tok_2', true],
      ['tok_3', false],
      ['tok_4', true],
    ],
  );
  given([...history, ...events])
    .when({ type: 'RemoveMember', account_id: BO }, as(ADA))
    .refused('not_found', { field: 'account_id' });
});

test('a removal and a prolongation leave expired tokens out', () => {
  const [end, now, later] = ['2026-06-30T23:59:59.999Z', '2026-07-01T00:00:00.000Z', '2026-08-01T00:00:00.000Z'];
  const history = [
    ...[...begun, added(BO, 'EDITOR', end), token('tok_1', BO, '2026-06-01T00:00:00.000Z')],
    ...[token('tok_2', BO, now), token('tok_3', BO, '2026-06-30T00:00:00.000Z')],
  ];
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id: 'tok_2' } };
  given(history)
    .when({ type: 'RemoveMember', account_id: BO }, { ...as(ADA), now })
    .then([removed(BO, 'EDITOR'), revoked]);
  given(history)
    .when({ type: 'ChangeMembershipEnd', account_id: BO, until: later }, { ...as(ADA), now })
    .then([revoked, added(BO, 'EDITOR', later)]);
  given(history)
    .when({ type: 'RemoveMember', account_id: BO }, { ...as(ADA), now: later })
    .then([removed(BO, 'EDITOR')]);
});

test('a member’s tokens are revoked in parts, by an OWNER or the member', () => {
  const tokens = Array.from({ length: MAX_REVOCATIONS + 1 }, (_, index) => token(`tok_${index}`, BO));
  const history = [...begun, added(BO, 'EDITOR'), added(CY, 'ADMIN'), token('tok_c', CY), ...tokens];
  const revoke = { type: 'RevokeMemberTokens', account_id: BO, reason: 'r' } as const;
  const revocations = tokens.map(
    (_, index): OrganizationEvent => ({ type: 'TokenRevoked', data: { token_id: `tok_${index}`, reason: 'r' } }),
  );
  const first = revocations.slice(0, MAX_REVOCATIONS);
  for (const actor of [as(ADA), as(BO), SYSTEM]) given(history).when(revoke, actor).then(first);
  given([...history, ...first])
    .when(revoke, as(ADA))
    .then(revocations.slice(MAX_REVOCATIONS));
  given(history).when(revoke, as(CY)).refused('forbidden');
});

test('a membership ends by the clock, and its tokens with it', () => {
  const [last, after] = ['2026-06-30T23:59:59.999Z', '2026-07-01T00:00:00.000Z'];
  const add = { type: 'AddMember', account_id: BO, role: 'ADMIN', until: last } as const;
  given(begun)
    .when(add, as(ADA))
    .then([added(BO, 'ADMIN', last)]);
  const history = [...begun, added(BO, 'ADMIN', last), token('tok_1', BO), token('tok_2', ADA)];
  const rename = { type: 'RenameOrganization', name: 'n' } as const;
  given(history)
    .when(rename, { ...as(BO), now: last })
    .then([{ type: 'OrganizationRenamed', data: { from: 'Acme', to: 'n' } }]);
  given(history)
    .when(rename, { ...as(BO), now: after })
    .refused('forbidden');
  const grant = { account_id: BO, role: 'VIEWER', read_only: false, expires_at: '2027-01-01T00:00:00.000Z' } as const;
  given(history)
    .when({ type: 'CreateToken', token_id: 'tok_3', ...grant }, { ...as(BO), now: after })
    .refused('forbidden');
  given([...history, admitted('acme.no', 'VIEWER')])
    .when({ type: 'AdmitMember', account_id: BO, domain: 'acme.no' }, { ...as(BO), now: after })
    .then([]);
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id: 'tok_1' } };
  given(history)
    .when({ ...add, role: 'VIEWER', until: null }, { ...as(ADA), now: after })
    .then([revoked, added(BO, 'VIEWER')]);
  given(history)
    .when({ type: 'RemoveMember', account_id: BO }, { ...as(ADA), now: after })
    .then([removed(BO, 'ADMIN'), revoked]);
  assert.equal(given([...history, removed(BO, 'ADMIN')]).state().membership_ends, {});
});

test('an OWNER changes the end of a membership, with a reason', () => {
  const [now, end, later] = ['2026-06-01T00:00:00.000Z', '2026-06-30T23:59:59.999Z', '2026-07-07T23:59:59.999Z'];
  const history = [...begun, added(BO, 'AUDITOR', end), token('tok_1', BO)];
  const prolong = { type: 'ChangeMembershipEnd', account_id: BO, until: later, reason: 'r' } as const;
  const prolonged: OrganizationEvent = {
    type: 'MemberAdded',
    data: { account_id: BO, role: 'AUDITOR', until: later, reason: 'r' },
  };
  given(history)
    .when(prolong, { ...as(ADA), now })
    .then([prolonged]);
  assert.equal(given([...history, prolonged]).state().membership_ends, { [BO]: later });
  given(history)
    .when({ ...prolong, until: end }, { ...as(ADA), now })
    .then([]);
  given(history)
    .when({ type: 'ChangeMembershipEnd', account_id: BO, until: null }, { ...as(ADA), now })
    .then([added(BO, 'AUDITOR')]);
  assert.equal(given([...history, added(BO, 'AUDITOR')]).state().membership_ends, {});
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id: 'tok_1', reason: 'r' } };
  given(history)
    .when(prolong, { ...as(ADA), now: '2026-07-01T00:00:00.000Z' })
    .then([revoked, prolonged]);
  given(history)
    .when(prolong, { ...as(ADA), now: later.replace('07T', '08T') })
    .refused('invalid_input', { field: 'until' });
  given(history)
    .when({ ...prolong, account_id: CY }, { ...as(ADA), now })
    .refused('not_found', { field: 'account_id' });
  given(history)
    .when(prolong, { ...as(BO), now })
    .refused('forbidden');
});

test('a role keeps its end, and an OWNER has none', () => {
  const end = '2026-06-30T23:59:59.999Z';
  const history = [...begun, added(BO, 'AUDITOR', end)];
  assert.equal(given([...history, roleChanged(BO, 'AUDITOR', 'EDITOR')]).state().membership_ends, { [BO]: end });
  const now = '2026-06-01T00:00:00.000Z';
  for (const command of [
    { type: 'ChangeMemberRole', account_id: BO, role: 'OWNER' },
    { type: 'AddMember', account_id: CY, role: 'OWNER', until: end },
    { type: 'ChangeMembershipEnd', account_id: ADA, until: end },
  ] as const) {
    given(history)
      .when(command, { ...as(ADA), now })
      .refused('invalid_input', { field: 'until' });
  }
});

test('a member may leave, in any role', () => {
  for (const role of ROLES) {
    given([...begun, added(BO, role)])
      .when({ type: 'RemoveMember', account_id: BO }, as(BO))
      .then([removed(BO, role)]);
  }
});

test('the last OWNER can’t be removed or demoted, and can’t leave', () => {
  const history = [...begun, added(BO, 'ADMIN')];
  const demote = { type: 'ChangeMemberRole', account_id: ADA, role: 'ADMIN' } as const;
  const remove = { type: 'RemoveMember', account_id: ADA } as const;
  for (const actor of [as(ADA), SYSTEM]) {
    given(history).when(demote, actor).refused('invalid_transition');
    given(history).when(remove, actor).refused('invalid_transition');
  }
  const withTwoOwners = [...history, roleChanged(BO, 'ADMIN', 'OWNER')];
  given(withTwoOwners)
    .when(demote, as(ADA))
    .then([roleChanged(ADA, 'OWNER', 'ADMIN')]);
  given(withTwoOwners)
    .when(remove, as(BO))
    .then([removed(ADA, 'OWNER')]);
  given([...withTwoOwners, removed(ADA, 'OWNER')])
    .when({ type: 'RemoveMember', account_id: BO }, as(BO))
    .refused('invalid_transition');
  given([...withTwoOwners, roleChanged(BO, 'OWNER', 'ADMIN')])
    .when(demote, as(ADA))
    .refused('invalid_transition');
});

test('a removed member comes back when added again', () => {
  const history = [...begun, added(BO, 'EDITOR'), removed(BO, 'EDITOR')];
  given(history)
    .when({ type: 'AddMember', account_id: BO, role: 'VIEWER' }, as(ADA))
    .then([added(BO, 'VIEWER')]);
  const { members, former } = given([...history, added(BO, 'VIEWER')]).state();
  assert.equal([members[BO], former], ['VIEWER', {}]);
});

test('account ids aren’t confused with properties of Object.prototype', () => {
  given(begun).when({ type: 'RemoveMember', account_id: 'toString' }, as(ADA)).refused('not_found');
  given(begun).when({ type: 'RenameOrganization', name: 'n' }, as('constructor')).refused('forbidden');
  given(begun).when({ type: 'RevokeToken', token_id: 'valueOf' }, as(ADA)).refused('not_found');
});

test('an admitted domain adds members with its role', () => {
  const admit = { type: 'AdmitDomain', domain: 'acme.no', role: 'EDITOR' } as const;
  const enter = { type: 'AdmitMember', account_id: BO, domain: 'acme.no' } as const;
  given(begun)
    .when(admit, as(ADA))
    .then([admitted('acme.no', 'EDITOR')]);
  const history = [...begun, admitted('acme.no', 'EDITOR')];
  given(history).when(admit, as(ADA)).then([]);
  given(history)
    .when({ ...admit, role: 'VIEWER' }, as(ADA))
    .then([admitted('acme.no', 'VIEWER')]);
  given(history)
    .when({ ...admit, role: 'OWNER' }, as(ADA))
    .refused('invalid_input', { field: 'role', allowed: ['VIEWER', 'AUDITOR', 'EDITOR', 'ADMIN'] });
  given(history)
    .when(enter, as(BO))
    .then([added(BO, 'EDITOR')]);
  given([...history, added(BO, 'VIEWER')])
    .when(enter, as(BO))
    .then([]);
  given(begun).when(enter, as(BO)).then([]);
  given(history)
    .when({ ...enter, domain: 'evil.no' }, as(BO))
    .then([]);
});

test('a domain doesn’t admit members that were removed or left', () => {
  given([...begun, admitted('acme.no', 'EDITOR'), added(BO, 'EDITOR'), removed(BO, 'EDITOR')])
    .when({ type: 'AdmitMember', account_id: BO, domain: 'acme.no' }, as(BO))
    .then([]);
});

test('members stay when their domain is withdrawn, and no new ones are added', () => {
  const withdrawn: OrganizationEvent = { type: 'DomainWithdrawn', data: { domain: 'acme.no' } };
  const history = [...begun, admitted('acme.no', 'EDITOR'), added(BO, 'EDITOR')];
  given(history).when({ type: 'WithdrawDomain', domain: 'acme.no' }, as(ADA)).then([withdrawn]);
  const after = [...history, withdrawn];
  given(after).when({ type: 'WithdrawDomain', domain: 'acme.no' }, as(ADA)).then([]);
  given(after).when({ type: 'AdmitMember', account_id: CY, domain: 'acme.no' }, as(CY)).then([]);
  assert.equal([given(after).state().members[BO], given(after).state().domains], ['EDITOR', {}]);
});

test.run();
