/** The rules of an organization for decisions that assistants or people may not make alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  approvalPolicyOf,
  effectiveAutonomy,
  fourEyesInForce,
  LOWER_FOUR_EYES,
} from '../../../src/commands/organization/approval-policy.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import {
  type OrganizationCommand,
  type OrganizationState,
  organization,
} from '../../../src/commands/organization/organization.ts';
import { FAMILY_DECISIONS } from '../../../src/register/decisions.ts';

const NOW = '2026-11-26T10:00:00.000Z';
const POLICY = { type: 'ChangeApprovalPolicy', ceiling: 'ALL', four_eyes: [], hourly_changes: 500 } as const;

function decide(command: OrganizationCommand, state: OrganizationState | null, actor_id = 'acc_ingrid') {
  const context = { now: NOW, today: NOW.slice(0, 10), actor_id, role: 'OWNER', maxAcceptanceDays: 366 } as const;
  return organization.decide(command, state, context);
}

const evolve = (state: OrganizationState | null, ...commands: OrganizationCommand[]): OrganizationState =>
  commands.reduce<OrganizationState | null>((s, command) => decide(command, s).reduce(organization.evolve, s), state)!;

const member = (account_id: string, role: Role, until: string | null = null) =>
  ({ type: 'AddMember', account_id, role, until }) as const;

const founded = (...others: OrganizationCommand[]) =>
  evolve(
    null,
    { type: 'CreateOrganization', name: 'Acme', import_key: 'k', installation: 'i', owner_id: 'acc_ingrid' },
    ...others,
  );
const inForce = (state: OrganizationState) => [...fourEyesInForce(state)];

const test = suite('the policy of approvals');

test('every decision has a name of its own', () => {
  const names = FAMILY_DECISIONS.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  for (const name of ['RISK_ACCEPT', 'VENDOR_REVIEW', 'AUDIT_COMPLETE', 'EVIDENCE_ARCHIVE'])
    assert.ok(names.includes(name));
});

test('without a policy there is no ceiling, and nothing is under four eyes', () => {
  const state = founded();
  assert.equal(approvalPolicyOf(state), { ceiling: 'ALL', four_eyes: [], hourly_changes: 500 });
  assert.equal(inForce(state), []);
  assert.is(effectiveAutonomy(state, { autonomy: 'DECISIONS_PROPOSED' }), 'DECISIONS_PROPOSED');
});

test('the lower of the ceiling and the autonomy holds', () => {
  for (const [ceiling, own, expected] of [
    ['ALL', undefined, 'ALL'],
    ['DECISIONS_PROPOSED', undefined, 'DECISIONS_PROPOSED'],
    ['DECISIONS_PROPOSED', 'PROPOSE_ONLY', 'PROPOSE_ONLY'],
    ['PROPOSE_ONLY', 'DECISIONS_PROPOSED', 'PROPOSE_ONLY'],
  ] as const) {
    const state = evolve(founded(), { ...POLICY, ceiling });
    assert.is(effectiveAutonomy(state, own === undefined ? {} : { autonomy: own }), expected);
  }
});

test('only an OWNER sets a policy, only of known decisions, and setting the same again changes nothing', () => {
  const state = founded(member('acc_adam', 'ADMIN'));
  assert.throws(() => decide({ ...POLICY, ceiling: 'PROPOSE_ONLY' }, state, 'acc_adam'), /role OWNER/);
  assert.throws(() => decide({ ...POLICY, four_eyes: ['RISK_PAINT'] }, state), /no decision RISK_PAINT/);
  for (const hourly_changes of [0, 1.5, 100_001])
    assert.throws(() => decide({ ...POLICY, hourly_changes }, state), /whole number/);
  assert.equal(decide(POLICY, state), []);
});

test('four eyes need two OWNERs and two accounts that may approve', () => {
  const accept = { ...POLICY, four_eyes: ['RISK_ACCEPT'] };
  assert.throws(() => decide(accept, founded(member('acc_adam', 'ADMIN'))), /two OWNERs/);
  assert.throws(
    () => decide({ ...POLICY, four_eyes: ['RISK_CLOSE'] }, founded()),
    /Only one account may approve RISK_CLOSE/,
  );
  const ends = founded(member('acc_adam', 'ADMIN', '2027-01-01T00:00:00.000Z'));
  assert.throws(() => decide(accept, ends), /Only one account may approve RISK_ACCEPT/);
  const two = evolve(founded(member('acc_priya', 'OWNER')), accept);
  assert.equal(inForce(two), ['RISK_ACCEPT', LOWER_FOUR_EYES]);
});

test('a change of members suspends four eyes in the same append, and resumes them', () => {
  const state = evolve(founded(member('acc_priya', 'OWNER')), { ...POLICY, four_eyes: ['RISK_ACCEPT', 'RISK_CLOSE'] });
  const demote = { type: 'ChangeMemberRole', account_id: 'acc_priya', role: 'EDITOR' } as const;
  const suspended = decide(demote, state);
  assert.equal(
    suspended.map(({ type, data }) => [type, 'decisions' in data && data.decisions]),
    [
      ['MemberRoleChanged', false],
      ['FourEyesSuspended', ['RISK_ACCEPT']],
    ],
  );
  const left = evolve(state, demote);
  assert.equal(inForce(left), ['RISK_CLOSE', LOWER_FOUR_EYES], 'an EDITOR may still approve that a risk is closed');
  const admin = evolve(left, member('acc_adam', 'ADMIN'));
  assert.equal(inForce(admin), ['RISK_ACCEPT', 'RISK_CLOSE', LOWER_FOUR_EYES]);
  const limited = evolve(admin, {
    type: 'ChangeMembershipEnd',
    account_id: 'acc_adam',
    until: '2027-01-01T00:00:00.000Z',
  });
  assert.equal(inForce(limited), ['RISK_CLOSE', LOWER_FOUR_EYES]);
  const off = evolve(limited, POLICY);
  assert.equal([off.four_eyes, off.four_eyes_suspended], [[], []]);
});

test.run();
