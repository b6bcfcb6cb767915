/** Sign-ins, refusals and changes of rights in the service's log, as a SIEM reads them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool } from '../support/mcp/call-tool.ts';
import { startHere } from '../support/run/in-process.ts';
import { until } from '../support/run/wait.ts';
import { embeddedPair } from '../support/stores/pairs.ts';
import { OWNER, TestBrowser, textOf } from '../support/web/web.ts';

interface Started {
  url: string;
  token: string;
  browser: TestBrowser;
  /** Returns the security events that were logged until now, without the members that every line has. */
  events(): Record<string, unknown>[];
  output(): string;
  stop(): Promise<void>;
}

const EVERYWHERE = ['level', 'time', 'pid', 'hostname', 'msg'];

/** Starts the service and lets its owner in. */
async function start(env: Record<string, string> = {}): Promise<Started> {
  const pair = embeddedPair();
  const service = await startHere({ ...pair.env, ...env });
  const { url, token, output } = service;
  const browser = new TestBrowser(url, new URL(url).host, url);
  await browser.get(`/welcome?key=${/key=([\w-]{43})/.exec(output())![1]}`);
  await browser.send('/welcome/new', OWNER);
  const events = () =>
    output()
      .split('\n')
      .filter((line) => line.includes('"security_event"'))
      .map((line) => {
        const members = Object.entries(JSON.parse(line) as object);
        return Object.fromEntries(members.filter(([name]) => !EVERYWHERE.includes(name)));
      });
  const stop = async () => {
    await service.stop();
    await pair.close();
  };
  return { url, token, browser, events, output, stop };
}

const test = suite<Started>('security events in the log');

test.before(async (context) => {
  Object.assign(context, await start());
});
test.after(({ stop }) => stop());

/** Waits for an event that has these members, and returns it. */
async function eventWith({ events }: Started, members: Record<string, unknown>): Promise<Record<string, unknown>> {
  const find = () => events().find((event) => Object.entries(members).every(([name, value]) => event[name] === value));
  await until(() => find() !== undefined, 5_000, `the log has ${JSON.stringify(members)}`);
  return find()!;
}

const ids = /^(acc|tok|org)_\w+$/;

test('say who signed in and with which factor, and which sign-ins were refused', async (started) => {
  const { url } = started;
  const stranger = new TestBrowser(url, new URL(url).host, url);
  await stranger.get('/sign-in');
  await stranger.send('/sign-in', { email: OWNER.email, password: 'wrong but memorable' });
  const refused = await eventWith(started, { security_event: 'SIGN_IN_REFUSED' });
  assert.match(String(refused.account_id), ids);
  assert.equal(refused, {
    security_event: 'SIGN_IN_REFUSED',
    outcome: 'FAILURE',
    actor_id: null,
    account_id: refused.account_id,
    details: { reason: 'WRONG_PASSWORD' },
  });
  await stranger.get('/sign-in');
  await stranger.send('/sign-in', OWNER);
  const password = () =>
    started.events().find(({ details }) => (details as { factor?: string })?.factor === 'PASSWORD');
  await until(() => password() !== undefined, 5_000, 'the log has the sign-in');
  assert.is(password()!.outcome, 'SUCCESS');
  assert.is(password()!.actor_id, refused.account_id);
});

test('say which tokens were created, and which were refused', async (started) => {
  await started.browser.get('/settings/tokens');
  await started.browser.send('/settings/tokens', { name: 'Laptop of Ada', role: 'VIEWER', days: '30' });
  const created = started.events().filter(({ security_event }) => security_event === 'TokenCreated');
  const { details, event_id, organizations, actor_id } = created.at(-1)!;
  assert.match(String(event_id), /./);
  assert.match((organizations as string[])[0]!, ids);
  assert.equal(
    { ...(details as object), token_id: '', expires_at: '' },
    {
      token_id: '',
      account_id: actor_id,
      role: 'VIEWER',
      read_only: false,
      expires_at: '',
      autonomy: 'DECISIONS_PROPOSED',
    },
  );
  assert.is((await callTool(started.url, 'vtr_wrong', 'listVendors')).status, 401);
  assert.is((await eventWith(started, { security_event: 'TOKEN_REFUSED' })).outcome, 'FAILURE');
});

test('say who was refused what, by MCP and by an address', async (started) => {
  await started.browser.get('/settings/tokens');
  const page = await started.browser.send('/settings/tokens', { name: 'Reader', role: 'VIEWER', days: '30' });
  const token = textOf(page.text, 'token');
  const [, organization] = /(org_\w{26})/.exec(started.output()) ?? /(org_\w{26})/.exec(page.text) ?? [];
  const args = { organization_id: organization, name: 'Somebody', reason: 'test' };
  const direct = await callTool(started.url, token, 'addVendor', args);
  assert.is(direct.status, 403);
  const byAddress = await eventWith(started, { security_event: 'ACCESS_DENIED', tool: 'addVendor' });
  assert.equal(Object.keys(byAddress).sort(), ['actor_id', 'outcome', 'request', 'security_event', 'tool']);
  const answer = await fetch(`${started.url}/api/mcp/v1`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'addRisk', arguments: args },
    }),
  });
  assert.is(answer.status, 200);
  assert.match(await answer.text(), /forbidden/);
  const byMcp = await eventWith(started, { security_event: 'ACCESS_DENIED', tool: 'addRisk' });
  assert.match(String(byMcp.token_id), ids);
  assert.is(byMcp.actor_id, byAddress.actor_id);
});

test('contain no name, address, secret or text of people', ({ output, token }) => {
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('"security_event"'));
  assert.ok(lines.length > 8, String(lines.length));
  for (const secret of [OWNER.name, OWNER.email, OWNER.password, 'Laptop', '127.0.0.1', token, 'Somebody']) {
    assert.not.ok(
      lines.some((line) => line.includes(secret)),
      secret,
    );
  }
});

test('are left out with LOG_SECURITY_EVENTS=false, and with LOG_LEVEL=silent', async () => {
  for (const env of [{ LOG_SECURITY_EVENTS: 'false' }, { LOG_LEVEL: 'silent' }]) {
    const { events, stop } = await start(env);
    assert.equal(events(), [], JSON.stringify(env));
    await stop();
  }
});

test.run();
