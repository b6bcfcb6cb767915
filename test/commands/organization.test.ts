import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROLES } from '../../src/commands/caller.ts';
import { lowerRole, type OrganizationEvent, organization } from '../../src/commands/organization.ts';
import { specOf } from '../support/spec.ts';

const test = suite('an organization');
const { given } = specOf(organization);

const created: OrganizationEvent[] = [
  { type: 'OrganizationCreated', data: { name: 'Acme', import_key: 'k', installation: 'i' } },
  { type: 'MemberAdded', data: { account_id: 'acc_1', role: 'OWNER' } },
];
const grant = {
  token_id: 'tok_1',
  account_id: 'acc_1',
  role: 'EDITOR',
  read_only: false,
  expires_at: '2026-06-01T00:00:00.000Z',
} as const;
const tokenCreated: OrganizationEvent = { type: 'TokenCreated', data: grant };

test('begins with its OWNER, once', () => {
  const create = {
    type: 'CreateOrganization',
    name: 'Acme',
    import_key: 'k',
    installation: 'i',
    owner_id: 'acc_1',
  } as const;
  given([]).when(create).then(created);
  given(created)
    .when({ ...create, name: 'Other' })
    .then([]);
  assert.equal(given(created).state(), { name: 'Acme', import_key: 'k', members: { acc_1: 'OWNER' }, tokens: {} });
});

test('takes members and changes their roles; the same role again is nothing', () => {
  const added: OrganizationEvent = { type: 'MemberAdded', data: { account_id: 'acc_2', role: 'EDITOR' } };
  given(created).when({ type: 'AddMember', account_id: 'acc_2', role: 'EDITOR' }).then([added]);
  given([...created, added])
    .when({ type: 'AddMember', account_id: 'acc_2', role: 'EDITOR' })
    .then([]);
  given([...created, added])
    .when({ type: 'AddMember', account_id: 'acc_2', role: 'VIEWER' })
    .then([{ type: 'MemberAdded', data: { account_id: 'acc_2', role: 'VIEWER' } }]);
});

test('gives no token above its member', () => {
  for (const member of ROLES) {
    const history: OrganizationEvent[] = [
      ...created,
      { type: 'MemberAdded', data: { account_id: 'acc_2', role: member } },
    ];
    for (const role of ROLES) {
      const made = given(history).when({ type: 'CreateToken', ...grant, account_id: 'acc_2', role });
      if (ROLES.indexOf(role) > ROLES.indexOf(member)) made.refused('forbidden', { field: 'role' });
      else made.then([{ type: 'TokenCreated', data: { ...grant, account_id: 'acc_2', role } }]);
    }
  }
  given(created)
    .when({ type: 'CreateToken', ...grant, account_id: 'acc_9', role: 'VIEWER' })
    .refused('forbidden', { field: 'role' });
});

test('knows its tokens, renewed and revoked', () => {
  const { token_id, ...token } = grant;
  assert.equal(given([...created, tokenCreated]).state().tokens, { [token_id]: { ...token, revoked: false } });
  const expires_at = '2026-09-01T00:00:00.000Z';
  const regenerated: OrganizationEvent = { type: 'TokenRegenerated', data: { token_id, expires_at } };
  given([...created, tokenCreated])
    .when({ type: 'RegenerateToken', token_id, expires_at })
    .then([regenerated]);
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id, reason: 'lost' } };
  const history = [...created, tokenCreated, regenerated];
  given(history).when({ type: 'RevokeToken', token_id, reason: 'lost' }).then([revoked]);
  given(history)
    .when({ type: 'RevokeToken', token_id })
    .then([{ type: 'TokenRevoked', data: { token_id } }]);
  assert.equal(given([...history, revoked]).state().tokens[token_id], { ...token, expires_at, revoked: true });
});

test('revokes a token once, and none that it does not have', () => {
  const { token_id } = grant;
  given([...created, tokenCreated, { type: 'TokenRevoked', data: { token_id } }])
    .when({ type: 'RevokeToken', token_id, reason: 'again' })
    .then([]);
  given(created).when({ type: 'RevokeToken', token_id }).refused('not_found');
  given(created).when({ type: 'RegenerateToken', token_id, expires_at: 'x' }).refused('not_found');
});

test('must be there', () => {
  given([]).when({ type: 'AddMember', account_id: 'acc_1', role: 'OWNER' }).refused('not_found');
  given([])
    .when({ type: 'CreateToken', ...grant })
    .refused('not_found');
  given([]).when({ type: 'RevokeToken', token_id: 'tok_1' }).refused('not_found');
  given([]).when({ type: 'RegenerateToken', token_id: 'tok_1', expires_at: 'x' }).refused('not_found');
});

test('has roles in an order', () => {
  assert.is(lowerRole('OWNER', 'VIEWER'), 'VIEWER');
  assert.is(lowerRole('AUDITOR', 'EDITOR'), 'AUDITOR');
  assert.is(lowerRole('ADMIN', 'ADMIN'), 'ADMIN');
});

test.run();
