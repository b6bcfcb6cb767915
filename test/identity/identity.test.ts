import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { organizationAggregate, organizationStream } from '../../src/commands/families.ts';
import { firstOwnerId, firstStart } from '../../src/identity/installation/installation.ts';
import { executeOrganizationCommand } from '../../src/identity/memberships/actor.ts';
import { Authenticator } from '../../src/identity/tokens/authenticator.ts';
import { generateToken, hashToken, isWellFormed } from '../../src/identity/tokens/token.ts';
import { type NewToken, Tokens } from '../../src/identity/tokens/tokens.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import {
  closeAll,
  open,
  rejectionError,
  replaceMembers,
  type TestIdentity,
  withAccounts,
} from '../support/identity/identity.ts';

/** The identity module after its first start, with a function that creates tokens of the owner's account. */
interface Started extends TestIdentity {
  organizationId: string;
  owner: string;
  first: string;
  authenticator: Authenticator;
  issue(overrides?: Partial<NewToken>): ReturnType<Tokens['create']>;
}

async function start(): Promise<Started> {
  const identity = await open();
  const { installation, organizationId, token } = await firstStart(identity);
  const owner = firstOwnerId(installation);
  const authenticator = new Authenticator(identity);
  const tokens = new Tokens({ ...identity, onTokenChanged: (id) => authenticator.forget(id) });
  const issue = (overrides: Partial<NewToken> = {}) =>
    tokens.create({ name: 'ci', account_id: owner, role: 'EDITOR', organizations: [organizationId], ...overrides });
  return { ...identity, tokens, organizationId, owner, first: token!, authenticator, issue };
}

const text = suite('token');

text('a token has the form that secret scanners look for', () => {
  const token = generateToken();
  assert.match(token, /^vtr_[0-9A-Za-z]{49}$/);
  assert.ok(isWellFormed(token));
  assert.is.not(generateToken(), token);
  assert.match(hashToken(token), /^[0-9a-f]{64}$/);
});

text('the checksum detects each altered character', () => {
  const token = generateToken();
  for (let i = 0; i < token.length; i++) {
    const replacement = token[i] === 'A' ? 'B' : 'A';
    assert.not.ok(isWellFormed(token.slice(0, i) + replacement + token.slice(i + 1)), `character ${i}`);
  }
});

for (const invalid of [
  '',
  'vtr_',
  ` ${generateToken()}`,
  `${generateToken()}\n`,
  `${generateToken()}A`,
  generateToken().slice(0, -1),
]) {
  text(`${JSON.stringify(invalid).length} characters that are not a token are refused`, () =>
    assert.not.ok(isWellFormed(invalid)),
  );
}

text.run();

const tokens = suite('tokens');

tokens.after.each(closeAll);

tokens('creating a token appends an event without its name, and stores its hash outside the log', async () => {
  const { issue, events, organizationId, owner, accounts } = await start();
  const { token, record } = await issue({ name: 'Laptop of Ada', days: 30, read_only: true });
  const created = (await events.readStream(organizationStream(organizationId))).at(-1)!;
  assert.is(created.type, 'TokenCreated');
  assert.equal(created.data, {
    token_id: record.id,
    account_id: owner,
    role: 'EDITOR',
    read_only: true,
    expires_at: '2026-03-31T09:00:00.000Z',
  });
  assert.not.match(JSON.stringify(created), /Ada|vtr_/);
  const stored = (await accounts.get('tokens', record.id))!;
  assert.is(stored.hash, hashToken(token));
  assert.is(stored.last_four, token.slice(-4));
  assert.not.match(JSON.stringify(stored), /vtr_/);
});

tokens('a token authenticates its caller with role, limits and token id', async () => {
  const { issue, authenticator, organizationId, owner } = await start();
  const { token, record } = await issue({ role: 'AUDITOR', read_only: true });
  const caller = (await authenticator.authenticate(token))!;
  assert.is(caller.account_id, owner);
  assert.is(caller.token_id, record.id);
  assert.is(caller.read_only, true);
  assert.equal([...caller.roles], [[organizationId, 'AUDITOR']]);
  assert.is(await authenticator.authenticate(generateToken()), null);
});

tokens('malformed tokens are refused without a store query', async () => {
  const identity = await start();
  const find = async () => assert.unreachable('asked the store') as never;
  const authenticator = new Authenticator(withAccounts(identity, { find }));
  assert.is(await authenticator.authenticate('vtr_nonsense'), null);
});

for (const [what, wanted, code, field] of [
  ['no name', { name: ' ' }, 'invalid_input', 'name'],
  ['a name on two lines', { name: 'a\nb' }, 'invalid_input', 'name'],
  ['0 days', { days: 0 }, 'invalid_input', 'days'],
  ['367 days', { days: 367 }, 'invalid_input', 'days'],
  ['no organization', { organizations: [] }, 'invalid_input', 'organizations'],
  ['an unknown organization', { organizations: ['org_00000000000000000000000000'] }, 'not_found', 'organizations'],
  ['a stranger', { account_id: 'acc_00000000000000000000000000' }, 'not_found', 'organizations'],
] as const) {
  tokens(`a token for ${what} is refused and writes nothing`, async () => {
    const { issue, events, organizationId, accounts } = await start();
    const before = (await events.readStream(organizationStream(organizationId))).length;
    const error = await rejectionError(issue(wanted));
    assert.instance(error, Refusal);
    assert.equal([(error as Refusal).code, (error as Refusal).more.field], [code, field]);
    assert.is((await events.readStream(organizationStream(organizationId))).length, before);
    assert.is((await accounts.all('tokens')).length, 1);
  });
}

tokens('a token expires to the millisecond, even if it is cached', async () => {
  const { issue, authenticator, clock } = await start();
  const { token } = await issue({ days: 1 });
  clock.wait(86_400_000 - 1);
  assert.ok(await authenticator.authenticate(token));
  clock.wait(1);
  assert.is(await authenticator.authenticate(token), null);
});

tokens('a revoked token is refused at once by this instance, and within a second by others', async () => {
  const { issue, authenticator, tokens, clock, dataDir, organizationId, handler } = await start();
  const otherAuthenticator = new Authenticator(await open(dataDir, clock));
  const { token, record } = await issue();
  assert.ok(await authenticator.authenticate(token));
  assert.ok(await otherAuthenticator.authenticate(token));
  await tokens.revoke(record.id, 'lost');
  assert.is(await authenticator.authenticate(token), null);
  clock.wait(1_000);
  assert.is(await otherAuthenticator.authenticate(token), null);
  const { state } = await handler.load(organizationAggregate(organizationId));
  assert.ok(state!.tokens.get(record.id)!.revoked);
});

tokens('a look-up that began before a revocation does not make the token valid again', async () => {
  const identity = await start();
  const { token, record } = await identity.issue();
  let release = () => {};
  const pending = new Promise<void>((resolve) => {
    release = resolve;
  });
  const find: AccountStore['find'] = async (...args) => {
    const rows = await identity.accounts.find(...args);
    await pending;
    return rows as never;
  };
  const authenticator = new Authenticator(withAccounts(identity, { find }));
  const authenticating = authenticator.authenticate(token);
  await identity.accounts.update('tokens', record.id, { hash: null, revoked_at: identity.now().toISOString() });
  authenticator.forget(record.id);
  release();
  assert.is(await authenticating, null);
  assert.is(await authenticator.authenticate(token), null);
});

tokens('a regenerated token has a new text and expiry, and the same permissions', async () => {
  const { issue, authenticator, tokens, clock } = await start();
  const before = await issue({ days: 1 });
  assert.ok(await authenticator.authenticate(before.token));
  clock.wait(3_600_000);
  const after = await tokens.regenerate(before.record.id, 2);
  assert.is(await authenticator.authenticate(before.token), null);
  clock.waitDays(1.5);
  const caller = (await authenticator.authenticate(after.token))!;
  assert.is(caller.token_id, before.record.id);
  await tokens.revoke(before.record.id);
  const error = await rejectionError(tokens.regenerate(before.record.id));
  assert.is((error as Refusal).code, 'invalid_transition');
});

tokens('the role is the lower of the token and its account, within a second', async () => {
  const { issue, authenticator, clock, handler, organizationId, owner } = await start();
  const { token } = await issue({ role: 'ADMIN' });
  const role = async () => (await authenticator.authenticate(token))!.roles.get(organizationId);
  assert.is(await role(), 'ADMIN');
  // The last OWNER keeps the role.
  const otherMember = { account_id: 'acc_00000000000000000000000001', role: 'OWNER' } as const;
  await executeOrganizationCommand(handler, organizationId, { type: 'AddMember', ...otherMember });
  for (const [member, effective] of [
    ['VIEWER', 'VIEWER'],
    ['OWNER', 'ADMIN'],
    ['EDITOR', 'EDITOR'],
  ] as const) {
    await executeOrganizationCommand(handler, organizationId, {
      type: 'ChangeMemberRole',
      account_id: owner,
      role: member,
    });
    clock.wait(1_000);
    assert.is(await role(), effective);
  }
});

tokens('a token that its only organization revoked is refused', async () => {
  const { issue, authenticator, clock, handler, organizationId } = await start();
  const { token, record } = await issue();
  await executeOrganizationCommand(handler, organizationId, { type: 'RevokeToken', token_id: record.id });
  clock.wait(1_000);
  assert.is(await authenticator.authenticate(token), null);
});

tokens('concurrent calls share one look-up, and cached ones need none', async () => {
  const identity = await start();
  const { token } = await identity.issue();
  let lookUps = 0;
  const find: AccountStore['find'] = (...args) => {
    lookUps += 1;
    return identity.accounts.find(...args);
  };
  const authenticator = new Authenticator(withAccounts(identity, { find }));
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(token)));
  assert.is(new Set(callers).size, 1);
  identity.clock.wait(499);
  await authenticator.authenticate(token);
  assert.is(lookUps, 1);
  identity.clock.wait(501);
  await authenticator.authenticate(token);
  assert.is(lookUps, 2);
});

tokens('while a store is down, authentication fails as unavailable, not as refused', async () => {
  const identity = await start();
  const fail = async () => {
    throw new StoreUnavailable('away');
  };
  const withoutAccounts = new Authenticator(withAccounts(identity, { find: fail }));
  assert.instance(await rejectionError(withoutAccounts.authenticate(identity.first)), StoreUnavailable);
  const load = async () => {
    throw new StoreUnavailable('away');
  };
  const handler = replaceMembers(identity.handler, { load });
  const withoutLog = new Authenticator({ ...identity, handler });
  assert.instance(await rejectionError(withoutLog.authenticate(identity.first)), StoreUnavailable);
  assert.instance(await rejectionError(withoutLog.authenticate(identity.first)), StoreUnavailable);
});

tokens('the last use is stored at most once a minute, and a failure to store it fails no call', async () => {
  const identity = await start();
  const updates: unknown[] = [];
  const update: AccountStore['update'] = async (_table, _id, fields) => {
    updates.push(fields.last_used_at);
    throw new StoreUnavailable('full');
  };
  const authenticator = new Authenticator(withAccounts(identity, { update }));
  for (let second = 0; second <= 60; second++) {
    assert.ok(await authenticator.authenticate(identity.first));
    await new Promise((resolve) => setImmediate(resolve));
    identity.clock.wait(1_000);
  }
  assert.equal(updates, ['2026-03-01T09:00:00.000Z', '2026-03-01T09:01:00.000Z']);
});

tokens.run();
