import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PersistentMap } from '../../../src/commands/engine/persistent-map.ts';
import { organization } from '../../../src/commands/organization/organization.ts';
import type { OrganizationEvent } from '../../../src/register/organization.ts';
import { organizationStory } from '../../support/identity/organization.ts';
import { specOf } from '../../support/spec.ts';

const test = suite('organization commands');
const { given } = specOf(organization);
const { ADA, BO, CY, SYSTEM, added, as, begun } = organizationStory;

test('an organization is created with its OWNER, once', () => {
  const names = { name: 'Acme', import_key: 'k', installation: 'i' } as const;
  const create = { type: 'CreateOrganization', ...names, owner_id: ADA } as const;
  given([]).when(create).then(begun);
  given(begun)
    .when({ ...create, name: 'Other' })
    .then([]);
  assert.equal(given(begun).state(), {
    name: 'Acme',
    import_key: 'k',
    members: { [ADA]: 'OWNER' },
    membership_ends: {},
    former: {},
    tokens: PersistentMap.of(),
    domains: {},
  });
});

test('an organization is renamed by an OWNER or ADMIN, with a reason', () => {
  const history = [...begun, added(BO, 'ADMIN'), added(CY, 'EDITOR')];
  const renamed: OrganizationEvent = {
    type: 'OrganizationRenamed',
    data: { from: 'Acme', to: 'Acme AS', reason: 'r' },
  };
  const rename = { type: 'RenameOrganization', name: 'Acme AS', reason: 'r' } as const;
  given(history).when(rename, as(ADA)).then([renamed]);
  given(history).when(rename, as(BO)).then([renamed]);
  given(history).when(rename, SYSTEM).then([renamed]);
  given(history).when(rename, as(CY)).refused('forbidden');
  given(history).when(rename, as('acc_stranger')).refused('forbidden');
  given([...history, renamed])
    .when(rename, as(ADA))
    .then([]);
  assert.is(given([...history, renamed]).state().name, 'Acme AS');
});

test('an actor can’t act above their credential’s role', () => {
  const rename = { type: 'RenameOrganization', name: 'Other' } as const;
  given(begun).when(rename, { actor_id: ADA, role: 'EDITOR' }).refused('forbidden');
});

test('commands need an existing organization', () => {
  const grant = { token_id: 'tok_1', account_id: ADA, role: 'EDITOR', read_only: false, expires_at: 'x' } as const;
  given([]).when({ type: 'AddMember', account_id: ADA, role: 'OWNER' }).refused('not_found');
  given([]).when({ type: 'RemoveMember', account_id: ADA }).refused('not_found');
  given([]).when({ type: 'RenameOrganization', name: 'n' }).refused('not_found');
  given([])
    .when({ type: 'CreateToken', ...grant })
    .refused('not_found');
  given([]).when({ type: 'RevokeToken', token_id: 'tok_1' }).refused('not_found');
  given([]).when({ type: 'RegenerateToken', token_id: 'tok_1', expires_at: 'x' }).refused('not_found');
});

test.run();
