/** Completions of prompts' arguments and resource templates, in both eras. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROLES } from '../../../src/commands/organization/caller.ts';
import { type Item, legacyRequest, modernRequest, rpcErrorOf, sdkClient } from '../../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

interface Completion {
  values: string[];
  hasMore: boolean;
}

type RequestArguments = [url: string, token: string, method: string, params: Record<string, unknown>];

interface Context extends ServedPair {
  ids: Record<'nimbus' | 'risk' | 'measure' | 'obligation' | 'finding' | 'archived', string>;
}

const RECORD: Ref = { type: 'ref/resource', uri: 'veritrail://records/{id}' };
const LIBRARY: Ref = { type: 'ref/resource', uri: 'veritrail://frameworks/library/{library_id}' };
const REVIEW: Ref = { type: 'ref/prompt', name: 'review_vendor' };
const AUDIT: Ref = { type: 'ref/prompt', name: 'prepare_audit' };

const test = suite<Context>('completions');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId: organization_id } = served;
  const add = async (tool: string, singular: string, fields: object) => {
    const answer = (await owner.ok(tool, { organization_id, ...fields })) as unknown as Record<string, Item>;
    return answer[singular]!.id;
  };
  const nimbus = await add('addVendor', 'vendor', { name: 'Nimbus Hosting' });
  await add('addVendor', 'vendor', { name: 'Nimbus Payroll' });
  await add('addVendor', 'vendor', { name: 'Größe & Söhne' });
  const archived = await add('addVendor', 'vendor', { name: 'Nimbus Archive' });
  await owner.ok('archiveRecords', { ids: [archived], action: 'ARCHIVE', reason: 'r' });
  const ids = {
    nimbus,
    archived,
    risk: await add('addRisk', 'risk', { name: 'Nimbus fails' }),
    measure: await add('addMeasure', 'measure', { name: 'Leave Nimbus' }),
    obligation: await add('addObligation', 'obligation', { requirement: 'Tell Nimbus about breaches' }),
    finding: await add('addNonconformity', 'nonconformity', { description: 'Nimbus was never reviewed' }),
  };
  const framework_id = await add('addFramework', 'framework', { library_id: 'ISO_27001_2022' });
  await add('addAudit', 'audit', { framework_id, name: 'Surveillance audit' });
  Object.assign(context, served, { ids });
});
test.after((served) => served.close());

/** Completes an argument in one era. */
async function complete(
  { url, token }: { url: string; token: string },
  [ref, name, value]: readonly [Ref, string, string],
  options: { context?: object; request?: (...args: RequestArguments) => Promise<object> } = {},
): Promise<Completion> {
  const { context, request = legacyRequest } = options;
  const params = { ref, argument: { name, value }, ...(context === undefined ? {} : { context }) };
  return ((await request(url, token, 'completion/complete', params)) as { completion: Completion }).completion;
}

test('the SDK client completes a prompt’s argument by name, because the capability is declared', async ({
  url,
  token,
}) => {
  const client = await sdkClient(url, token);
  const { completion } = await client.complete({ ref: REVIEW, argument: { name: 'vendor', value: 'nim' } });
  assert.equal(completion, { values: ['Nimbus Hosting', 'Nimbus Payroll'], hasMore: false });
  await client.close();
});

test('both eras complete each argument alike', async (served) => {
  for (const [asked, values] of [
    [[REVIEW, 'vendor', 'GRO'], ['Größe & Söhne']],
    [[REVIEW, 'vendor', 'payroll nim'], ['Nimbus Payroll']],
    [
      [REVIEW, 'vendor', ''],
      ['Größe & Söhne', 'Nimbus Hosting', 'Nimbus Payroll'],
    ],
    [[REVIEW, 'vendor', 'nothing like it'], []],
    [[{ type: 'ref/prompt', name: 'treat_risk' }, 'risk', 'fails'], ['Nimbus fails']],
    [[AUDIT, 'audit', 'surv'], ['Surveillance audit']],
    [
      [LIBRARY, 'library_id', 'nist'],
      ['NIST_CSF_2_0', 'NIST_800_53_R5_HIGH'],
    ],
  ] as const) {
    for (const request of [legacyRequest, modernRequest]) {
      assert.equal((await complete(served, asked, { request })).values, values, JSON.stringify(asked));
    }
  }
  const modern = (await modernRequest(served.url, served.token, 'completion/complete', {
    ref: REVIEW,
    argument: { name: 'vendor', value: 'x' },
  })) as Record<string, unknown>;
  assert.is(modern.resultType, 'complete');
});

test('a completed name is one that the prompt finds', async (served) => {
  const [name] = (await complete(served, [REVIEW, 'vendor', 'host'])).values;
  const params = { name: 'review_vendor', arguments: { vendor: name } };
  const { messages } = (await modernRequest(served.url, served.token, 'prompts/get', params)) as {
    messages: { content: { resource?: { uri: string } } }[];
  };
  assert.is(messages.at(-1)?.content.resource?.uri, `veritrail://records/${served.ids.nimbus}`);
});

test('the template of records completes ids by words in records of all families, without archived ones', async (served) => {
  const { archived, ...found } = served.ids;
  const { values, hasMore } = await complete(served, [RECORD, 'id', 'Nimbus']);
  for (const id of Object.values(found)) assert.ok(values.includes(id), id);
  assert.not(values.includes(archived));
  assert.is(values.length, 6, 'these and Nimbus Payroll');
  assert.not(hasMore);
});

test('every role completes what it can list, and nothing of another organization', async (served) => {
  const foreign = await served.foreignOrganization();
  await foreign.owner.ok('addVendor', { organization_id: foreign.id, name: 'Nimbus Secret' });
  const expected = await complete(served, [RECORD, 'id', 'nimbus']);
  for (const role of ROLES) {
    const session = await served.as(role);
    assert.equal(await complete(session, [RECORD, 'id', 'nimbus']), expected, role);
    assert.equal((await complete(session, [REVIEW, 'vendor', 'secret'])).values, [], role);
    assert.equal((await complete(session, [REVIEW, 'organization_id', ''])).values, [served.organizationId], role);
    const unknown = `org_${'0'.repeat(26)}`;
    const errors = await Promise.all(
      [foreign.id, unknown].map((organization_id) =>
        rpcErrorOf(complete(session, [REVIEW, 'vendor', 'nimbus'], { context: { arguments: { organization_id } } })),
      ),
    );
    assert.is(errors[0]!.code, -32602);
    const withoutIds = JSON.stringify(errors).replaceAll(foreign.id, unknown);
    const [theirs, nobodys] = JSON.parse(withoutIds);
    assert.equal(theirs, nobodys, `${role} can't tell a foreign organization from an unknown one`);
  }
});

test('organizations are completed by name or id, and one that is given narrows the search', async (served) => {
  const { organizationId } = served;
  const second = await served.secondOrganization();
  const member = await served.as('EDITOR', { organizations: [organizationId, second] });
  await member.ok('addVendor', { organization_id: second, name: 'Nimbus Elsewhere' });
  for (const text of ['elsew', second, second.slice(0, 20)]) {
    assert.equal((await complete(member, [AUDIT, 'organization_id', text])).values, [second], text);
  }
  const both = (await complete(member, [AUDIT, 'organization_id', 'org_'])).values;
  assert.equal(both.toSorted(), [organizationId, second].sort());
  const vendors = async (context: object) =>
    (await complete(member, [REVIEW, 'vendor', 'nimbus'], { context })).values.toSorted();
  assert.equal(await vendors({}), ['Nimbus Elsewhere', 'Nimbus Hosting', 'Nimbus Payroll']);
  assert.equal(await vendors({ arguments: { organization_id: second } }), ['Nimbus Elsewhere']);
  assert.equal(await vendors({ arguments: { organization_id: ' ' } }), [
    'Nimbus Elsewhere',
    'Nimbus Hosting',
    'Nimbus Payroll',
  ]);
  const limited = await served.as('EDITOR');
  assert.equal((await complete(limited, [REVIEW, 'vendor', 'elsewhere'])).values, []);
});

test('an answer has at most 100 values, and says if there are more', async (served) => {
  const organization_id = await served.secondOrganization();
  const member = await served.as('OWNER', { organizations: [organization_id] });
  const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Cedar ${index}` }));
  await member.ok('importRecords', { organization_id, type: 'RISK', rows: rows(100) });
  const risks = [{ type: 'ref/prompt', name: 'treat_risk' }, 'risk', 'cedar'] as const;
  const hundred = await complete(member, risks);
  assert.is(new Set(hundred.values).size, 100);
  assert.not(hundred.hasMore);
  assert.not((await complete(member, [RECORD, 'id', 'cedar'])).hasMore);
  await member.ok('addVendor', { organization_id, name: 'Cedar Catering' });
  const more = await complete(member, [RECORD, 'id', 'cedar']);
  assert.is(more.values.length, 100);
  assert.ok(more.hasMore, 'the vendor comes after 100 risks');
  await member.ok('addRisk', { organization_id, name: 'Cedar falls' });
  assert.equal([(await complete(member, risks)).values.length, (await complete(member, risks)).hasMore], [100, true]);
});

test('a search goes through five organizations only, and says so', async (served) => {
  const organizations = [served.organizationId];
  while (organizations.length < 6) organizations.push(await served.secondOrganization());
  const riskArgument = [{ type: 'ref/prompt', name: 'treat_risk' }, 'risk', 'unheard of'] as const;
  const five = await served.as('VIEWER', { organizations: organizations.slice(1) });
  assert.equal(await complete(five, riskArgument), { values: [], hasMore: false });
  const six = await served.as('VIEWER', { organizations });
  assert.equal(await complete(six, riskArgument), { values: [], hasMore: true });
  assert.is((await complete(six, [AUDIT, 'organization_id', ''])).values.length, 6);
});

test('unknown references, arguments and malformed requests are refused', async (served) => {
  const { url, token } = served;
  const argument = { name: 'vendor', value: 'x' };
  for (const [params, message] of [
    [{}, 'Correct ref.'],
    [{ ref: REVIEW }, 'Correct argument.'],
    [{ ref: { type: 'ref/tool', name: 'addVendor' }, argument }, 'Correct ref.'],
    [{ ref: REVIEW, argument: { name: 'vendor', value: 5 } }, 'Correct argument.value.'],
    [{ ref: REVIEW, argument, context: { arguments: { organization_id: 5 } } }, 'Correct context.arguments'],
    [{ ref: { type: 'ref/prompt', name: 'nonsense' }, argument }, 'Unknown prompt: nonsense'],
    [{ ref: REVIEW, argument: { name: 'risk', value: 'x' } }, 'Unknown argument: risk'],
    [{ ref: REVIEW, argument: { name: 'constructor', value: 'x' } }, 'Unknown argument: constructor'],
    [{ ref: { type: 'ref/resource', uri: 'veritrail://event-types' }, argument }, 'Unknown resource template'],
    [{ ref: RECORD, argument: { name: 'library_id', value: 'x' } }, 'Unknown argument: library_id'],
    [{ ref: RECORD, argument: { name: '', value: 'x' } }, 'Unknown argument: '],
    [{ ref: REVIEW, argument: { name: 'vendor', value: 'x'.repeat(201) } }, 'longer than 200 characters'],
  ] as const) {
    const error = await rpcErrorOf(legacyRequest(url, token, 'completion/complete', params));
    assert.is(error.code, -32602, JSON.stringify(params));
    assert.match(error.message, message);
  }
});

test.run();
