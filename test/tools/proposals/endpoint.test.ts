/** A credential that may only propose, at the endpoints of a started service. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../../src/cli/run.ts';
import { pendingOutput } from '../../../src/tools/schema/output.ts';
import { callTool, firstOrganization } from '../../support/mcp/call-tool.ts';
import { legacyCall, modernCall } from '../../support/mcp/mcp-client.ts';
import { untilTrue } from '../../support/run/take.ts';
import { type Service, startService } from '../../support/service.ts';

const test = suite<{ service: Service; token: string; organizationId: string }>('proposing at the endpoints');

/** Runs a command on the service's data folder. Returns its exit code and what it printed. */
async function command(service: Service, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const shell = {
    env: { DATA_DIR: service.dataDir },
    cwd: service.dataDir,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  };
  return { code: await run(args, shell), out: out.join('\n'), err: err.join('\n') };
}

test.before(async (context) => {
  const service = await startService();
  const created = await command(
    service,
    ...['token', 'create', '--name', 'bot', '--role', 'OWNER', '--autonomy', 'propose-only'],
  );
  assert.is(created.code, 0);
  const token = created.out.split('\n')[0]!;
  Object.assign(context, { service, token, organizationId: await firstOrganization(service.url, token) });
});
test.after(({ service }) => service.stop());

const namesIn = async (service: Service) =>
  ((await callTool(service.url, service.token, 'listVendors')).body.vendors as { name: string }[]).map(
    ({ name }) => name,
  );

test('over HTTP a proposal has status 202, over MCP it is an answer and no error', async ({
  service,
  token,
  organizationId,
}) => {
  const input = { organization_id: organizationId, name: 'Redpoll Legal' };
  const direct = await callTool(service.url, token, 'addVendor', input);
  assert.is(direct.status, 202);
  assert.is(pendingOutput.safeParse(direct.body).error, undefined);
  const { url, proposal_id } = direct.body.pending_approval as { url: string; proposal_id: string };
  assert.ok(url.endsWith(`/organizations/${organizationId}/proposals/${proposal_id}`), url);
  for (const call of [legacyCall, modernCall]) {
    const { isError, result } = await call(service.url, token, 'addVendor', input);
    assert.not(isError);
    assert.ok(result.pending_approval);
  }
  assert.equal(await namesIn(service), []);
  const { body } = await callTool(service.url, token, 'getRecords', { ids: [proposal_id] });
  assert.ok(body.records, JSON.stringify(body));
  const [proposal] = body.records as { type: string; state: string }[];
  assert.equal([proposal!.type, proposal!.state], ['PROPOSAL', 'OPEN']);
});

test('a refused call is refused, and proposes nothing', async ({ service, token, organizationId }) => {
  const { status, code } = await callTool(service.url, token, 'addVendor', { organization_id: organizationId });
  assert.equal([status, code], [400, 'invalid_input']);
  const { body } = await callTool(service.url, token, 'listChanges', {
    organization_id: organizationId,
    filter: { record_types: ['PROPOSAL'] },
  });
  assert.is((body.changes as object[]).length, 3, 'those of the test before');
});

test('a dry run changes nothing, and proposes nothing', async ({ service, token, organizationId }) => {
  const rows = [{ name: 'Redpoll' }];
  const input = { organization_id: organizationId, type: 'VENDOR', rows };
  const { status, body } = await callTool(service.url, token, 'importRecords', { ...input, dry_run: true });
  assert.equal([status, body.pending_approval], [200, undefined]);
  assert.is((await callTool(service.url, token, 'importRecords', input)).status, 202);
  assert.equal(await namesIn(service), []);
});

test('a machine without a browser lists, approves, declines and withdraws, as a member', async ({
  service,
  token,
  organizationId,
}) => {
  const propose = async (name: string) => {
    const { body } = await callTool(service.url, token, 'addVendor', { organization_id: organizationId, name });
    return (body.pending_approval as { proposal_id: string }).proposal_id;
  };
  const [first, second, third] = [await propose('Siskin'), await propose('Twite'), await propose('Serin')];
  const [owner] = JSON.parse((await command(service, 'member', 'list', '--json')).out) as { account_id: string }[];
  const as = ['--as', owner!.account_id];
  assert.match((await command(service, 'proposal', 'list')).out, new RegExp(`${first} +Add vendor`));
  assert.is((await command(service, 'proposal', 'approve', first)).code, 2, 'nobody decides');
  const unasked = await command(service, 'proposal', 'approve', first, ...as);
  assert.is(unasked.code, 1);
  assert.match(unasked.err, /VendorAdded.*name: null → "Siskin".*Nobody confirmed it/s);
  const approved = await command(service, 'proposal', 'approve', first, ...as, '--yes');
  assert.is(approved.code, 0, approved.err);
  assert.match(approved.out, '1 written, 0 refused');
  assert.is((await command(service, 'proposal', 'approve', first, ...as, '--yes')).code, 1, 'it is done');
  assert.is((await command(service, 'proposal', 'decline', second, ...as, '--reason', 'Not ours')).code, 0);
  assert.is((await command(service, 'proposal', 'withdraw', third, ...as)).code, 0);
  let listed: { id: string; state: string }[] = [];
  const stateOf = (id: string) => listed.find((proposal) => proposal.id === id)?.state;
  // The service reads the log some moments after the command line wrote to it.
  await untilTrue(async () => {
    listed = JSON.parse((await command(service, 'proposal', 'list', '--all', '--json')).out);
    return stateOf(third) !== 'OPEN';
  });
  assert.equal([first, second, third].map(stateOf), ['CARRIED_OUT', 'DECLINED', 'WITHDRAWN']);
  assert.ok((await namesIn(service)).includes('Siskin'));
  const { body } = await callTool(service.url, service.token, 'listChanges', {
    organization_id: organizationId,
    filter: { record_id: [first] },
  });
  const clients = (body.changes as { event_type: string; client: string | null }[]).map((change) => change.client);
  assert.ok(
    clients.some((client) => client?.startsWith('veritrail proposal')),
    clients.join(),
  );
});

test('every tool that writes proposes', async ({ service, token, organizationId }) => {
  const add = async (tool: string, fields: object) =>
    Object.values(
      (await callTool(service.url, service.token, tool, { organization_id: organizationId, ...fields })).body,
    )
      .map((member) => (member as { id?: string } | null)?.id)
      .find((id) => id !== undefined)!;
  const risk = await add('addRisk', { name: 'Fire', inherent_likelihood: 2, inherent_impact: 2 });
  const measure = await add('addMeasure', { name: 'Doors' });
  const vendor = await add('addVendor', { name: 'Lamps' });
  const calls: readonly [tool: string, input: object][] = [
    ['updateRisk', { id: risk, note: 'Wood' }],
    ['decideRisk', { id: risk, decision: 'CLOSE', reason: 'Gone' }],
    ['updateMeasure', { id: measure, state: 'IMPLEMENTED', reason: 'Hung' }],
    ['reviewVendor', { id: vendor, outcome: 'APPROVED' }],
    ['linkRecords', { links: [{ from_id: risk, to_id: measure }] }],
    ['archiveRecords', { ids: [vendor], action: 'ARCHIVE', reason: 'Gone' }],
    ['addFramework', { organization_id: organizationId, library_id: 'GDPR' }],
    ['addEvidence', { organization_id: organizationId, name: 'Photo', text: 'Shut', record_ids: [measure] }],
  ];
  const before = await changeCount(service, organizationId);
  for (const [tool, input] of calls) {
    const { status, body } = await callTool(service.url, token, tool, input);
    assert.is(status, 202, `${tool}: ${JSON.stringify(body).slice(0, 300)}`);
  }
  assert.is(await changeCount(service, organizationId), before + calls.length, 'one event a proposal, and no other');
});

async function changeCount({ url, token }: Service, organization_id: string): Promise<number> {
  const { body } = await callTool(url, token, 'listChanges', { organization_id, view: 'COUNT' });
  return Number(body.total);
}

test.run();
