import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { type Caller, ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import {
  hasPermission,
  PERMISSIONS,
  type Permission,
  requirePermission,
  requireUnchangedRights,
  roleAllows,
} from '../../../src/commands/organization/permissions.ts';
import { rejection } from '../../support/run/take.ts';

const test = suite('permissions');

/** The permissions of each role, copied from the contract, so that a mistake in the table shows. */
const ADMINISTERS = [
  'adoptFrameworks',
  'archiveRecords',
  'acceptRisks',
  'renameOrganization',
  'viewTokens',
  'revokeTokens',
];
const ACCESS = 'readAccessLog';
const EXPORTS = 'exportHistory';

const EXPECTED_PERMISSIONS: Record<Role, readonly string[]> = {
  VIEWER: ['readRecords', 'createTokens'],
  AUDITOR: ['readRecords', 'createTokens', EXPORTS, ACCESS],
  EDITOR: ['readRecords', 'createTokens', EXPORTS, 'changeRecords'],
  ADMIN: ['readRecords', 'createTokens', EXPORTS, ACCESS, 'changeRecords', ...ADMINISTERS],
  OWNER: [
    ...['readRecords', 'createTokens', EXPORTS, ACCESS, 'changeRecords', ...ADMINISTERS],
    ...['changeMembers', 'requireSecondFactor', 'changeApprovalPolicy', 'createOrganizations'],
  ],
};

const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as Permission[];

for (const role of ROLES) {
  test(`${role} has exactly the permissions of the contract`, () => {
    assert.equal(
      ALL_PERMISSIONS.filter((permission) => roleAllows(role, permission)).sort(),
      EXPECTED_PERMISSIONS[role].toSorted(),
    );
  });
}

test('the permission table marks every permission that writes', () => {
  const readPermissions = ['readRecords', EXPORTS, ACCESS, 'viewTokens'];
  assert.equal(ALL_PERMISSIONS.filter((permission) => !PERMISSIONS[permission].writes).sort(), readPermissions.sort());
});

/** Returns a caller whose credential and member have these roles. */
function callerOf(role: Role, member = role, read_only = false): Caller {
  return {
    account_id: 'acc_1',
    token_id: 'tok_1',
    client: null,
    read_only,
    roles: new Map([['org_1', role]]),
    members: new Map([['org_1', member]]),
  };
}

function refusal(attempt: () => unknown): Refusal {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error('should have been refused');
}

test('a permission needs both the credential’s role and the member’s role', () => {
  for (const member of ROLES) {
    for (const role of ROLES.slice(0, ROLES.indexOf(member) + 1)) {
      for (const permission of ALL_PERMISSIONS) {
        const isAllowed = roleAllows(role, permission) && roleAllows(member, permission);
        assert.is(
          hasPermission(callerOf(role, member), 'org_1', permission),
          isAllowed,
          `${role} of ${member}: ${permission}`,
        );
      }
    }
  }
  assert.not.ok(hasPermission(callerOf('AUDITOR', 'EDITOR'), 'org_1', ACCESS));
  const { code, message } = refusal(() => requirePermission(callerOf('AUDITOR', 'EDITOR'), 'org_1', ACCESS));
  assert.is(code, 'forbidden');
  assert.is(
    message,
    'For the access log you need the role AUDITOR, ADMIN or OWNER, but yours is EDITOR. Ask an OWNER to change it.',
  );
});

test('what was read is shown only while both roles stay', async () => {
  const read = (found: Caller) =>
    requireUnchangedRights({ ...callerOf('VIEWER', 'ADMIN'), renew: async () => found }, ['org_1']);
  await read(callerOf('VIEWER', 'ADMIN'));
  for (const found of [callerOf('VIEWER', 'EDITOR'), callerOf('AUDITOR', 'ADMIN')]) {
    assert.is(((await rejection(read(found))) as Refusal).code, 'conflict');
  }
});

test('a token of a lower role than its member’s is named as the limit', () => {
  const { message } = refusal(() => requirePermission(callerOf('VIEWER', 'OWNER'), 'org_1', 'archiveRecords'));
  assert.is(
    message,
    'For archiving and restoring records you need the role ADMIN or OWNER, but this token has the role VIEWER. ' +
      'Use one with a higher role: you may create it.',
  );
  const ofMember = refusal(() => requirePermission(callerOf('VIEWER', 'EDITOR'), 'org_1', 'archiveRecords'));
  assert.match(ofMember.message, /but yours is VIEWER\. Ask an OWNER/);
});

test('requirePermission returns the caller’s role or names the required one', () => {
  assert.is(requirePermission(callerOf('EDITOR', 'OWNER'), 'org_1', 'changeRecords'), 'EDITOR');
  assert.match(
    refusal(() => requirePermission(callerOf('EDITOR'), 'org_1', 'archiveRecords')).message,
    /ADMIN or OWNER/,
  );
  assert.match(
    refusal(() => requirePermission(callerOf('ADMIN'), 'org_1', 'changeMembers')).message,
    /need the role OWNER/,
  );
  assert.match(
    refusal(() => requirePermission(callerOf('OWNER', 'OWNER', true), 'org_1', 'changeRecords')).message,
    /read-only/,
  );
  assert.is(requirePermission(callerOf('OWNER', 'OWNER', true), 'org_1', 'readRecords'), 'OWNER');
  assert.is(refusal(() => requirePermission(callerOf('OWNER'), 'org_2', 'readRecords')).code, 'not_found');
});

test.run();
