import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Caller, ROLES, type Role } from '../../src/commands/caller.ts';
import {
  hasPermission,
  PERMISSIONS,
  type Permission,
  requirePermission,
  roleAllows,
  toolPermission,
} from '../../src/commands/permissions.ts';
import { Refusal } from '../../src/commands/refusal.ts';

const test = suite('the table of permissions');

/** The permissions of each role, written down from the contract, so that a slip in the table shows. */
const READS_NOW = words(
  'listOrganizations getRecords listRisks listMeasures listVendors listObligations listNonconformities listFrameworks listControls listAudits',
);
const READS_PAST = ['listChanges', 'getReport', 'as_of another day', 'getRecords HISTORY'];
const WRITES = words(
  'addRisk updateRisk decideRisk addVendor updateVendor reviewVendor addMeasure updateMeasure addEvidence addObligation updateObligation addNonconformity updateNonconformity updateControl addAudit updateAudit linkRecords importRecords',
);
const DECIDES = [
  'addFramework',
  'archiveRecords',
  'decideRisk ACCEPT',
  'renameOrganization',
  'viewTokens',
  'revokeTokens',
];
const ACCESS = 'listChanges ACCESS';

const MAY: Record<Role, readonly string[]> = {
  VIEWER: [...READS_NOW, 'createTokens'],
  AUDITOR: [...READS_NOW, 'createTokens', ...READS_PAST, ACCESS],
  EDITOR: [...READS_NOW, 'createTokens', ...READS_PAST, ...WRITES],
  ADMIN: [...READS_NOW, 'createTokens', ...READS_PAST, ACCESS, ...WRITES, ...DECIDES],
  OWNER: [...READS_NOW, 'createTokens', ...READS_PAST, ACCESS, ...WRITES, ...DECIDES, 'changeMembers'],
};

function words(text: string): string[] {
  return text.split(' ');
}

const DEEDS = Object.keys(PERMISSIONS) as Permission[];

for (const role of ROLES) {
  test(`gives ${role} what the contract does`, () => {
    assert.equal(DEEDS.filter((deed) => roleAllows(role, deed)).sort(), MAY[role].toSorted());
  });
}

test('marks every permission that writes', () => {
  const reading = [...READS_NOW, ...READS_PAST, ACCESS, 'viewTokens'];
  assert.equal(DEEDS.filter((deed) => !PERMISSIONS[deed].writes).sort(), reading.sort());
});

/** Returns a caller whose credential and member have these roles. */
function callerOf(role: Role, member = role, read_only = false): Caller {
  return {
    ...{ account_id: 'acc_1', token_id: 'tok_1', client: null, read_only },
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

test('checks both roles of a caller', () => {
  for (const member of ROLES) {
    for (const role of ROLES.slice(0, ROLES.indexOf(member) + 1)) {
      for (const deed of DEEDS) {
        const both = roleAllows(role, deed) && roleAllows(member, deed);
        assert.is(hasPermission(callerOf(role, member), 'org_1', deed), both, `${role} of ${member}: ${deed}`);
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

test('returns the caller’s role, or says which role is needed', () => {
  assert.is(requirePermission(callerOf('EDITOR', 'OWNER'), 'org_1', 'addRisk'), 'EDITOR');
  assert.match(
    refusal(() => requirePermission(callerOf('EDITOR'), 'org_1', 'archiveRecords')).message,
    /ADMIN or OWNER/,
  );
  assert.match(
    refusal(() => requirePermission(callerOf('ADMIN'), 'org_1', 'changeMembers')).message,
    /need the role OWNER/,
  );
  assert.match(
    refusal(() => requirePermission(callerOf('OWNER', 'OWNER', true), 'org_1', 'addRisk')).message,
    /read-only/,
  );
  assert.is(requirePermission(callerOf('OWNER', 'OWNER', true), 'org_1', 'listRisks'), 'OWNER');
  assert.is(refusal(() => requirePermission(callerOf('OWNER'), 'org_2', 'listRisks')).code, 'not_found');
});

test('has exactly one line for each tool', () => {
  assert.is(toolPermission('addRisk'), 'addRisk');
  assert.throws(() => toolPermission('toString'), /add a line/);
  assert.throws(() => toolPermission('changeMembers'), /add a line/);
});

test.run();
