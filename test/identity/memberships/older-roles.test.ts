import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { withConfirmedRoles, withCurrentRights } from '../../../src/commands/organization/caller.ts';
import { callerOf as httpCallerOf } from '../../../src/http/access/admission.ts';
import { firstStart } from '../../../src/identity/installation/installation.ts';
import { executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { Authenticator } from '../../../src/identity/tokens/authenticator.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { closeAll, open, rejectionError, replaceMembers, type TestIdentity } from '../../support/identity/identity.ts';

/** Roles while the log does not answer: roles confirmed in the last 10 s are used only to read today's data. */
const test = suite('roles while the log does not answer');
test.after(closeAll);

interface Started extends TestIdentity {
  organizationId: string;
  token: string;
  authenticator: Authenticator;
  outage: { state: 'UP' | 'FAILING' | 'SILENT'; end(): void };
}

async function start(): Promise<Started> {
  const identity = await open();
  const { organizationId, token } = await firstStart(identity);
  let allowLog = (): void => undefined;
  const returned = new Promise<void>((resolve) => {
    allowLog = resolve;
  });
  const outage: Started['outage'] = { state: 'UP', end: allowLog };
  const load = (async (...args: Parameters<CommandHandler['load']>) => {
    if (outage.state === 'FAILING') throw new StoreUnavailable('away');
    if (outage.state === 'SILENT') await returned;
    return identity.handler.load(...args);
  }) as unknown as CommandHandler['load'];
  const authenticator = new Authenticator({ ...identity, handler: replaceMembers(identity.handler, { load }) });
  return { ...identity, organizationId, token: token!, authenticator, outage };
}

async function callerOf({ authenticator, token }: Started) {
  return (await authenticator.authenticate(token))!;
}

test('a failing log: returns older roles with a confirmation, which fails too', async () => {
  const started = await start();
  const { clock, outage, organizationId } = started;
  const first = await callerOf(started);
  assert.is(first.confirm, undefined);
  outage.state = 'FAILING';
  clock.wait(5_000);
  const older = await callerOf(started);
  assert.is(older.roles.get(organizationId), first.roles.get(organizationId));
  assert.instance(await rejectionError(withConfirmedRoles(older)), StoreUnavailable);
});

test('a call that may only read stays so when its rights are looked up again', async () => {
  const caller = await callerOf(await start());
  assert.not(caller.read_only);
  const reader = { ...caller, read_only: true, confirm: async () => caller, renew: async () => caller };
  assert.ok((await withConfirmedRoles(reader)).read_only);
  assert.ok((await withCurrentRights({ ...reader, checkedAt: Number.NEGATIVE_INFINITY })).read_only);
});

test('a silent log: returns older roles after a second, and confirms them when the log answers', async () => {
  const started = await start();
  const { clock, outage, organizationId } = started;
  const first = await callerOf(started);
  outage.state = 'SILENT';
  clock.wait(5_000);
  const older = await callerOf(started);
  assert.is(older.roles.get(organizationId), first.roles.get(organizationId));
  const confirming = withConfirmedRoles(older);
  outage.state = 'UP';
  outage.end();
  assert.is((await confirming).confirm, undefined);
});

test('the age counts from the read that confirmed the role, and use does not extend it', async () => {
  const started = await start();
  await callerOf(started);
  started.outage.state = 'FAILING';
  for (let second = 0; second < 10; second += 1) {
    started.clock.wait(1_000);
    assert.ok(await callerOf(started), `second ${second}`);
  }
  started.clock.wait(1);
  assert.instance(await rejectionError(callerOf(started)), StoreUnavailable);
});

test('setting the clock back does not reset a role’s age', async () => {
  const started = await start();
  await callerOf(started);
  started.outage.state = 'FAILING';
  started.clock.wait(-60_000);
  assert.instance(await rejectionError(callerOf(started)), StoreUnavailable);
});

test('reports how long a caller waited for its roles, also for a later confirmation', async () => {
  const started = await start();
  const challenge = { missing: () => '', invalid: () => '', insufficient: () => '' };
  const authorization = `Bearer ${started.token}`;
  const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] } as IncomingMessage;
  const resolveCaller = () => httpCallerOf(request, (token) => started.authenticator.authenticate(token), challenge);
  await resolveCaller();
  started.outage.state = 'SILENT';
  started.clock.wait(5_000);
  const older = await resolveCaller();
  assert.ok(older.waited_ms! >= 900, `${older.waited_ms} ms`);
  const confirming = withConfirmedRoles(older);
  setTimeout(started.outage.end, 200);
  assert.ok((await confirming).waited_ms! >= older.waited_ms! + 190);
});

test('calls that need a confirmed role are unavailable, and never use an older one', async () => {
  const started = await start();
  await callerOf(started);
  started.outage.state = 'FAILING';
  started.clock.wait(2_000);
  const older = await callerOf(started);
  assert.instance(await rejectionError(withConfirmedRoles(older)), StoreUnavailable);
});

test('a role removed in between is lost after the confirmation', async () => {
  const started = await start();
  const { handler, organizationId, outage, clock } = started;
  const { token_id } = await callerOf(started);
  outage.state = 'SILENT';
  clock.wait(2_000);
  const older = await callerOf(started);
  await executeOrganizationCommand(handler, organizationId, { type: 'RevokeToken', token_id: token_id! });
  outage.state = 'UP';
  outage.end();
  assert.is((await withConfirmedRoles(older)).roles.size, 0);
});

test('applies its own revocations at once, whatever the log answers', async () => {
  const started = await start();
  const { token_id } = await callerOf(started);
  started.outage.state = 'FAILING';
  started.clock.wait(2_000);
  started.authenticator.forget(token_id!);
  assert.instance(await rejectionError(callerOf(started)), StoreUnavailable);
});

test('expiry is checked at every call', async () => {
  const started = await start();
  const { accounts, clock, outage } = started;
  const { token_id } = await callerOf(started);
  outage.state = 'FAILING';
  clock.wait(2_000);
  const expires_at = new Date(clock.now().getTime() + 1_000).toISOString();
  await accounts.update('tokens', token_id!, { expires_at });
  assert.ok(await callerOf(started));
  clock.wait(1_500);
  assert.is(await started.authenticator.authenticate(started.token), null);
});

test('revocation is checked at every call', async () => {
  const started = await start();
  const { accounts, clock, outage } = started;
  const { token_id } = await callerOf(started);
  outage.state = 'FAILING';
  clock.wait(2_000);
  await accounts.update('tokens', token_id!, { revoked_at: clock.now().toISOString() });
  assert.is(await started.authenticator.authenticate(started.token), null);
});

test.run();
