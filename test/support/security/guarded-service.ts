/** The service on test stores, whose appends and answers a test can hold, with people whose rights it takes away. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createHttpApp, type HttpAppOptions } from '../../../src/app/create-http-app.ts';
import { createRegister, type Register } from '../../../src/app/create-register.ts';
import { HttpGateway } from '../../../src/app/http-gateway.ts';
import { ReadsInThread } from '../../../src/app/threads/reads-in-thread.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { readConfig } from '../../../src/config.ts';
import { openSpool } from '../../../src/http/files/spooled-files.ts';
import { startServer, stopServer } from '../../../src/http/server.ts';
import { AccessEvents } from '../../../src/identity/access-log/access-events.ts';
import { AccountNames } from '../../../src/identity/accounts/account-names.ts';
import { type Identity, openIdentity } from '../../../src/identity/identity.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { openStores, type Stores } from '../../../src/stores/open.ts';
import { rememberClock } from '../clock.ts';
import { temporaryFolder } from '../identity/identity.ts';
import { SILENT_LOG } from '../register.ts';
import { until } from '../run/wait.ts';
import { Gate } from './gate.ts';

/** A person with a token and a session. */
export interface Person {
  accountId: string;
  token: string;
  tokenId: string;
  cookie: string;
}

export interface GuardedService {
  url: string;
  organizationId: string;
  ownerId: string;
  identity: Identity;
  register: Register;
  stores: Stores;
  /** Hold the appends, or the files, that a test closes them for. */
  appends: Gate<Parameters<EventStore['append']>>;
  files: Gate<[]>;
  /** Adds a member with a token and a session. */
  addPerson(role: Role): Promise<Person>;
  /** Calls a tool by the direct form. */
  call(person: Pick<Person, 'token'>, tool: string, input: object): Promise<Answer>;
  /** Returns the events of the log that this person has written in records. */
  eventsBy(accountId: string): Promise<StoredEvent[]>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  text: string;
}

/** Starts the service. Reports and files are read in a thread. */
export async function startGuardedService(): Promise<GuardedService> {
  const dataDir = temporaryFolder();
  rememberClock(dataDir);
  const stores = await openStores({ dataDir, eventStoreUrl: null, mongodbUrl: null });
  const appends = new Gate<Parameters<EventStore['append']>>();
  const files = new Gate<[]>();
  const events = new Proxy(stores.events, {
    get(target, name) {
      if (name === 'append')
        return appends.around((...args: Parameters<EventStore['append']>) => target.append(...args));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const clock = new ServiceClock();
  const { accounts } = stores;
  const names = new AccountNames(accounts);
  const cursorKey = Buffer.alloc(32, 6);
  const ignore = () => undefined;
  const spool = openSpool(temporaryFolder()).files;
  const reads = new ReadsInThread({
    settings: {
      stores: { dataDir, eventStoreUrl: null, mongodbUrl: null },
      cursorKey,
      version: 'test',
      time: clock.shared.memory,
    },
    served: () => register.reader.snapshot(),
    reportGenerated: ignore,
    spool,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  const register: Register = createRegister({
    ...stores,
    events,
    names,
    clock,
    exclusive: true,
    cursorKey,
    heavyReads: reads,
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  const { handler } = register;
  const accessEvents = new AccessEvents();
  const identity = openIdentity({
    ...{ accounts, names, accessEvents, handler, clock, log: SILENT_LOG },
    baseUrl: 'http://localhost',
  });
  const { installation, organizationId } = await firstStart({ accounts, log: events, handler, now: clock.now });
  await register.projections.start(installation);
  const gateway = new HttpGateway({});
  gateway.open();
  gateway.markReady();
  const options: HttpAppOptions = {
    config: readConfig({ PORT: '0' }, dataDir),
    port: 0,
    ...{ stores, register, identity, accessEvents, gateway, metrics: null, securityLog: null, clock },
    reporting: { state: { state: 'FOLLOWING', lag_ms: 0 } },
    heavyReads: {
      spool,
      openRecordFile: files.around((...args: Parameters<ReadsInThread['openRecordFile']>) =>
        reads.openRecordFile(...args),
      ),
      reportFiles: {
        generate: files.around((...args: Parameters<ReadsInThread['reportFiles']['generate']>) =>
          reads.reportFiles.generate(...args),
        ),
      },
    },
    logger: pino({ level: 'silent' }),
  };
  const server = await startServer(await createHttpApp(options), { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ownerId = firstOwnerId(installation);
  const addPerson = async (role: Role): Promise<Person> => {
    return addMember({ identity, accounts, organizationId, ownerId }, randomId('acc'), role);
  };
  const call: GuardedService['call'] = async ({ token }, tool, input) =>
    (await startRequest(url, `/api/mcp/tools/${tool}`, { token }, JSON.stringify(input))).finish();
  return {
    ...{ url, organizationId, ownerId, identity, register, stores, appends, files, addPerson, call },
    eventsBy: async (accountId) => {
      const found: StoredEvent[] = [];
      for await (const batch of stores.events.readAll(null)) {
        found.push(...batch.filter(({ metadata }) => metadata.actor_id === accountId));
      }
      return found;
    },
    stop: async () => {
      await reads.stop();
      await stop(server, register, identity, stores);
    },
  };
}

async function stop(server: Server, register: Register, identity: Identity, stores: Stores): Promise<void> {
  await stopServer(server, 0);
  await identity.close();
  await register.projections.stop();
  await stores.close();
}

type Membership = { accounts: Stores['accounts'] } & Pick<GuardedService, 'identity' | 'organizationId' | 'ownerId'>;

async function addMember(service: Membership, accountId: string, role: Role): Promise<Person> {
  const { identity, accounts, organizationId, ownerId } = service;
  const fields = { name: accountId.slice(-6), email: null, password: null, subject: null, totp: null, recovery: [] };
  const account = { id: accountId, generation: 0, erased_at: null, organizations: [], ...fields };
  await accounts.insert('accounts', account);
  await identity.members.add(organizationId, accountId, role, accountActor(ownerId));
  const grant = { name: 'a token', account_id: accountId, role, organizations: [organizationId] };
  const { token, record } = await identity.tokens.create(grant);
  const clientInfo = { address: '192.0.2.1', agent: 'test' };
  const { cookie } = await identity.people.sessions.create(account, clientInfo, 'SIGNED_IN');
  return { accountId, token, tokenId: record.id, cookie };
}

/** A request under way. */
export interface PendingRequest {
  request: ClientRequest;
  /** Sends the rest of the body, and returns the answer. An answer that was cut off has status 0. */
  finish(rest?: string): Promise<Answer>;
}

/** The credential that a request sends. */
type Credential = { token: string } | { cookie: string };

/**
 * Begins a request with some of its body.
 * @param body the whole body, or its first part, of `length` bytes in all
 */
export async function startRequest(
  url: string,
  path: string,
  credential: Credential,
  body: string | null,
  { length = Buffer.byteLength(body ?? ''), type = 'application/json' } = {},
): Promise<PendingRequest> {
  const headers = {
    ...('token' in credential
      ? { Authorization: `Bearer ${credential.token}` }
      : { Cookie: `veritrail=${credential.cookie}`, Origin: url, 'Sec-Fetch-Site': 'same-origin' }),
    Accept: 'application/json, text/html, text/event-stream',
    ...(body === null ? {} : { 'Content-Type': type, 'Content-Length': String(length) }),
  };
  const sent = request(`${url}${path}`, { method: body === null ? 'GET' : 'POST', headers, agent: false });
  const answer = once(sent, 'response').then(
    async ([response]: IncomingMessage[]) => {
      let text = '';
      try {
        for await (const chunk of response!.setEncoding('utf8')) text += chunk;
      } catch {
        return { status: 0, text };
      }
      return { status: response!.statusCode!, text };
    },
    () => ({ status: 0, text: '' }),
  );
  if (body !== null) sent.write(body);
  if (body === null || Buffer.byteLength(body) === length) sent.end();
  return {
    request: sent,
    finish: (rest) => {
      if (rest !== undefined) sent.end(rest);
      return answer;
    },
  };
}

/** The acts that take a person's rights away. */
export const ACTS = {
  'the token is revoked': ({ identity }: GuardedService, { tokenId, accountId }: Person) =>
    identity.tokens.revoke(tokenId, undefined, accountActor(accountId)),
  'the member is removed': ({ identity, organizationId, ownerId }: GuardedService, { accountId }: Person) =>
    identity.members.remove(organizationId, accountId, accountActor(ownerId)),
  'the member becomes VIEWER': ({ identity, organizationId, ownerId }: GuardedService, { accountId }: Person) =>
    identity.members.changeRole(organizationId, accountId, 'VIEWER', accountActor(ownerId)),
  'the access ends': async ({ identity, organizationId, ownerId }: GuardedService, { accountId }: Person) => {
    const end = Date.now() + 100;
    await identity.members.changeEnd(organizationId, accountId, new Date(end).toISOString(), accountActor(ownerId));
    await until(() => Date.now() > end);
  },
  'the session ends': async ({ identity }: GuardedService, { accountId }: Person) => {
    await identity.people.sessions.endOthers(accountId, null);
  },
} as const;

export type ActName = keyof typeof ACTS;
