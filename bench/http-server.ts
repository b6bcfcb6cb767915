import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { createRegister } from '../src/app/create-register.ts';
import { createLogger } from '../src/app/logger.ts';
import { ServiceClock } from '../src/clock/service-clock.ts';
import { clientInfoReader } from '../src/http/access/client-info-reader.ts';
import { createRateLimits } from '../src/http/access/rate-limits.ts';
import { createApp } from '../src/http/create-app.ts';
import { AccessEvents } from '../src/identity/access-log/access-events.ts';
import { AccountNames } from '../src/identity/accounts/account-names.ts';
import { openIdentity } from '../src/identity/identity.ts';
import { openStores } from '../src/stores/open.ts';
import { MCP_HEADERS, PAGE_REQUEST } from './http-requests.ts';

/* Serves veritrail and the plain routes in one process and on one port. The path decides which one gets a request. */

const [folder, organizationId, accountId] = process.argv.slice(2) as [string, string, string];
const stores = await openStores({ dataDir: folder, eventStoreUrl: null, mongodbUrl: null });
const logger = createLogger('info', { write: () => undefined });
const names = new AccountNames(stores.accounts);
const clock = new ServiceClock();
const register = createRegister({
  ...stores,
  clock,
  names,
  exclusive: false,
  cursorKey: Buffer.alloc(32, 1),
  riskAcceptanceMaxDays: 366,
  writeWaitMs: 5_000,
  log: logger,
});
await register.projections.start('bench');
const baseUrl = 'http://127.0.0.1';
const { authenticator, people, tokens } = openIdentity({
  accounts: stores.accounts,
  names,
  accessEvents: new AccessEvents(),
  handler: register.handler,
  clock,
  baseUrl,
  log: logger,
});
const newToken = { name: 'bench', account_id: accountId, role: 'OWNER', organizations: [organizationId] } as const;
const { token } = await tokens.create(newToken);
const service = createApp({
  authenticate: (credential: string) => authenticator.authenticate(credential),
  // Requests are counted, but this limit is never reached.
  limits: createRateLimits(1_000_000_000, clientInfoReader([])),
  baseUrl,
  tools: register.tools,
  health: async () => ({ serving: true }),
  version: '0',
  logger,
}).callback();

/*
 * The plain routes take the very same request. They look at its type, as body parsers do, because Node.js makes the headers
 * when the first is read. Then they parse the body and look at nothing else.
 */
const list = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"tools":${register.tools.listJson()}}}`);
const router = new Router();
router.post('/plain/list', async (ctx) => {
  await readJson(ctx.req);
  ctx.type = 'json';
  ctx.body = list;
});
router.post('/plain/record', async (ctx) => {
  const { params } = await readJson(ctx.req);
  const [row] = await register.projections.models.get('vendors', params.arguments.ids);
  ctx.type = 'json';
  ctx.body = JSON.stringify({ records: [row?.doc] });
});

/* The bytes of an answer that the service gave to the same request, from memory. */
let firstPage: Buffer = Buffer.alloc(0);
router.post('/plain/page', async (ctx) => {
  await readJson(ctx.req);
  ctx.type = 'json';
  ctx.body = firstPage;
});

/* A sign-in with the correct password. */
const clientInfo = { address: '127.0.0.1', agent: 'bench' };
const person = { name: 'Ada Byron', email: 'ada@example.org', password: 'analytical engine 1843' };
await people.accounts.create(person, clientInfo).catch(() => undefined);
router.post('/plain/sign-in', async (ctx) => {
  await people.signIn.withPassword(person.email, person.password, clientInfo);
  ctx.body = 'signed in';
});

async function readJson(request: IncomingMessage): Promise<{ params: { arguments: { ids: string[] } } }> {
  if (!request.headers['content-type']?.startsWith('application/json')) throw new Error('the body is not JSON');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const plain = new Koa().use(router.routes()).callback();

const server = createServer((request: IncomingMessage, response: ServerResponse) =>
  request.url?.startsWith('/plain/') ? plain(request, response) : service(request, response),
).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
firstPage = await readFirstPage(port);
process.on('disconnect', () => process.exit(0));
process.send!({ port, token });

/** Returns the answer to the request of `PAGE_REQUEST`. */
async function readFirstPage(port: number): Promise<Buffer> {
  const response = await fetch(`http://127.0.0.1:${port}/api/mcp/v1`, {
    method: 'POST',
    headers: { ...MCP_HEADERS, Authorization: `Bearer ${token}` },
    body: JSON.stringify(PAGE_REQUEST),
  });
  return Buffer.from(await response.arrayBuffer());
}
