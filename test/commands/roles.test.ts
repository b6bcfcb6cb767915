import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Caller, ROLES, type Role } from '../../src/commands/caller.ts';
import { Refusal } from '../../src/commands/refusal.ts';
import { type Deed, deedOf, may, permit, permits, RULES } from '../../src/commands/roles.ts';

const test = suite('the table of roles');

/** What each role may, written down from the contract, so that a slip in the table shows. */
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
  'seeTokens',
  'takeOutTokens',
];
const ACCESS = 'listChanges ACCESS';

const MAY: Record<Role, readonly string[]> = {
  VIEWER: [...READS_NOW, 'makeTokens'],
  AUDITOR: [...READS_NOW, 'makeTokens', ...READS_PAST, ACCESS],
  EDITOR: [...READS_NOW, 'makeTokens', ...READS_PAST, ...WRITES],
  ADMIN: [...READS_NOW, 'makeTokens', ...READS_PAST, ACCESS, ...WRITES, ...DECIDES],
  OWNER: [...READS_NOW, 'makeTokens', ...READS_PAST, ACCESS, ...WRITES, ...DECIDES, 'changeMembers'],
};

function words(text: string): string[] {
  return text.split(' ');
}

const DEEDS = Object.keys(RULES) as Deed[];

for (const role of ROLES) {
  test(`gives ${role} what the contract does`, () => {
    assert.equal(DEEDS.filter((deed) => may(role, deed)).sort(), MAY[role].toSorted());
  });
}

test('says of everything whether it writes', () => {
  const reading = [...READS_NOW, ...READS_PAST, ACCESS, 'seeTokens'];
  assert.equal(DEEDS.filter((deed) => !RULES[deed].writes).sort(), reading.sort());
});

/** A caller by the role of its credential and that of its member. */
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

test('asks both roles of a caller', () => {
  for (const member of ROLES) {
    for (const role of ROLES.slice(0, ROLES.indexOf(member) + 1)) {
      for (const deed of DEEDS) {
        const both = may(role, deed) && may(member, deed);
        assert.is(permits(callerOf(role, member), 'org_1', deed), both, `${role} of ${member}: ${deed}`);
      }
    }
  }
  assert.not.ok(permits(callerOf('AUDITOR', 'EDITOR'), 'org_1', ACCESS));
  const { code, message } = refusal(() => permit(callerOf('AUDITOR', 'EDITOR'), 'org_1', ACCESS));
  assert.is(code, 'forbidden');
  assert.is(
    message,
    'For the access log the role has to be AUDITOR, ADMIN or OWNER, here it is EDITOR: ask an OWNER for it.',
  );
});

test('answers the role in which something is done, or says what is needed', () => {
  assert.is(permit(callerOf('EDITOR', 'OWNER'), 'org_1', 'addRisk'), 'EDITOR');
  assert.match(refusal(() => permit(callerOf('EDITOR'), 'org_1', 'archiveRecords')).message, /ADMIN or OWNER/);
  assert.match(refusal(() => permit(callerOf('ADMIN'), 'org_1', 'changeMembers')).message, /has to be OWNER/);
  assert.match(refusal(() => permit(callerOf('OWNER', 'OWNER', true), 'org_1', 'addRisk')).message, /only reads/);
  assert.is(permit(callerOf('OWNER', 'OWNER', true), 'org_1', 'listRisks'), 'OWNER');
  assert.is(refusal(() => permit(callerOf('OWNER'), 'org_2', 'listRisks')).code, 'not_found');
});

test('knows every tool by its name, and no other', () => {
  assert.is(deedOf('addRisk'), 'addRisk');
  assert.throws(() => deedOf('toString'), /add a line/);
  assert.throws(() => deedOf('changeMembers'), /add a line/);
});

test.run();
