import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AccessLog } from '../src/identity/access-log/access-log.ts';
import { openMongoAccountStore } from '../src/stores/mongodb/account-store.ts';
import { callTool, callUntilAccepted, firstOrganization, getJson } from './support/mcp/call-tool.ts';
import { startHere } from './support/run/in-process.ts';
import { until } from './support/run/wait.ts';
import { EngineRelay } from './support/stores/engine-relay.ts';
import { startMongo } from './support/stores/mongodb.ts';
import { embeddedPair } from './support/stores/pairs.ts';

const mongo = await startMongo();
const test = suite(`MongoDB without its storage engine: ${mongo?.name}`);

/** Error codes of a storage engine, a router without shards, and a server that steps down or refuses a login or a write. */
const CODES = [1, 13, 70, 89, 91, 133, 189, 10_107, 11_600, 13_435, 16_500];
/** Limit of a call's answer during an outage. */
const ANSWER_MS = 1_500;

test('with every code, calls are unavailable and health names the stores; afterwards calls succeed', async () => {
  const { engine, url: way } = await EngineRelay.to(mongo!.url);
  const pair = embeddedPair();
  const service = await startHere({ ...pair.env, MONGODB_URL: way });
  const { url, token } = service;
  const organization_id = await firstOrganization(url, token);
  const args = { organization_id, name: 'In bad times', idempotency_key: 'in-bad-times' };

  for (const code of [1, 133]) {
    engine.code = code;
    const assertUnavailable = async (tool: string, input: object) => {
      const started = performance.now();
      const { status, body, retryAfter } = await callTool(url, token, tool, input);
      assert.is(status, 503, `${code}: ${tool} is answered ${JSON.stringify(body)}`);
      assert.match(retryAfter ?? '', /^[1-9]\d*$/);
      assert.ok(performance.now() - started < ANSWER_MS, `${code}: ${tool}`);
    };
    await assertUnavailable('listVendors', { organization_id });
    await assertUnavailable('getRecords', { ids: ['vnd_00000000000000000000000000'] });
    // A token that was just looked up stays cached for a second.
    await until(async () => (await callTool(url, token, 'listOrganizations')).status !== 200);
    await assertUnavailable('listOrganizations', {});
    await assertUnavailable('addVendor', args);
    const health = await getJson(`${url}/api/mcp/v1/health`, token);
    assert.is(health.status, 503);
    const { stores } = health.body as { stores: Record<string, string> };
    assert.equal(stores, { event_store: 'UP', read_store: 'DOWN', account_store: 'DOWN' });
    for (const path of ['/sign-in', '/oauth/authorize?client_id=c', '/organizations/org_x', '/readyz']) {
      const answer = await fetch(`${url}${path}`, { redirect: 'manual', headers: { Cookie: session } });
      assert.ok(answer.status === 503 || answer.status < 400, `${path} is answered ${answer.status}`);
    }
    const exchange = await fetch(`${url}/oauth/token`, { method: 'POST', body: refresh });
    assert.is(exchange.status, 503, await exchange.text());
    engine.code = null;
    await until(async () => (await getJson(`${url}/readyz`)).status === 200, 10_000, 'ready again');
  }

  await callUntilAccepted(url, token, 'addVendor', args);
  const total = async () =>
    (await callUntilAccepted(url, token, 'listVendors', { organization_id, view: 'COUNT' })).body.total;
  await until(async () => (await total()) === 1);
  const faults = service
    .output()
    .split('\n')
    .filter((line) => /a tool failed|lost/.test(line));
  assert.equal(faults, [], 'no error is reported as a bug');
  await service.stop();
  await engine.close();
  await pair.close();
});

/** A well-formed session cookie, so the service looks it up in the store. */
const session = `veritrail_session=${'a'.repeat(43)}`;
const refresh = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'c', refresh_token: 'r' });

test('entries of the access log wait during the outage, and are written afterwards', async () => {
  const { engine, url } = await EngineRelay.to(mongo!.url);
  const accounts = await openMongoAccountStore(url);
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  const accessLog = new AccessLog({ accounts, organizationsOf: async () => ['org_1'], now: () => new Date(), log });
  for (const code of CODES) {
    engine.code = code;
    accessLog.recordAccess({ event_type: 'SIGNED_IN', actor_id: `acc_${code}`, account_id: `acc_${code}` });
    accessLog.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
    assert.is(await accessLog.flush(), false);
  }
  engine.code = null;
  assert.is(await accessLog.flush(), true);
  const rows = await accounts.all<{ id: string; event_type: string; actor_id: string; count: number }>('access');
  const signedIn = rows.filter(({ event_type }) => event_type === 'SIGNED_IN').map(({ actor_id }) => actor_id);
  assert.equal(signedIn.sort(), CODES.map((code) => `acc_${code}`).sort());
  const refusals = rows.filter(({ event_type }) => event_type === 'TOKEN_REFUSED');
  assert.is(
    refusals.reduce((sum, { count }) => sum + count, 0),
    CODES.length,
  );
  assert.equal(warnings, ['the access log cannot be written: it is kept and tried again']);
  await accounts.close();
  await engine.close();
});

if (mongo) {
  test.after(mongo.close);
  test.run();
}
