import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, firstOrganization } from '../../support/mcp/call-tool.ts';
import { until } from '../../support/run/wait.ts';
import { type Service, startService } from '../../support/service.ts';
import { sharedPair, veritrail } from '../../support/stores/shared-pair.ts';

const pair = await sharedPair();
const test = suite(`two services on ${pair?.name}`);

let services: Service[] = [];
let token = '';
let organization_id = '';

test.before(async () => {
  // Both start simultaneously on empty stores: one of them creates the organization and prints the token.
  services = await Promise.all([startService(pair!.env), startService(pair!.env)]);
  const tokens = services.map((service) => service.token).filter((printed) => printed !== '');
  assert.is(tokens.length, 1);
  token = tokens[0]!;
  const organizations = await Promise.all(services.map(({ url }) => firstOrganization(url, token)));
  assert.is(organizations[0], organizations[1]);
  organization_id = organizations[0]!;
});

test.after(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await pair!.close();
});

/** Both directions. */
function directions(): { from: string; to: string }[] {
  const [a, b] = services.map(({ url }) => url) as [string, string];
  return [
    { from: a, to: b },
    { from: b, to: a },
  ];
}

test('a write through one can be read through the other as soon as it is answered', async () => {
  const slowest: number[] = [];
  for (const { from, to } of directions()) {
    let longest = 0;
    for (let count = 0; count < 15; count++) {
      const startedAt = performance.now();
      const { body } = await callUntilAccepted(from, token, 'addVendor', {
        organization_id,
        name: `Vendor ${randomUUID()}`,
      });
      longest = Math.max(longest, Math.round(performance.now() - startedAt));
      assert.is(body.pending, undefined);
      const { id } = body.vendor as { id: string };
      const read = await callTool(to, token, 'getRecords', { ids: [id] });
      assert.equal((read.body.records as { id: string }[])[0]?.id, id);
      const list = await callTool(to, token, 'listVendors', { organization_id, filter: { ids: [id] } });
      assert.is((list.body.vendors as object[]).length, 1);
      const moment = { organization_id, filter: { ids: [id] }, as_of: body.position };
      if (count % 5 === 0) {
        const before = await callUntilAccepted(to, token, 'listVendors', moment);
        assert.is((before.body.vendors as object[]).length, 1, 'as of its own position');
      }
      const update = await callTool(to, token, 'updateVendor', {
        id,
        description: 'by the other',
        expected_revision: 1,
      });
      assert.is(update.status, 200, JSON.stringify(update.body));
    }
    slowest.push(longest);
  }
  console.log('slowest write, ms:', slowest.join(' and '));
});

test('one idempotency key sent to both at once creates one record, and one answer says repeated', async () => {
  for (let round = 0; round < 15; round++) {
    const args = { organization_id, name: `Twice ${randomUUID()}`, idempotency_key: randomUUID() };
    const answers = await Promise.all(services.map(({ url }) => callUntilAccepted(url, token, 'addVendor', args)));
    const [first, second] = answers.map(({ body }) => body) as [Record<string, unknown>, Record<string, unknown>];
    assert.is((first.vendor as { id: string }).id, (second.vendor as { id: string }).id);
    assert.is(answers.filter(({ body }) => body.repeated).length, 1);
    assert.is(first.position, second.position);
    const list = await callTool(services[round % 2]!.url, token, 'listVendors', {
      organization_id,
      filter: { query: args.name },
      view: 'COUNT',
    });
    assert.is(list.body.total, 1);
  }
});

test('a token revoked by command is refused by both', async () => {
  const creation = await veritrail(pair!.env, 'token', 'create', '--name', 'short-lived');
  const token = creation.split('\n')[0]!;
  const id = /\btok_\w+/.exec(await veritrail(pair!.env, 'token', 'list', '--json'))![0];
  for (const { url } of services) assert.is((await callTool(url, token, 'listOrganizations')).status, 200);
  await veritrail(pair!.env, 'token', 'revoke', id);
  for (const { url } of services) {
    // It takes a second; the limit is for a busy machine.
    await until(async () => (await callTool(url, token, 'listOrganizations')).status === 401, 10_000, 'refused');
  }
});

if (pair !== null) test.run();
