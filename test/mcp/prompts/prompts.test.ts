/** MCP prompts: current data of the register with steps, in both eras. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tokensOf } from '../../../bench/tokens.ts';
import { daysAgo } from '../../support/histories/story.ts';
import { type Item, legacyRequest, modernRequest, rpcErrorOf, sdkClient } from '../../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

interface Context extends ServedPair {
  vendor: Item;
  audit: Item;
  framework: Item;
}

interface Message {
  role: string;
  content: { type: string; text?: string; resource?: { uri: string; mimeType: string; text: string } };
}

const test = suite<Context>('prompts');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId: organization_id } = served;
  const add = async (tool: string, args: object) => {
    const answer = await owner.ok(tool, { organization_id, ...args });
    return answer as unknown as Record<string, Item>;
  };
  const { vendor } = await add('addVendor', { name: 'Acme Cloud', next_review_due: daysAgo(3) });
  await add('addVendor', { name: 'Acme Payroll', next_review_due: daysAgo(-8) });
  await add('addVendor', { name: 'Beta', next_review_due: daysAgo(-7) });
  await add('addRisk', { name: 'Flood in the cellar', next_review_due: daysAgo(-1) });
  const { measure } = await add('addMeasure', { name: 'Log every login', state: 'IMPLEMENTED' });
  await add('addMeasure', { name: 'Lock the cellar', due_date: daysAgo(1) });
  await add('addObligation', { requirement: 'Report breaches within 72 hours', due_date: daysAgo(0) });
  await add('addObligation', { requirement: 'Keep a record of processing', due_date: daysAgo(2) });
  await add('addNonconformity', { description: 'Visitors are not signed in', due_date: daysAgo(0) });
  const { framework } = await add('addFramework', { library_id: 'ISO_27001_2022' });
  const { audit } = await add('addAudit', {
    framework_id: framework!.id,
    name: 'Surveillance audit',
    starts_on: daysAgo(-5),
  });
  const [logging] = (await owner.ok('listControls', { organization_id, filter: { section_title: ['A.8.15'] } }))[
    'controls' as 'vendors'
  ];
  await owner.ok('linkRecords', { links: [{ from_id: measure!.id, to_id: logging!.id }] });
  Object.assign(context, served, { vendor, audit, framework });
});
test.after((served) => served.close());

async function get({ url, token }: { url: string; token: string }, name: string, args: Record<string, string> = {}) {
  const { messages } = (await modernRequest(url, token, 'prompts/get', { name, arguments: args })) as {
    messages: Message[];
  };
  const text = messages.map(({ content }) => content.text ?? '').join('\n');
  const records = messages.flatMap(({ content }) => (content.resource ? [JSON.parse(content.resource.text)] : []));
  return { messages, text, records };
}

test('the SDK client lists the prompts and gets each', async ({ url, token, vendor, organizationId }) => {
  const client = await sdkClient(url, token);
  const { prompts } = await client.listPrompts();
  assert.equal(
    prompts.map(({ name, arguments: args }) => [name, args?.filter(({ required }) => required).map((arg) => arg.name)]),
    [
      ['review_vendor', ['vendor']],
      ['treat_risk', ['risk']],
      ['prepare_audit', []],
      ['weekly_due_items', []],
    ],
  );
  for (const { arguments: args } of prompts) assert.is(args?.at(-1)?.name, 'organization_id');
  const values = { vendor: vendor.id, risk: 'Flood', audit: 'Surveillance' };
  for (const { name, arguments: args = [] } of prompts) {
    const promptValues = Object.entries({ ...values, organization_id: organizationId });
    const declaredValues = promptValues.filter(([key]) => args.some((arg) => arg.name === key));
    const { messages, description } = await client.getPrompt({ name, arguments: Object.fromEntries(declaredValues) });
    assert.ok(description);
    assert.ok(messages.every(({ role }) => role === 'user'));
  }
  await client.close();
});

test('in 2026-07-28 the list of prompts can be cached, but not their data', async ({ url, token }) => {
  const promptList = (await modernRequest(url, token, 'prompts/list')) as Record<string, unknown>;
  assert.equal([promptList.resultType, promptList.ttlMs, promptList.cacheScope], ['complete', 3_600_000, 'public']);
  const prompt = await modernRequest(url, token, 'prompts/get', { name: 'weekly_due_items' });
  assert.equal(Object.keys(prompt).sort(), ['_meta', 'description', 'messages', 'resultType']);
});

test('prompts name only existing tools, and are short', async (served) => {
  const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Item[] };
  const toolNames = tools.map(({ name }) => name);
  for (const [name, args] of [
    ['review_vendor', { vendor: 'Beta' }],
    ['treat_risk', { risk: 'nothing like it' }],
    ['prepare_audit', { framework: 'ISO' }],
    ['weekly_due_items', {}],
  ] as const) {
    const { text } = await get(served, name, args);
    const instructions = text.split('The following is')[0]!;
    const namedTools = [...text.matchAll(/\b(?:list|get|add|update|review|decide|link|archive|import)[A-Z]\w+/g)];
    assert.ok(namedTools.length > 2);
    for (const [tool] of namedTools) assert.ok(toolNames.includes(tool), `${name}: ${tool}`);
    assert.ok(tokensOf(instructions) <= 260, `${name}: ${tokensOf(instructions)} tokens`);
  }
});

test('review_vendor finds the full vendor by id, name or part of the name', async (served) => {
  const { owner, vendor } = served;
  const [fullVendor] = (await owner.ok('getRecords', { ids: [vendor.id], include: ['LINKS', 'EVIDENCE'] })).records;
  for (const name of [vendor.id, 'acme cloud', ' Cloud ']) {
    const { messages, records, text } = await get(served, 'review_vendor', { vendor: name, organization_id: '' });
    assert.equal(records, [fullVendor]);
    assert.is(messages.at(-1)?.content.resource?.uri, `veritrail://records/${vendor.id}`);
    assert.ok(text.indexOf('addEvidence') < text.indexOf('reviewVendor'), 'the review comes last');
  }
});

test('an ambiguous name in a prompt gives the candidates', async (served) => {
  const { text, records } = await get(served, 'review_vendor', { vendor: 'acme' });
  assert.equal(records, []);
  assert.match(text, '“acme” matches several records. Ask me');
  assert.match(text, /Acme Cloud.*Acme Payroll/);
});

test('treat_risk says if the risk is already in the register', async (served) => {
  const existingRisk = await get(served, 'treat_risk', { risk: 'flood in the cellar' });
  assert.is(existingRisk.records[0].name, 'Flood in the cellar');
  assert.match(existingRisk.text, 'do not add it again');
  const newRisk = await get(served, 'treat_risk', { risk: 'Ransomware reaches the backups' });
  assert.equal(newRisk.records, []);
  assert.match(newRisk.text, /this risk of organization org_\w+: Ransomware reaches the backups/);
  assert.match(newRisk.text, 'Risks with all these words: none');
});

test('a prompt finds a record by its number, although others begin with it', async (served) => {
  const { owner, organizationId: organization_id } = served;
  const rows = Array.from({ length: 130 }, (_, index) => ({
    reference_id: `N-1${index}`,
    name: `Numbered ${'abcdefghijkl'[index % 12]}`,
    inherent_likelihood: 5,
    inherent_impact: 5,
  }));
  await owner.ok('importRecords', { organization_id, type: 'RISK', rows });
  await owner.ok('addRisk', { organization_id, reference_id: 'N-01', name: 'The first number' });
  await owner.ok('addRisk', { organization_id, reference_id: 'N-019', name: 'A padded number' });
  for (const [risk, name] of [
    ['N-1', 'The first number'],
    ['n-001', 'The first number'],
    ['N-01', 'The first number'],
    ['N-019', 'A padded number'],
    ['n-15', 'Numbered f'],
  ] as const) {
    assert.is((await get(served, 'treat_risk', { risk })).records[0]?.name, name, risk);
  }
  const many = await get(served, 'treat_risk', { risk: 'numbered' });
  assert.equal(many.records, []);
  assert.match(many.text, /^Risks with all these words: The first 5 of 130:\n\[/m);
});

test('prepare_audit shows the framework’s state', async (served) => {
  const { audit, framework } = served;
  const byAudit = await get(served, 'prepare_audit', { audit: audit.name });
  assert.is(byAudit.records[0].id, audit.id);
  const byFramework = await get(served, 'prepare_audit', { framework: framework.id });
  assert.is(byFramework.records[0].id, framework.id);
  const { included_count } = byFramework.records[0];
  for (const { text } of [byAudit, byFramework]) {
    assert.match(text, `\nGaps, the first 20 of ${included_count - 1} (listControls`);
    assert.match(text, /^Implemented without valid evidence .*\n.*Log every login/m);
    assert.match(text, /^Measures overdue .*\n.*Lock the cellar/m);
    assert.match(text, /^Open findings .*\n.*Visitors are not signed in/m);
    assert.match(text, /^Audits of it .*\n.*Surveillance audit/m);
    assert.match(text, /^Framework .*\n.*"included_count":\d+/m);
  }
});

test('weekly_due_items has exactly what is overdue or due within 7 days', async (served) => {
  const { text } = await get(served, 'weekly_due_items');
  for (const [heading, name] of [
    ['Risks to review', 'Flood in the cellar'],
    ['Vendors to review', 'Acme Cloud.*Beta'],
    ['Measures', 'Lock the cellar'],
    ['Obligations overdue', 'Keep a record of processing'],
    ['Obligations', 'Report breaches within 72 hours'],
    ['Nonconformities', 'Visitors are not signed in'],
    ['Audits', 'Surveillance audit'],
  ]) {
    assert.match(text, new RegExp(`^${heading} \\(list.*\\n.*${name}`, 'm'));
  }
  assert.match(text, /^Risk acceptances that end .*\nnone$/m);
  assert.not.match(text, 'Acme Payroll', 'due in 8 days');
  assert.not.match(text, 'Log every login', 'done');
  assert.match(text, `from ${daysAgo(0)} to ${daysAgo(-7)}`);
});

test('a prompt’s section equals the answer to the call in its heading', async (served) => {
  const { text } = await get(served, 'weekly_due_items');
  const { owner, organizationId: organization_id } = served;
  const calls = [...text.matchAll(/^[A-Z].* \((list\w+) (\{.*\})\):\n(.*)$/gm)];
  assert.is(calls.length, 8);
  for (const [, tool, args, rows] of calls) {
    const answer = await owner.ok(tool!, { organization_id, ...JSON.parse(args!) });
    const [answerRows] = Object.values(answer).filter(Array.isArray);
    assert.equal(answerRows, rows === 'none' ? [] : JSON.parse(rows!));
  }
});

test('every role can use prompts, for its own organizations', async (served) => {
  const { vendor, organizationId } = served;
  const viewer = await served.as('VIEWER');
  assert.is((await get(viewer, 'review_vendor', { vendor: vendor.id })).records[0].id, vendor.id);
  assert.match((await get(viewer, 'weekly_due_items')).text, 'Acme Cloud');
  const second = await served.secondOrganization();
  const memberOfBoth = await served.as('OWNER', { organizations: [organizationId, second] });
  const refusal = await rpcErrorOf(
    modernRequest(memberOfBoth.url, memberOfBoth.token, 'prompts/get', { name: 'weekly_due_items' }),
  );
  assert.is(refusal.code, -32602);
  assert.match(refusal.message, 'organization_id is required');
  assert.not.match((await get(memberOfBoth, 'weekly_due_items', { organization_id: second })).text, 'Acme Cloud');
  assert.is((await get(memberOfBoth, 'review_vendor', { vendor: vendor.id })).records.length, 1, 'the id says which');
});

test('prompts refuse wrong arguments with the next step, in both eras', async (served) => {
  const { url, token, vendor } = served;
  const foreignOrganization = await served.foreignOrganization();
  const theirVendor = (
    await foreignOrganization.owner.ok('addVendor', { organization_id: foreignOrganization.id, name: 'Theirs' })
  ).vendor;
  const cases: [params: { name?: string; arguments?: unknown }, message: RegExp][] = [
    [{ name: 'nonsense' }, /^Unknown prompt: nonsense/],
    [{ name: 'constructor' }, /^Unknown prompt/],
    [{ name: 'review_vendor' }, /^The argument vendor is required/],
    [{ name: 'review_vendor', arguments: { vendor: '  ' } }, /^The argument vendor is required/],
    [{ name: 'review_vendor', arguments: { vendor: 5 } }, /^The argument vendor must be a string/],
    [{ name: 'review_vendor', arguments: { vendr: 'Beta' } }, /^Unknown argument vendr\. Use vendor, organization_id/],
    [{ name: 'review_vendor', arguments: ['Beta'] }, /"arguments" must be an object/],
    [{ name: 'review_vendor', arguments: { vendor: 'Zzz' } }, /^No vendor matches “Zzz”/],
    [{ name: 'review_vendor', arguments: { vendor: 'Theirs' } }, /^No vendor matches “Theirs”/],
    [{ name: 'review_vendor', arguments: { vendor: theirVendor.id } }, /^There is no vendor vnd_\w+ here/],
    [
      { name: 'review_vendor', arguments: { vendor: vendor.id, organization_id: foreignOrganization.id } },
      /no such organization/,
    ],
    [{ name: 'weekly_due_items', arguments: { organization_id: foreignOrganization.id } }, /no such organization/],
    [{ name: 'weekly_due_items', arguments: { organization_id: 'x' } }, /organization_id is not an id/],
    [{ name: 'prepare_audit' }, /^Give audit or framework/],
    [{ name: 'treat_risk', arguments: { risk: 'x'.repeat(201) } }, /^The argument risk is longer than 200 characters/],
  ];
  for (const [params, message] of cases) {
    for (const request of [legacyRequest, modernRequest]) {
      const refusal = await rpcErrorOf(request(url, token, 'prompts/get', params));
      assert.is(refusal.code, -32602, JSON.stringify(params));
      assert.match(refusal.message, message);
    }
  }
  const unnamed = await rpcErrorOf(legacyRequest(url, token, 'prompts/get', {}));
  assert.is(unnamed.code, -32602);
});

test.run();
