/** The pairs of stores that the service runs on, and the service on one of them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type uvu } from 'uvu';
import type { Role } from '../../src/commands/caller.ts';
import { CommandHandler } from '../../src/commands/handler.ts';
import { randomId } from '../../src/commands/ids.ts';
import { commandOrganization } from '../../src/identity/actor.ts';
import { type NewToken, Tokens } from '../../src/identity/tokens.ts';
import { openStores, type Stores } from '../../src/stores/open.ts';
import { hasRealEventStore, startEventStore } from './event-store-server.ts';
import { startHere } from './in-process.ts';
import { Session } from './mcp-client.ts';
import { startMongo } from './mongodb.ts';
import type { Running } from './service.ts';
import { until } from './wait.ts';

/** Empty stores. */
export interface Pair {
  name: string;
  env: Record<string, string>;
  close(): Promise<void>;
}

/** The embedded stores, in a folder of their own. */
export function embeddedPair(): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-pair-'));
  const close = async () => rmSync(folder, { recursive: true, force: true });
  return { name: 'embedded stores', env: { DATA_DIR: join(folder, 'data') }, close };
}

/** Both pairs; without a database for the second the first one only, which is said on standard output. */
export async function startPairs(): Promise<Pair[]> {
  const embedded = embeddedPair();
  const second = await startSecondPair(embedded.env);
  return second === null ? [embedded] : [embedded, second];
}

/** EventStoreDB with MongoDB; a real EventStoreDB goes with embedded read models where MONGODB_URL names no server. */
async function startSecondPair(env: Record<string, string>): Promise<Pair | null> {
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

/** The same tests on each pair of stores, with the service running on it. */
export async function onBothPairs(name: string, define: (test: uvu.Test<Served>) => void): Promise<void> {
  for (const pair of await startPairs()) {
    const test = suite<Served>(`${name}, on ${pair.name}`);
    test.before(async (context) => {
      Object.assign(context, await serve(pair));
    });
    test.after((served) => served.close());
    define(test);
    test.run();
  }
}

/** What works on the same stores beside the running service, as the command line does. */
export interface Beside extends Stores {
  handler: CommandHandler;
  tokens: Tokens;
}

/** The service on a pair of stores. */
export interface Served {
  url: string;
  /** The first organization and the token of its owner. */
  organizationId: string;
  token: string;
  accountId: string;
  owner: Session;
  /** Speaks for another credential, the owner's unless it is told whose, with another role perhaps. */
  as(role: Role, limits?: Partial<Pick<NewToken, 'read_only' | 'organizations' | 'account_id'>>): Promise<Session>;
  /** One more organization of the same owner's. */
  secondOrganization(): Promise<string>;
  /** An organization that nobody of the first is a member of, and its owner. */
  foreignOrganization(): Promise<{ id: string; accountId: string; owner: Session }>;
  /** Makes an account a member, and answers its id. */
  addMember(name: string, role: Role): Promise<string>;
  service: Running;
  close(): Promise<void>;
}

/** Works on a pair's stores for as long as `work` takes, at whatever time `now` says it is. */
export async function beside<T>(
  env: Record<string, string>,
  work: (beside: Beside) => Promise<T>,
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

/** Starts the service on a pair, in this process unless it is told otherwise. */
export async function serve(pair: Pair, start = startHere): Promise<Served> {
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
      const wanted = { name: role, account_id: accountId, role, organizations: [organizationId], ...limits };
      const issued = await beside(pair.env, ({ tokens }) => tokens.create(wanted));
      return known(new Session(url, issued.token), wanted.organizations.length);
    },
    secondOrganization: () => beside(pair.env, (parts) => foundOrganization(parts, accountId)),
    foreignOrganization: () => beside(pair.env, (parts) => foreignOrganization(parts, url)),
    async addMember(name, role) {
      const account_id = randomId('acc');
      await beside(pair.env, async ({ accounts, handler }) => {
        await accounts.insert('accounts', { id: account_id, name });
        await commandOrganization(handler, organizationId, { type: 'AddMember', account_id, role });
      });
      const members = async () => JSON.stringify(await owner.ok('listOrganizations', { include_members: true }));
      await until(async () => (await members()).includes(account_id), 5_000, 'the service knows the member');
      return account_id;
    },
    close: async () => {
      await service.stop();
      await pair.close();
    },
  };
}

async function foundOrganization({ handler }: Beside, owner_id: string): Promise<string> {
  const id = randomId('org');
  await commandOrganization(handler, id, {
    type: 'CreateOrganization',
    name: 'Elsewhere',
    import_key: randomBytes(32).toString('hex'),
    installation: crypto.randomUUID(),
    owner_id,
  });
  return id;
}

async function foreignOrganization(parts: Beside, url: string) {
  const accountId = randomId('acc');
  await parts.accounts.insert('accounts', { id: accountId, name: 'Somebody else' });
  const id = await foundOrganization(parts, accountId);
  const wanted = { name: 'theirs', account_id: accountId, role: 'OWNER' as const, organizations: [id] };
  const issued = await parts.tokens.create(wanted);
  return { id, accountId, owner: await known(new Session(url, issued.token), 1) };
}

/** What is made beside a running service is known to it within a second. */
async function known(session: Session, organizations: number): Promise<Session> {
  const reaches = async () => (await session.ok('listOrganizations')).organizations.length === organizations;
  await until(reaches, 5_000, 'the service knows the token');
  return session;
}
