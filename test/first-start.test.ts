import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../src/commands/engine/handler.ts';
import { organizationAggregate, organizationStream } from '../src/commands/families.ts';
import { adoptLog } from '../src/identity/installation/adopt-log.ts';
import {
  createInstallation,
  firstStart,
  InstallationError,
  sharedSecret,
} from '../src/identity/installation/installation.ts';
import { Authenticator } from '../src/identity/tokens/authenticator.ts';
import { isWellFormed } from '../src/identity/tokens/token.ts';
import { Tokens } from '../src/identity/tokens/tokens.ts';
import {
  closeAll,
  open,
  rejectionError,
  replaceMembers,
  temporaryFolder,
  withAccounts,
} from './support/identity/identity.ts';
import { beforeEachWrite, PowerCut } from './support/stores/before-each-write.ts';

const starting = suite('first start');

starting.after.each(closeAll);

starting(
  'the first start creates an organization, its owner and one token; a later start creates nothing',
  async () => {
    const identity = await open();
    const first = await firstStart(identity);
    const caller = (await new Authenticator(identity).authenticate(first.token!))!;
    assert.equal([...caller.roles], [[first.organizationId, 'ADMIN']]);
    assert.is((await identity.accounts.get('accounts', caller.account_id))!.name, 'First owner');
    const storedEvents = await identity.events.readStream(organizationStream(first.organizationId));
    assert.equal(
      storedEvents.map(({ type }) => type),
      ['OrganizationCreated', 'MemberAdded', 'TokenCreated'],
    );
    assert.is(storedEvents[0]!.data?.installation, first.installation);
    assert.equal(await firstStart(await open(identity.dataDir)), { ...first, token: null });
    assert.is((await identity.events.readStream(organizationStream(first.organizationId))).length, 3);
  },
);

starting('two concurrent first starts create one organization and print one token', async () => {
  for (let round = 0; round < 10; round++) {
    const dataDir = temporaryFolder();
    const processes = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
    const results = await Promise.all(processes.map((identity) => firstStart(identity)));
    assert.is(new Set(results.map(({ organizationId }) => organizationId)).size, 1);
    assert.is(results.filter(({ token }) => token !== null).length, 1);
    const storedEvents = await processes[0]!.events.readStream(organizationStream(results[0]!.organizationId));
    assert.is(storedEvents.length, 3);
  }
});

starting('the next start finishes an interrupted first start and prints the token', async () => {
  for (let step = 1; step <= 5; step++) {
    const dataDir = temporaryFolder();
    const identity = await open(dataDir);
    let steps = 0;
    const upTo = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
      return async (...args: Args): Promise<T> => {
        steps += 1;
        if (steps === step) throw new Error('power cut');
        return work(...args);
      };
    };
    const { accounts, handler } = identity;
    const cut = {
      ...withAccounts(identity, { insert: upTo((table, record) => accounts.insert(table, record)) }),
      handler: replaceMembers(handler, { execute: upTo(handler.execute.bind(handler)) as typeof handler.execute }),
    };
    assert.is((await rejectionError(firstStart(cut))).message, 'power cut', `step ${step}`);
    const next = await open(dataDir);
    const { token, organizationId } = await firstStart(next);
    const caller = await new Authenticator(next).authenticate(token!);
    assert.is(caller!.roles.get(organizationId), 'ADMIN', `step ${step}`);
    assert.is((await next.events.readStream(organizationStream(organizationId))).length, 3, `step ${step}`);
  }
});

starting('a start refuses stores that do not belong together, and names the remedies', async () => {
  const stores = await open();
  const process = await open();
  await firstStart(stores);
  await firstStart(process);
  const empty = await open();
  for (const [log, accounts] of [
    [stores, process],
    [stores, empty],
    [empty, stores],
  ] as const) {
    const error = await rejectionError(firstStart({ ...stores, log: log.events, accounts: accounts.accounts }));
    assert.instance(error, InstallationError);
    assert.match(error.message, /[Rr]estore a backup/);
    assert.match(error.message, /veritrail init --adopt-log/);
  }
  assert.equal(await empty.accounts.all('secrets'), []);
});

starting('an empty account store can adopt the log: a new owner, and only its token works', async () => {
  const reopenedStores = await open();
  const { installation, organizationId, token } = await firstStart(reopenedStores);
  const identity = await open();
  const parts = { ...identity, log: reopenedStores.events, handler: reopenedStores.handler };
  const tokens = new Tokens(parts);
  const issuedToken = await adoptLog({ ...parts, tokens });
  assert.equal(await firstStart(parts), { installation, organizationId, token: null });
  const authenticator = new Authenticator(parts);
  const caller = (await authenticator.authenticate(issuedToken.token))!;
  assert.equal([caller.roles.get(organizationId), caller.members.get(organizationId)], ['ADMIN', 'OWNER']);
  assert.is(await authenticator.authenticate(token!), null);
  assert.instance(await rejectionError(adoptLog({ ...parts, tokens })), InstallationError);
});

starting('an interrupted adoption continues with the owner that it has made', async () => {
  const log = await open();
  const { organizationId } = await firstStart(log);
  const identity = await open();
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    assert.ok(writes < 20);
    const { accounts, events } = beforeEachWrite(
      { accounts: identity.accounts, events: log.events },
      new PowerCut(writes).beforeWrite,
    );
    const handler = new CommandHandler(events, { now: log.now, maxAcceptanceDays: 366, simulated: true });
    const tokens = new Tokens({ accounts, handler, now: log.now });
    isDone = await adoptLog({ accounts, log: events, handler, tokens, now: log.now }).then(
      () => true,
      (error: Error) => !/power cut/.test(error.message),
    );
  }
  assert.ok(await identity.accounts.get('secrets', 'installation'));
  const { state } = await log.handler.load(organizationAggregate(organizationId), true);
  assert.is(Object.keys(state!.members).length, 2, 'the first owner, and one more');
});

starting('an empty log is not adopted', async () => {
  const identity = await open();
  assert.instance(await rejectionError(adoptLog(identity)), InstallationError);
});

starting('an organization without a token gets one at the next start', async () => {
  const identity = await open();
  const installation = await createInstallation(identity, { organization: 'Acme', owner: 'Ada' });
  const { token, organizationId } = await firstStart(identity);
  assert.is(organizationId, installation.organizationId);
  assert.ok(isWellFormed(token!));
  const { state } = await identity.handler.load(organizationAggregate(organizationId));
  assert.is(state!.name, 'Acme');
});

starting('concurrent callers get the same secret, and each name has its own', async () => {
  const { accounts } = await open();
  const name = randomUUID();
  const [first, second] = await Promise.all([sharedSecret(accounts, name), sharedSecret(accounts, name)]);
  assert.is(first.length, 32);
  assert.equal(first, second);
  assert.not.equal(await sharedSecret(accounts, 'cursor'), first);
});

starting.run();
