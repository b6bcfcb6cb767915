/** A running service, when a membership ends: by the real clock, for tools, files and pages. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { executeOrganizationCommand } from '../../src/identity/memberships/actor.ts';
import { Sessions } from '../../src/identity/sign-in/sessions.ts';
import { until } from '../support/run/wait.ts';
import { embeddedPair, type ServedPair, serve, withOpenPair } from '../support/stores/pairs.ts';
import { TestBrowser } from '../support/web/web.ts';

const HOUR_MS = 3_600_000;
/** From the command that sets the end. */
const ACCESS_LEFT_MS = 1_500;
const MAX_ACCESS_AFTER_END_MS = 2_000;

/** Records whose file, of 8 MB, does not fit into the buffers of a connection that nobody reads. */
const LONG_RECORDS = 800;
const LONG_RECORDS_A_CALL = 100;

const test = suite<{ served: ServedPair; env: Record<string, string> }>('the end of a membership');

test.before(async (context) => {
  const pair = embeddedPair();
  context.env = pair.env;
  // At this level, the service logs requests whose connection it closed.
  context.served = await serve({ ...pair, env: { ...pair.env, LOG_LEVEL: 'info' } });
});
test.after(({ served }) => served.close());

const timeIn = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Adds an auditor for an hour. Returns the headers of their token, and a browser in which they are signed in. */
async function addAuditor({ env, served }: { env: Record<string, string>; served: ServedPair }) {
  const { organizationId, url } = served;
  const account_id = randomId('acc');
  const member = { account_id, role: 'AUDITOR' } as const;
  return withOpenPair(env, async ({ accounts, handler, tokens }) => {
    await accounts.insert('accounts', { id: account_id, name: 'Una', organizations: [organizationId], generation: 0 });
    const added = { type: 'AddMember', ...member, until: timeIn(HOUR_MS) } as const;
    await executeOrganizationCommand(handler, organizationId, added);
    const { token } = await tokens.create({ name: 'audit', ...member, organizations: [organizationId] });
    const sessions = new Sessions({ accounts, now: () => new Date() });
    const clientInfo = { address: '127.0.0.1', agent: 'a browser' };
    const { cookie } = await sessions.create({ id: account_id, generation: 0 }, clientInfo, 'SIGNED_IN');
    const browser = new TestBrowser(url, new URL(url).host, url);
    browser.cookies.set('veritrail', cookie);
    return { account_id, browser, bearer: { Authorization: `Bearer ${token}`, Accept: 'application/json' } };
  });
}

test('ends tools, files and pages within two seconds', async (context) => {
  const { env, served } = context;
  const { organizationId, url } = served;
  const { account_id, browser, bearer } = await addAuditor(context);
  const call = { method: 'POST', headers: { ...bearer, 'Content-Type': 'application/json' }, body: '{}' };
  const tool = async () => (await fetch(`${url}/api/mcp/tools/listOrganizations`, call)).status;
  const file = `/api/v1/organizations/${organizationId}/records/risks`;
  const fileByToken = async () => (await fetch(url + file, { headers: bearer })).status;
  const fileBySession = async () => (await browser.get(file, { Accept: 'application/json' })).status;
  const page = async () => (await browser.get(`/organizations/${organizationId}/risks`)).status;
  await until(async () => (await tool()) === 200, 5_000, 'the service sees the token');
  for (const visit of [fileByToken, fileBySession, page]) assert.is(await visit(), 200);

  const end = timeIn(ACCESS_LEFT_MS);
  await withOpenPair(env, ({ handler }) =>
    executeOrganizationCommand(handler, organizationId, { type: 'ChangeMembershipEnd', account_id, until: end }),
  );
  await until(async () => (await tool()) === 401, ACCESS_LEFT_MS + MAX_ACCESS_AFTER_END_MS, 'the token is refused');
  assert.ok(new Date().toISOString() > end, 'not before the end');
  assert.equal(await Promise.all([fileByToken(), fileBySession(), page()]), [401, 404, 404]);
  assert.not.match((await browser.get('/organizations')).text, organizationId);
});

/** Adds records with long texts. */
async function addLongRecords({ owner, organizationId: organization_id }: ServedPair): Promise<void> {
  for (let first = 0; first < LONG_RECORDS; first += LONG_RECORDS_A_CALL) {
    const rows = Array.from({ length: LONG_RECORDS_A_CALL }, (_, index) => ({
      name: `Measure ${first + index}`,
      description: 'x'.repeat(10_000),
    }));
    await owner.ok('importRecords', { organization_id, type: 'MEASURE', rows });
  }
}

/** Returns true if the service logged a request of this file with this status. */
function logged({ service }: ServedPair, file: string, status: number): boolean {
  return service
    .output()
    .split('\n')
    .some((line) => line.includes(file) && line.includes(`"status":${status}`));
}

test('cuts a download that has begun', async (context) => {
  const { env, served } = context;
  const { organizationId, url } = served;
  await addLongRecords(served);
  const { account_id, bearer } = await addAuditor(context);
  const file = `${url}/api/v1/organizations/${organizationId}/records/measures?format=jsonl`;
  const open = async () => {
    const [answer] = (await once(get(file, { headers: bearer, agent: false }), 'response')) as [IncomingMessage];
    return answer.statusCode === 200 && answer;
  };
  const response = await until(open, 5_000, 'the service sees the token');

  const end = timeIn(ACCESS_LEFT_MS);
  await withOpenPair(env, ({ handler }) =>
    executeOrganizationCommand(handler, organizationId, { type: 'ChangeMembershipEnd', account_id, until: end }),
  );
  const isCut = () => logged(served, 'records/measures', 499);
  await until(isCut, ACCESS_LEFT_MS + MAX_ACCESS_AFTER_END_MS, 'the connection is cut');
  assert.ok(new Date().toISOString() > end, 'not before the end');
  response.on('error', () => {}).resume();
  await until(() => response.closed, 5_000, 'the client sees the cut');
  assert.is(response.complete, false);
});

test.run();
