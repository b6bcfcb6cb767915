/** Calls that are cut between their writes to the log and the account store, and what is made of them afterwards. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { organizationAggregate, organizationStream } from '../../../src/commands/families.ts';
import { AccountNames } from '../../../src/identity/accounts/account-names.ts';
import type { Actor } from '../../../src/identity/memberships/actor.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { TakenNames } from '../../../src/identity/memberships/taken-names.ts';
import { type TokenRecord, Tokens } from '../../../src/identity/tokens/tokens.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { closeAll, rejectionError, replaceMembers } from '../../support/identity/identity.ts';
import { type Company, openOrganization } from '../../support/identity/membership.ts';
import { ADA, CLIENT_INFO, LIGHT, signUp, startPeople } from '../../support/identity/people.ts';
import { reconcile } from '../../support/identity/reconcile.ts';
import { beforeEachWrite, PowerCut } from '../../support/stores/before-each-write.ts';

const test = suite('a call that a crash cuts');

test.after.each(closeAll);

/** A process on the company's stores. */
interface CutProcess {
  accounts: AccountStore;
  handler: CommandHandler;
  tokens: Tokens;
  members: Members;
}

/** Starts a process that ends after so many writes to either store. */
function startCutProcess({ accounts, events, names, now }: Company, writes: number): CutProcess {
  const cut = beforeEachWrite({ accounts, events }, new PowerCut(writes).beforeWrite);
  const handler = new CommandHandler(cut.events, { now, maxAcceptanceDays: 366, simulated: true });
  const tokens = new Tokens({ accounts: cut.accounts, handler, now });
  const members = new Members({ accounts: cut.accounts, names, handler, tokens, now });
  return { accounts: cut.accounts, handler, tokens, members };
}

/** A person with a token in two organizations. */
interface Scene extends Company {
  second: string;
  bo: string;
  /** A member of the first organization only. */
  cy: string;
  token: string;
  record: TokenRecord;
  actor: Actor;
}

async function openScene(existing?: Company): Promise<Scene> {
  const company = existing ?? (await openOrganization());
  const { members, member, organizationId, owner, tokens } = company;
  const [bo, cy] = [await member('EDITOR'), await member('VIEWER')];
  const { id: second } = await members.createOrganization('Another', owner);
  await members.add(second, bo, 'EDITOR', accountActor(owner));
  const actor = accountActor(bo);
  const newToken = { name: 'mine', account_id: bo, role: 'EDITOR', organizations: [organizationId, second] } as const;
  const { token, record } = await tokens.create(newToken, actor);
  return { ...company, second, bo, cy, token, record, actor };
}

const CONNECTION = { client: { id: 'client-1', name: 'Some assistant' } };

/** Calls that write to both stores. */
const CALLS: Record<string, (process: CutProcess, scene: Scene) => Promise<unknown>> = {
  'creating a token': ({ tokens }, { bo, organizationId, second, actor }) =>
    tokens.create({ name: 'b', account_id: bo, role: 'EDITOR', organizations: [organizationId, second] }, actor),
  'regenerating a token': ({ tokens }, { record, actor }) => tokens.regenerate(record.id, 30, actor),
  'revoking a token': ({ tokens }, { record, actor }) => tokens.revoke(record.id, 'leaked', actor),
  'revoking a token in one organization': ({ tokens }, { record, second, owner }) =>
    tokens.revokeInOrganization(record.id, second, accountActor(owner), 'leaked'),
  'connecting an assistant': ({ tokens }, { bo, second, actor }) =>
    tokens.connect({ name: 'c', account_id: bo, role: 'EDITOR', organizations: [second], ...CONNECTION }, actor),
  'creating an organization': ({ members }, { owner }) => members.createOrganization('Third', owner),
  'adding a member': ({ members }, { owner, second, cy }) => members.add(second, cy, 'EDITOR', accountActor(owner)),
  'removing a member': ({ members }, { bo, second, owner }) => members.remove(second, bo, accountActor(owner), 'left'),
  'leaving everything': ({ members }, { bo }) => members.leaveAll(bo),
};

/** Returns the token's role in both organizations, as a service that starts now would. */
async function rolesWith({ authenticator, record, token, organizationId, second }: Scene): Promise<unknown[]> {
  authenticator.forget(record.id);
  const caller = await authenticator.authenticate(token);
  return [organizationId, second].map((id) => caller?.roles.get(id) ?? null);
}

/** Returns the first organization's and the second's newest event of the token, by type. */
async function newestTokenEvents({ events, record, organizationId, second }: Scene): Promise<unknown[]> {
  const streams = [organizationId, second].map((id) => events.readStream(organizationStream(id)));
  return (await Promise.all(streams)).map(
    (all) => all.findLast(({ data }) => data?.token_id === record.id)?.type ?? null,
  );
}

for (const [name, call] of Object.entries(CALLS)) {
  test(`after each write of ${name}, both stores agree in the end, and nothing the log took away works`, async () => {
    const company = await openOrganization();
    for (let writes = 0, isDone = false; !isDone; writes += 1) {
      assert.ok(writes < 20);
      const scene = await openScene(company);
      const cut = startCutProcess(scene, writes);
      isDone = await call(cut, scene).then(
        () => true,
        () => false,
      );
      const { accounts, organizationId, second } = scene;
      const [events, roles] = [await newestTokenEvents(scene), await rolesWith(scene)];
      events.forEach((type, n) => {
        if (type !== 'TokenCreated') assert.is(roles[n], null, `${name}: ${writes} writes, ${type}`);
      });
      const { found, left } = await reconcile(scene, [organizationId, second]);
      assert.equal([left, isDone && found.length > 0 && name !== 'connecting an assistant'], [[], false], name);
      const record = (await accounts.get<TokenRecord>('tokens', scene.record.id))!;
      assert.ok((record.next_hash ?? null) === null || record.revoked_at !== null);
    }
  });
}

test('an interrupted revocation is written to the log as it was asked for: by its actor, with its reason', async () => {
  const scene = await openScene();
  const { record, actor, second, owner, organizationId, events, handler } = scene;
  await rejectionError(
    startCutProcess(scene, 1).tokens.revokeInOrganization(record.id, second, accountActor(owner), 'leaked'),
  );
  await reconcile(scene, [organizationId, second]);
  const [revoked] = (await events.readStream(organizationStream(second))).filter(({ type }) => type === 'TokenRevoked');
  assert.equal([revoked!.data?.reason, revoked!.metadata.actor_id], ['leaked', owner]);
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  assert.not.ok(state!.tokens.get(record.id)!.revoked, 'it goes on in the other organization');

  await rejectionError(startCutProcess(scene, 1).tokens.revoke(record.id, 'no longer needed', actor));
  await reconcile(scene, [organizationId, second]);
  const last = (await events.readStream(organizationStream(organizationId))).at(-1)!;
  assert.equal(
    [last.type, last.data?.reason, last.metadata.actor_id],
    ['TokenRevoked', 'no longer needed', actor.actor_id],
  );
});

test('the service finishes a revocation whose actor has lost the permission since', async () => {
  const scene = await openScene();
  const { record, second, owner, members, member, organizationId, events } = scene;
  const admin = await member('ADMIN');
  await rejectionError(
    startCutProcess(scene, 1).tokens.revokeInOrganization(record.id, organizationId, accountActor(admin), 'leaked'),
  );
  await members.remove(organizationId, admin, accountActor(owner));
  await reconcile(scene, [organizationId, second]);
  const last = (await events.readStream(organizationStream(organizationId))).at(-1)!;
  assert.equal([last.type, last.data?.reason, last.metadata.actor_id], ['TokenRevoked', 'leaked', 'SYSTEM']);
});

test('a token is revoked when its regeneration was cut after its first event, and can be regenerated until then', async () => {
  for (const repeats of [false, true]) {
    const scene = await openScene();
    const { record, actor, tokens, organizationId, second, accounts, authenticator } = scene;
    await rejectionError(startCutProcess(scene, 2).tokens.regenerate(record.id, 30, actor));
    assert.equal(await rolesWith(scene), [null, 'EDITOR'], 'the old text works only where the log has no event');
    const again = repeats ? await tokens.regenerate(record.id, 30, actor) : null;
    const { found } = await reconcile(scene, [organizationId, second]);
    const stored = (await accounts.get<TokenRecord>('tokens', record.id))!;
    assert.equal([found.length, stored.revoked_at === null], repeats ? [0, true] : [1, false]);
    assert.equal(await rolesWith(scene), [null, null]);
    if (again !== null) assert.is((await authenticator.authenticate(again.token))?.roles.size, 2);
    await closeAll();
  }
});

test('a regeneration that was cut before its first event leaves the token as it was', async () => {
  const scene = await openScene();
  const { record, actor, organizationId, second, accounts } = scene;
  await rejectionError(startCutProcess(scene, 1).tokens.regenerate(record.id, 30, actor));
  assert.equal(await rolesWith(scene), ['EDITOR', 'EDITOR']);
  await reconcile(scene, [organizationId, second]);
  assert.equal(await rolesWith(scene), ['EDITOR', 'EDITOR']);
  const { last_used_at: _used, ...stored } = (await accounts.get<TokenRecord>('tokens', record.id))!;
  const { last_used_at: _unused, ...before } = record;
  assert.equal(stored, { ...before, next_hash: null });
});

test('of two regenerations at once, the one that was answered counts', async () => {
  const scene = await openScene();
  const { record, actor, tokens, authenticator, organizationId, second } = scene;
  const results = await Promise.allSettled([1, 2].map(() => tokens.regenerate(record.id, 30, actor)));
  const issued = results.flatMap((result) => (result.status === 'fulfilled' ? result.value.token : []));
  assert.is(issued.length, 1);
  assert.equal((await reconcile(scene, [organizationId, second])).found, []);
  assert.is((await authenticator.authenticate(issued[0]!))?.roles.size, 2);
});

test('a client’s earlier connection ends once the later one is used, if the client is one installation', async () => {
  const company = await openOrganization();
  for (const [id, isUsed, ends] of [
    ['client-1', true, ['assistant connected again']],
    ['client-1', false, ['assistant never connected']],
    ['https://client.example/metadata.json', true, []],
  ] as const) {
    const scene = await openScene(company);
    const { tokens, accounts, clock, now, bo, actor, second, organizationId } = scene;
    const newToken = { name: 'c', account_id: bo, role: 'EDITOR', organizations: [second] } as const;
    const connect = () => tokens.connect({ ...newToken, client: { id, name: 'c' } }, actor);
    const use = (record: TokenRecord) => accounts.update('tokens', record.id, { last_used_at: now().toISOString() });
    const earlier = await connect();
    await use(earlier);
    clock.wait(1);
    const later = await connect();
    if (isUsed) await use(later);
    const { found, left } = await reconcile(scene, [organizationId, second]);
    assert.equal([found.map((key) => key.split(': ')[0]), left], [ends, []]);
    const all = await tokens.listOfAccount(bo);
    const active = all.filter(({ kind, state }) => kind === 'ASSISTANT' && state === 'ACTIVE').map((token) => token.id);
    assert.equal(active, ends.length === 0 ? [later.id, earlier.id] : [isUsed ? later.id : earlier.id]);
  }
});

test('tokens that have expired are left alone', async () => {
  const scene = await openScene();
  const { record, clock, accounts, organizationId, second, eventTypes } = scene;
  await accounts.update('tokens', record.id, { hash: null, revoked_at: clock.now().toISOString() });
  clock.waitDays(91);
  const before = await eventTypes();
  assert.equal((await reconcile(scene, [organizationId, second])).found, []);
  assert.equal(await eventTypes(), before);
});

test('an organization that cannot be read keeps the others from nothing', async () => {
  const scene = await openScene();
  const { record, accounts, clock, handler, organizationId, second } = scene;
  await accounts.update('tokens', record.id, { hash: null, revoked_at: clock.now().toISOString() });
  const load: CommandHandler['load'] = (aggregate, isFresh) =>
    aggregate.stream === organizationStream(second)
      ? Promise.reject(new Error('unreadable'))
      : handler.load(aggregate, isFresh);
  const partly = { ...scene, handler: replaceMembers(handler, { load }) };
  const { found, left } = await reconcile(partly, [organizationId, second]);
  assert.equal([found, left], [[`token not revoked in the log: ${record.id} ${organizationId}`], []]);
});

test('a domain that is missing in the index is found again', async () => {
  const scene = await openScene();
  const { members, owner, accounts, organizationId } = scene;
  await members.domains.recordVouchedDomain(owner, 'example.org');
  await members.domains.admit(organizationId, 'example.org', 'VIEWER', accountActor(owner));
  await accounts.remove('domains', `example.org ${organizationId}`);
  assert.not.ok(await members.domains.isAdmitted('example.org'));
  await reconcile(scene, [organizationId]);
  assert.ok(await members.domains.isAdmitted('example.org'));
});

test('an account whose erasing was cut is erased to the end', async () => {
  const company = await openOrganization();
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    assert.ok(writes < 40);
    const scene = await openScene(company);
    const { organizationId, accounts, members, owner } = scene;
    const { accounts: cutAccounts, members: cutMembers } = startCutProcess(scene, writes);
    const whole = await startPeople(scene, { hasher: LIGHT, leaveAll: (id) => members.leaveAll(id) });
    const { session, account } = await signUp(whole, { ...ADA, email: `ada${writes}@example.org` });
    const account_id = account.id;
    await members.add(organizationId, account_id, 'EDITOR', accountActor(owner));
    const passkey = { id: `key ${writes}`, account_id, name: 'My phone' };
    await accounts.insert('passkeys', passkey);
    const cut = await startPeople(
      { ...scene, accounts: cutAccounts },
      { hasher: LIGHT, leaveAll: (id) => cutMembers.leaveAll(id), takenNames: new TakenNames(scene) },
    );
    isDone = await cut.accounts.erase(session!, ADA.password, CLIENT_INFO).then(
      () => true,
      () => false,
    );
    const isMarked = (await accounts.get('accounts', account_id))?.erased_at != null;
    const { left } = await reconcile(scene, [organizationId], whole.accounts);
    assert.equal(left, []);
    if (!isMarked) continue;
    assert.equal(Object.keys((await accounts.get('accounts', account_id))!).sort(), ['created_at', 'erased_at', 'id']);
    for (const table of ['names', 'passkeys', 'sessions', 'links'] as const)
      assert.equal(await accounts.find(table, 'account_id', account_id), [], `${table} after ${writes} writes`);
    assert.is(await members.membership(account_id, organizationId), null);
  }
});

test('a newcomer who could not join leaves no name without an account', async () => {
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    const scene = await openScene();
    const { account } = await signUp(await startPeople(scene, { hasher: LIGHT }));
    const { accounts } = startCutProcess(scene, writes);
    const cut = await startPeople({ ...scene, accounts, names: new AccountNames(accounts) }, { hasher: LIGHT });
    isDone = await cut.accounts.discard(account).then(
      () => true,
      () => false,
    );
    const hasAccount = (await scene.accounts.get('accounts', account.id)) !== null;
    const hasName = (await scene.accounts.find('names', 'account_id', account.id)).length > 0;
    assert.ok(hasAccount || !hasName, `after ${writes} writes`);
    await closeAll();
  }
});

test.run();
