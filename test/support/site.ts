/** The pages on a port of their own, in this process, over stores in a temporary folder. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { createLimits } from '../../src/http/limits.ts';
import { type RequestState, requests } from '../../src/http/request.ts';
import { visitors } from '../../src/http/visitor.ts';
import { SYSTEM } from '../../src/identity/actor.ts';
import { firstStart } from '../../src/identity/installation.ts';
import { Members } from '../../src/identity/members.ts';
import { openPeople, type People } from '../../src/identity/people.ts';
import type { Visitor } from '../../src/identity/visitor.ts';
import { createPages } from '../../src/web/routes.ts';
import { open, type TestIdentity } from './identity.ts';

/** Who did what is done here without a browser. */
export const NOBODY: Visitor = { address: '192.0.2.1', agent: '' };
export const PASSWORD = 'plenty of teal herons';

export interface Site {
  /** Without a slash at the end; by name, for browsers know passkeys for names only. */
  url: string;
  identity: TestIdentity;
  people: People;
  members: Members;
  /** The first organization, and the secret of the link for its first owner. */
  organizationId: string;
  setupSecret: string;
  close(): Promise<void>;
}

/** @param openId whether to show what an OpenID provider makes possible */
export async function startSite({ openId = false } = {}): Promise<Site> {
  const identity = await open();
  const { accounts, handler, tokens, now } = identity;
  const members = new Members({ accounts, handler, tokens });
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const people = openPeople({
    accounts,
    now,
    baseUrl: () => url,
    leaveAll: (id) => members.leaveAll(id),
    join: ({ organization_id, role }, id) => members.add(organization_id, id, role, SYSTEM),
  });
  const { installation, organizationId } = await firstStart(identity);
  const setupSecret = (await people.setupLink(installation))!;
  const visitorOf = visitors([]);
  const logger = pino({ level: 'silent' });
  const app = new Koa<RequestState>();
  app.use(requests(logger));
  app.use(
    createPages({
      baseUrl: url,
      endpoint: `${url}/api/mcp/v1`,
      formKey: Buffer.alloc(32, 7),
      people,
      members,
      tokens,
      openId,
      organizationName: async (id) => (id === organizationId ? 'My organization' : id),
      visitorOf,
      limits: createLimits(null, visitorOf),
      logger,
      now,
    }),
  );
  const server = createServer(app.callback()).listen(port, 'localhost');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await identity.close();
  };
  return { url, identity, people, members, organizationId, setupSecret, close };
}

async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
