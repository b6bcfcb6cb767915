/** Starts pairs of stores, and the service on one of them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type uvu } from 'uvu';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { type NewToken, Tokens } from '../../../src/identity/tokens/tokens.ts';
import { openStores, type Stores } from '../../../src/stores/open.ts';
import { Session } from '../mcp/mcp-client.ts';
import { startHere } from '../run/in-process.ts';
import { until } from '../run/wait.ts';
import type { Running } from '../service.ts';
import { hasRealEventStore, startEventStore } from './event-store-server.ts';
import { onlyServers, startMongo } from './mongodb.ts';

/** A pair of empty stores. */
export interface Pair {
  name: string;
  env: Record<string, string>;
  close(): Promise<void>;
}

/** Creates embedded stores in a temporary folder. */
export function embeddedPair(): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-pair-'));
  const close = async () => rmSync(folder, { recursive: true, force: true });
  return { name: 'embedded stores', env: { DATA_DIR: join(folder, 'data') }, close };
}

/**
 * Starts the pairs that this run is for. `npm test` is for the embedded stores, and `npm run test:servers` for databases.
 * Other runs, and `npm test` with a real database, are for both. Without a MongoDB there is no second pair; that is said on
 * standard output.
 */
export async function startPairs(): Promise<Pair[]> {
  const embedded = embeddedPair();
  const second = await startSecondPair(embedded.env);
  if (second === null) return [embedded];
  return onlyServers ? [second] : [embedded, second];
}

/** Starts EventStoreDB with MongoDB. A real EventStoreDB gets embedded read models if MONGODB_URL is not set. */
export async function startSecondPair(env: Record<string, string> = {}): Promise<Pair | null> {
  if (hasRealEventStore && !process.env.MONGODB_URL) {
    const events = await startEventStore();
    const reads = embeddedPair();
    const close = async () => {
      await events.close();
      await reads.close();
    };
    return {
      name: `${events.name} and embedded read models`,
      env: { ...reads.env, EVENTSTORE_URL: events.url },
      close,
    };
  }
  const mongo = await startMongo();
  if (mongo === null) return null;
  const events = await startEventStore();
  const close = async () => {
    await mongo.close();
    await events.close();
  };
  return {
    name: `${events.name} and ${mongo.name}`,
    env: { ...env, EVENTSTORE_URL: events.url, MONGODB_URL: mongo.url },
    close,
  };
}

/** Runs the same tests on each pair of stores, with the service. */
export async function onBothPairs(name: string, define: (test: uvu.Test<ServedPair>) => void): Promise<void> {
  for (const pair of await startPairs()) {
    const test = suite<ServedPair>(`${name}, on ${pair.name}`);
    test.before(async (context) => {
      Object.assign(context, await serve(pair));
    });
    test.after((served) => served.close());
    define(test);
    test.run();
  }
}

/** The stores of a running service, opened a second time, as the command line does. */
export interface OpenPair extends Stores {
  handler: CommandHandler;
  tokens: Tokens;
}

/** The service on a pair of stores. */
export interface ServedPair {
  url: string;
  /** The first organization and the token of its owner. */
  organizationId: string;
  token: string;
  accountId: string;
  owner: Session;
  /** Creates a token with a role, by default of the owner's account, and returns a session with it. */
  as(role: Role, limits?: Partial<Pick<NewToken, 'read_only' | 'organizations' | 'account_id'>>): Promise<Session>;
  /** Creates another organization of the same owner. */
  secondOrganization(): Promise<string>;
  /** Creates an organization with another owner and no common member. */
  foreignOrganization(): Promise<{ id: string; accountId: string; owner: Session }>;
  /** Creates an account, makes it a member, and returns its id. */
  addMember(name: string, role: Role): Promise<string>;
  service: Running;
  close(): Promise<void>;
}

/** Runs `work` on a pair's stores, with the clock `now`. */
export async function withOpenPair<T>(
  env: Record<string, string>,
  work: (pair: OpenPair) => Promise<T>,
  now = () => new Date(),
): Promise<T> {
  const { DATA_DIR = '', EVENTSTORE_URL = null, MONGODB_URL = null } = env;
  const stores = await openStores({ dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL });
  try {
    const handler = new CommandHandler(stores.events, { now, maxAcceptanceDays: 366 });
    return await work({ ...stores, handler, tokens: new Tokens({ accounts: stores.accounts, handler, now }) });
  } finally {
    await stores.close();
  }
}

/** Starts the service on a pair, by default in this process. */
export async function serve(pair: Pair, start = startHere): Promise<ServedPair> {
  const service = await start(pair.env);
  const { url, token } = service;
  const owner = new Session(url, token);
  const [first] = (await owner.ok('listOrganizations')).organizations;
  const organizationId = first!.id;
  const accountId = String(first!.account_id);
  return {
    url,
    organizationId,
    token,
    accountId,
    owner,
    service,
    async as(role, limits = {}) {
      const tokenInput = { name: role, account_id: accountId, role, organizations: [organizationId], ...limits };
      const issuedToken = await withOpenPair(pair.env, ({ tokens }) => tokens.create(tokenInput));
      return untilReachable(new Session(url, issuedToken.token), tokenInput.organizations.length);
    },
    secondOrganization: () => withOpenPair(pair.env, (parts) => createOrganization(parts, accountId)),
    foreignOrganization: () => withOpenPair(pair.env, (parts) => foreignOrganization(parts, url)),
    async addMember(name, role) {
      const account_id = randomId('acc');
      await withOpenPair(pair.env, async ({ accounts, handler }) => {
        await accounts.insert('accounts', { id: account_id, name });
        await executeOrganizationCommand(handler, organizationId, { type: 'AddMember', account_id, role });
      });
      const members = async () => JSON.stringify(await owner.ok('listOrganizations', { include_members: true }));
      await until(async () => (await members()).includes(account_id), 5_000, 'the service sees the member');
      return account_id;
    },
    close: async () => {
      await service.stop();
      await pair.close();
    },
  };
}

async function createOrganization({ handler }: OpenPair, owner_id: string): Promise<string> {
  const id = randomId('org');
  await executeOrganizationCommand(handler, id, {
    type: 'CreateOrganization',
    name: 'Elsewhere',
    import_key: randomBytes(32).toString('hex'),
    installation: crypto.randomUUID(),
    owner_id,
  });
  return id;
}

async function foreignOrganization(parts: OpenPair, url: string) {
  const accountId = randomId('acc');
  await parts.accounts.insert('accounts', { id: accountId, name: 'Somebody else' });
  const id = await createOrganization(parts, accountId);
  const tokenInput = { name: 'theirs', account_id: accountId, role: 'OWNER' as const, organizations: [id] };
  const issuedToken = await parts.tokens.create(tokenInput);
  return { id, accountId, owner: await untilReachable(new Session(url, issuedToken.token), 1) };
}

/** Waits until the running service sees a new token. That takes up to a second. */
async function untilReachable(session: Session, organizations: number): Promise<Session> {
  const canReach = async () => (await session.ok('listOrganizations')).organizations.length === organizations;
  await until(canReach, 5_000, 'the service sees the token');
  return session;
}
