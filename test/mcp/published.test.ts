import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Call, legacyRequest, modernCall, modernRequest, sdkClient } from '../support/mcp-client.ts';
import { embeddedPair, type Served, serve } from '../support/pairs.ts';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  required?: string[];
  [keyword: string]: unknown;
}
interface Published {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations: Record<string, boolean>;
  [member: string]: unknown;
}
interface Context extends Served {
  tools: Published[];
}

const READS = ['listOrganizations', 'listChanges', 'getRecords', 'listVendors', 'listRisks'];
const WRITES = [
  ...['archiveRecords', 'addVendor', 'updateVendor', 'reviewVendor', 'addRisk', 'updateRisk', 'decideRisk'],
];

/** All that a published schema may say: everything else is refused or dropped by a common client. */
const KEYWORDS = ['type', 'properties', 'items', 'enum', 'required', 'minimum', 'maximum', 'default', 'description'];

const test = suite<Context>('what is published');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Published[] };
  Object.assign(context, served, { tools });
});
test.after((served) => served.close());

/** A schema and all that it holds, each with the path to it. */
function* schemas(schema: Schema, path = ''): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* schemas(inner, `${path}.${name}`);
  if (schema.items) yield* schemas(schema.items, `${path}[]`);
}

test('the tools, each with a hint of what it does to data', ({ tools }) => {
  assert.equal(tools.map(({ name }) => name).sort(), [...READS, ...WRITES].sort());
  for (const { name, annotations } of tools) {
    const write = { readOnlyHint: false, destructiveHint: name === 'archiveRecords' };
    assert.equal(annotations, READS.includes(name) ? { readOnlyHint: true } : write, name);
  }
});

test('nothing but name, description, input and hints: no outputSchema, no titles', ({ tools }) => {
  for (const tool of tools) {
    assert.equal(Object.keys(tool), ['name', 'description', 'inputSchema', 'annotations']);
    assert.ok(tool.description.length > 40, tool.name);
  }
});

test('schemas that every client takes', ({ tools }) => {
  for (const { name, inputSchema } of tools) {
    assert.is(inputSchema.type, 'object');
    for (const [path, schema] of schemas(inputSchema, name)) {
      for (const keyword of Object.keys(schema)) assert.ok(KEYWORDS.includes(keyword), `${path}: ${keyword}`);
      assert.ok(schema.enum !== undefined || typeof schema.type === 'string', `${path} has one type`);
      for (const bound of [schema.minimum, schema.maximum]) {
        if (bound !== undefined) assert.ok(Math.abs(Number(bound)) < 2 ** 53 - 1, `${path}: ${bound}`);
      }
      if (schema.enum)
        assert.ok(
          schema.enum.every((value) => typeof value === 'string'),
          `${path}: null in enum`,
        );
      if (schema.type === 'array') assert.ok(schema.items, path);
    }
  }
});

test('small enough to be read by a model at every start', async ({ tools, url, token }) => {
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  console.log(`tools/list: ${bytes} bytes, ${tools.length} tools`);
  assert.ok(bytes <= 30 * 1024);
  const modern = (await modernRequest(url, token, 'tools/list')) as { tools: Published[]; ttlMs: number };
  assert.equal(modern.tools, tools);
  assert.ok(modern.ttlMs > 0);
  const client = await sdkClient(url, token);
  assert.equal((await client.listTools()).tools, tools);
  assert.match(client.getInstructions() ?? '', 'idempotency_key');
  await client.close();
});

/** A value of a published schema that its kind alone admits: enough to be known, right or not. */
function sample(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [sample(schema.items!)];
  if (schema.type === 'object') return {};
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return schema.type === 'boolean' ? false : 'x';
}

/** Fields that a call's input is refused for as unknown. */
async function unknownFields(call: Call, { url, token }: Served, tool: string, args: object): Promise<string[]> {
  const { isError, result } = await call(url, token, tool, args);
  if (!isError) return [];
  const error = result.error as { issues?: { field: string; message: string }[] };
  return (error.issues ?? []).filter(({ message }) => /not a known property/.test(message)).map(({ field }) => field);
}

test('every published property is known, and every required one is required', async (served) => {
  for (const { name, inputSchema } of served.tools) {
    const { properties = {}, required = [] } = inputSchema;
    const args = Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, sample(schema)]));
    const filters = properties.filter?.properties;
    if (filters) args.filter = Object.fromEntries(Object.entries(filters).map(([key, inner]) => [key, sample(inner)]));
    assert.equal(await unknownFields(modernCall, served, name, { ...args, surplus: 1 }), ['surplus'], name);
    if (required.length === 0) continue;
    const { result } = await modernCall(served.url, served.token, name, { surplus: 1 });
    const { issues = [] } = result.error as { issues?: { field: string; message: string }[] };
    const missing = issues.filter(({ message }) => message.startsWith('is required')).map(({ field }) => field);
    assert.equal(missing.sort(), [...required].sort(), name);
  }
});

/** Properties of sections 1 to 3 of the contract, by tool: what is enforced, written down once more. */
const LIST = ['organization_id', 'filter', 'order_by', 'size', 'cursor', 'as_of', 'view'];
const COMMON = ['query', 'ids', 'owner_id', 'linked_to', 'missing', 'updated_since', 'include_archived'];
const WRITE = ['reason', 'idempotency_key'];
const VENDOR = words(
  'name description website_url category country criticality data_shared processes_personal_data contract_until next_review_due owner_id status',
);
const RISK = words(
  'reference_id name description category note inherent_likelihood inherent_impact residual_likelihood residual_impact next_review_due treatment status owner_id',
);
const CHANGE = ['id', 'organization_id', 'expected_revision', ...WRITE];
const PROPERTIES: Record<string, string[]> = {
  listOrganizations: words('size cursor include_members'),
  listVendors: LIST,
  listRisks: LIST,
  listChanges: words('organization_id filter verify size cursor as_of view'),
  getRecords: words('ids organization_id include as_of'),
  archiveRecords: words('ids organization_id action reason idempotency_key'),
  addVendor: ['organization_id', 'last_reviewed', ...VENDOR, ...WRITE],
  updateVendor: [...CHANGE, ...VENDOR],
  reviewVendor: [...CHANGE, ...words('outcome findings conditions reviewed_at next_review_due')],
  addRisk: ['organization_id', ...RISK, ...WRITE],
  updateRisk: [...CHANGE, ...RISK],
  decideRisk: [...CHANGE, ...words('decision until approver_id')],
};
const FILTERS: Record<string, string[]> = {
  listVendors: words(
    `${COMMON.join(' ')} status criticality category country processes_personal_data reviewed_before never_reviewed review_due_before review_overdue`,
  ),
  listRisks: words(
    `${COMMON.join(' ')} status priority treatment category min_score max_score acceptance_expired acceptance_until_before due_before overdue`,
  ),
  listChanges: words('record_id record_types actor_id event_types from to'),
};

function words(text: string): string[] {
  return text.split(' ');
}

test('the properties that the contract promises, and no others', ({ tools }) => {
  for (const { name, inputSchema } of tools) {
    assert.equal(Object.keys(inputSchema.properties ?? {}).sort(), PROPERTIES[name]?.toSorted(), name);
    const filter = inputSchema.properties?.filter?.properties;
    assert.equal(filter && Object.keys(filter).sort(), FILTERS[name]?.toSorted(), `${name} filter`);
  }
});

test.run();
