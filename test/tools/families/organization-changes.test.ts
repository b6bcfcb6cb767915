import * as assert from 'uvu/assert';
import type { OrganizationCommand } from '../../../src/commands/organization/organization.ts';
import { accountActor, executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { callerAs, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';
import { until } from '../../support/run/wait.ts';

interface Change {
  event_type: string;
  record: { name: string; type: string };
  reason: string | null;
  actor: { id: string };
  changes: { field: string; from: unknown; to: unknown }[];
}

const BO = 'acc_00000000000000000000000B00';
const CY = 'acc_00000000000000000000000C00';
const TOKEN = 'tok_00000000000000000000000001';
const GRANT = { account_id: BO, role: 'AUDITOR', read_only: true, expires_at: '2027-01-01T00:00:00.000Z' } as const;
const KIND = 'ASSISTANT' as const;
const END = '2099-06-30T23:59:59.999Z';

/** Commands with their callers, and the changes that an auditor sees after each. */
const STORY: [by: 'owner' | 'bo', command: OrganizationCommand, told: Omit<Change, 'record' | 'actor'>[]][] = [
  [
    'owner',
    { type: 'RenameOrganization', name: 'Acme AS', reason: 'r1' },
    [{ event_type: 'OrganizationRenamed', reason: 'r1', changes: [{ field: 'name', from: 'Acme', to: 'Acme AS' }] }],
  ],
  [
    'owner',
    { type: 'AddMember', account_id: BO, role: 'EDITOR' },
    [{ event_type: 'MemberAdded', reason: null, changes: [{ field: `members.${BO}`, from: null, to: 'EDITOR' }] }],
  ],
  [
    'owner',
    { type: 'ChangeMemberRole', account_id: BO, role: 'ADMIN', reason: 'r2' },
    [
      {
        event_type: 'MemberRoleChanged',
        reason: 'r2',
        changes: [{ field: `members.${BO}`, from: 'EDITOR', to: 'ADMIN' }],
      },
    ],
  ],
  [
    'owner',
    { type: 'ChangeMembershipEnd', account_id: BO, until: END, reason: 'r5' },
    [
      {
        event_type: 'MemberAdded',
        reason: 'r5',
        changes: [{ field: `membership_ends.${BO}`, from: null, to: END }],
      },
    ],
  ],
  [
    'owner',
    { type: 'AdmitDomain', domain: 'acme.no', role: 'VIEWER', reason: 'r3' },
    [{ event_type: 'DomainAdmitted', reason: 'r3', changes: [{ field: 'domains.acme.no', from: null, to: 'VIEWER' }] }],
  ],
  [
    'owner',
    { type: 'WithdrawDomain', domain: 'acme.no' },
    [
      {
        event_type: 'DomainWithdrawn',
        reason: null,
        changes: [{ field: 'domains.acme.no', from: 'VIEWER', to: null }],
      },
    ],
  ],
  [
    'owner',
    { type: 'RequireSecondFactor', from: '2099-12-01', reason: 'r6' },
    [
      {
        event_type: 'SecondFactorRequired',
        reason: 'r6',
        changes: [{ field: 'second_factor_from', from: null, to: '2099-12-01' }],
      },
    ],
  ],
  [
    'owner',
    { type: 'MakeSecondFactorOptional' },
    [
      {
        event_type: 'SecondFactorMadeOptional',
        reason: null,
        changes: [{ field: 'second_factor_from', from: '2099-12-01', to: null }],
      },
    ],
  ],
  [
    'owner',
    { type: 'AddMember', account_id: CY, role: 'OWNER' },
    [{ event_type: 'MemberAdded', reason: null, changes: [{ field: `members.${CY}`, from: null, to: 'OWNER' }] }],
  ],
  [
    'owner',
    {
      type: 'ChangeApprovalPolicy',
      ceiling: 'PROPOSE_ONLY',
      four_eyes: ['RISK_CLOSE'],
      hourly_changes: 9,
      reason: 'r7',
    },
    [
      {
        event_type: 'ApprovalPolicyChanged',
        reason: 'r7',
        changes: [
          { field: 'ceiling', from: null, to: 'PROPOSE_ONLY' },
          { field: 'four_eyes', from: null, to: ['RISK_CLOSE'] },
          { field: 'four_eyes_suspended', from: null, to: [] },
          { field: 'hourly_changes', from: null, to: 9 },
        ],
      },
    ],
  ],
  [
    'owner',
    { type: 'RemoveMember', account_id: CY },
    [
      {
        event_type: 'MemberRemoved',
        reason: null,
        changes: [{ field: `members.${CY}`, from: 'OWNER', to: null }],
      },
      {
        event_type: 'FourEyesSuspended',
        reason: null,
        changes: [{ field: 'four_eyes_suspended', from: [], to: ['RISK_CLOSE'] }],
      },
    ],
  ],
  [
    'bo',
    { type: 'CreateToken', token_id: TOKEN, ...GRANT, kind: KIND },
    [
      {
        event_type: 'TokenCreated',
        reason: null,
        changes: [{ field: `tokens.${TOKEN}`, from: null, to: { ...GRANT, kind: KIND, revoked: false } }],
      },
    ],
  ],
  [
    'bo',
    { type: 'RemoveMember', account_id: BO, reason: 'r4' },
    [
      {
        event_type: 'MemberRemoved',
        reason: 'r4',
        changes: [
          { field: `members.${BO}`, from: 'ADMIN', to: null },
          { field: `membership_ends.${BO}`, from: END, to: null },
        ],
      },
      {
        event_type: 'TokenRevoked',
        reason: 'r4',
        changes: [
          {
            field: `tokens.${TOKEN}`,
            from: { ...GRANT, kind: KIND, revoked: false },
            to: { ...GRANT, kind: KIND, revoked: true },
          },
        ],
      },
    ],
  ],
];

const test = registerSuite<{ register: TestRegister }>('changes of an organization', 'ALL');

test('listChanges shows an organization’s changes with old and new values, actor and reason', async ({ register }) => {
  const { accountId, handler, organizationId, projections } = register;
  const expectedChanges: unknown[] = [];
  for (const [by, command, events] of STORY) {
    const actor = by === 'owner' ? accountId : BO;
    const { storePosition } = await executeOrganizationCommand(handler, organizationId, command, accountActor(actor));
    assert.ok(await projections.waitUntilProjected(organizationId, storePosition!, 5_000));
    for (const event of events) expectedChanges.push({ ...event, actor });
  }
  const filter = { record_types: ['ORGANIZATION'], from: '3' };
  const { changes } = await register.call<{ changes: Change[] }>(
    'listChanges',
    { organization_id: organizationId, filter, size: 100, verify: true },
    callerAs('AUDITOR'),
  );
  const changeRows = changes.map(({ event_type, reason, changes, actor }) => ({
    event_type,
    reason,
    changes,
    actor: actor.id,
  }));
  assert.equal(changeRows.reverse(), expectedChanges);
  assert.is(changes[0]!.record.name, 'Acme AS');
});

type Organizations = { organizations: { name: string; members: { id: string }[] }[] };

test('listOrganizations shows the new name, without former and ended members', async ({ register }) => {
  const { accountId, handler, organizationId } = register;
  const end = new Date(Date.now() + 200).toISOString();
  const add = { type: 'AddMember', account_id: BO, role: 'AUDITOR', until: end } as const;
  await executeOrganizationCommand(handler, organizationId, add, accountActor(accountId));
  const membersListed = async () => {
    const { organizations } = await register.call<Organizations>('listOrganizations', { include_members: true });
    assert.is(organizations[0]!.name, 'Acme AS');
    return organizations[0]!.members.map(({ id }) => id);
  };
  await until(async () => new Date().toISOString() > end, 5_000, 'the membership has ended');
  assert.equal(await membersListed(), [accountId]);
});

test.run();
