import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROLES } from '../../../src/commands/organization/caller.ts';
import { organization } from '../../../src/commands/organization/organization.ts';
import { forbidden, lowerRole } from '../../../src/commands/organization/permissions.ts';
import type { OrganizationEvent } from '../../../src/register/organization.ts';
import { organizationStory } from '../../support/identity/organization.ts';
import { CONTEXT, refusalOf, specOf } from '../../support/spec.ts';

const test = suite('organization tokens');
const { given } = specOf(organization);
const { ADA, BO, CY, SYSTEM, added, as, begun } = organizationStory;

const grant = {
  token_id: 'tok_1',
  account_id: ADA,
  role: 'EDITOR',
  read_only: false,
  expires_at: '2026-06-01T00:00:00.000Z',
} as const;
const created: OrganizationEvent = { type: 'TokenCreated', data: grant };

test('a token’s role is never above its member’s', () => {
  for (const member of ROLES) {
    const history = [...begun, added(BO, member)];
    for (const role of ROLES) {
      const tokenGrant = { ...grant, account_id: BO, role };
      const outcome = given(history).when({ type: 'CreateToken', ...tokenGrant }, as(BO));
      if (ROLES.indexOf(role) > ROLES.indexOf(member)) outcome.refused('forbidden', { field: 'role' });
      else outcome.then([{ type: 'TokenCreated', data: tokenGrant }]);
    }
  }
  given(begun)
    .when({ type: 'CreateToken', ...grant, account_id: 'acc_9', role: 'VIEWER' }, SYSTEM)
    .refused('forbidden', { field: 'role' });
  const stranger = { ...grant, account_id: BO, role: 'VIEWER' } as const;
  const state = given(begun).state();
  const refusal = refusalOf(() =>
    organization.decide({ type: 'CreateToken', ...stranger }, state, { ...CONTEXT, ...as(BO) }),
  );
  assert.is(refusal.message, forbidden('createTokens', null).message);
});

test('only their own account and the service create and regenerate tokens', () => {
  const history = [...begun, added(BO, 'OWNER')];
  const create = { type: 'CreateToken', ...grant } as const;
  const regenerate = { type: 'RegenerateToken', token_id: grant.token_id, expires_at: 'x' } as const;
  given(history).when(create, as(ADA)).then([created]);
  given(history).when(create, SYSTEM).then([created]);
  given(history).when(create, as(BO)).refused('forbidden');
  given([...history, created])
    .when(regenerate, as(BO))
    .refused('forbidden');
});

test('tokens are created, regenerated and revoked', () => {
  const { token_id, ...token } = grant;
  assert.equal(
    given([...begun, created])
      .state()
      .tokens.entries(),
    [[token_id, { ...token, revoked: false }]],
  );
  const expires_at = '2026-09-01T00:00:00.000Z';
  const regenerated: OrganizationEvent = { type: 'TokenRegenerated', data: { token_id, expires_at } };
  given([...begun, created])
    .when({ type: 'RegenerateToken', token_id, expires_at }, as(ADA))
    .then([regenerated]);
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id, reason: 'lost' } };
  const history = [...begun, created, regenerated];
  given(history).when({ type: 'RevokeToken', token_id, reason: 'lost' }, as(ADA)).then([revoked]);
  given(history)
    .when({ type: 'RevokeToken', token_id }, SYSTEM)
    .then([{ type: 'TokenRevoked', data: { token_id } }]);
  assert.equal(
    given([...history, revoked])
      .state()
      .tokens.get(token_id),
    { ...token, expires_at, revoked: true },
  );
});

test('an assistant’s tokens have the kind ASSISTANT', () => {
  const data = { ...grant, kind: 'ASSISTANT' } as const;
  given(begun)
    .when({ type: 'CreateToken', ...data }, as(ADA))
    .then([{ type: 'TokenCreated', data }]);
  const { token_id: _id, ...token } = data;
  assert.equal(
    given([...begun, { type: 'TokenCreated', data }])
      .state()
      .tokens.entries(),
    [['tok_1', { ...token, revoked: false }]],
  );
});

test('only their owner, an ADMIN or an OWNER revokes tokens', () => {
  const revoke = { type: 'RevokeToken', token_id: 'tok_1' } as const;
  const history: OrganizationEvent[] = [
    ...[...begun, added(BO, 'EDITOR')],
    { type: 'TokenCreated', data: { ...grant, account_id: BO } },
  ];
  const revoked: OrganizationEvent = { type: 'TokenRevoked', data: { token_id: 'tok_1' } };
  for (const role of ROLES) {
    const outcome = given([...history, added(CY, role)]).when(revoke, as(CY));
    if (role === 'ADMIN' || role === 'OWNER') outcome.then([revoked]);
    else outcome.refused('forbidden');
  }
  given(history).when(revoke, as(BO)).then([revoked]);
  given(history).when(revoke, as('acc_stranger')).refused('forbidden');
});

test('a revoked token stays revoked, and a former member may revoke tokens', () => {
  const { token_id } = grant;
  const history: OrganizationEvent[] = [...begun, created, { type: 'TokenRevoked', data: { token_id } }];
  given(history).when({ type: 'RevokeToken', token_id, reason: 'again' }, as('acc_former')).then([]);
  given(history).when({ type: 'RegenerateToken', token_id, expires_at: 'x' }, as(ADA)).then([]);
  given(begun).when({ type: 'RevokeToken', token_id }, as(ADA)).refused('not_found');
  given(begun).when({ type: 'RegenerateToken', token_id, expires_at: 'x' }, as(ADA)).refused('not_found');
});

test('lowerRole returns the lower of two roles', () => {
  assert.is(lowerRole('OWNER', 'VIEWER'), 'VIEWER');
  assert.is(lowerRole('AUDITOR', 'EDITOR'), 'AUDITOR');
  assert.is(lowerRole('ADMIN', 'ADMIN'), 'ADMIN');
});

test.run();
