import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FAMILY_CHOICES,
  FAMILY_TOOL_CONTRACTS,
  familyToolsWith,
  IMPORT_TYPES,
  words,
} from '../support/mcp/family-contracts.ts';
import { type Call, legacyRequest, modernCall, modernRequest, sdkClient } from '../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

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
  title: string;
  annotations: Record<string, boolean>;
  [member: string]: unknown;
}
interface Context extends ServedPair {
  tools: Published[];
}

const isList = (name: string) => name.startsWith('list');
const READS = [...words('listOrganizations listChanges getRecords getReport'), ...familyToolsWith(isList)];
const WRITES = [...words('linkRecords archiveRecords importRecords'), ...familyToolsWith((name) => !isList(name))];

/** Writes that change nothing more if the same call is repeated at any later time. */
const REPEATABLE_WRITES = [
  ...words('linkRecords archiveRecords'),
  ...familyToolsWith((_, { repeatable }) => repeatable === true),
];

/** The only keywords of published schemas. Common clients refuse or drop all others. */
const KEYWORDS = ['type', 'properties', 'items', 'enum', 'required', 'description'];

const test = suite<Context>('published tools');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Published[] };
  Object.assign(context, served, { tools });
});
test.after((served) => served.close());

/** Returns a schema and all schemas in it, each with its path. */
function* schemas(schema: Schema, path = ''): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* schemas(inner, `${path}.${name}`);
  if (schema.items) yield* schemas(schema.items, `${path}[]`);
}

test('tools/list has all tools, each with its hints', ({ tools }) => {
  assert.equal(tools.map(({ name }) => name).sort(), [...READS, ...WRITES].sort());
  for (const { name, annotations } of tools) {
    const closed = { openWorldHint: false };
    const write = {
      readOnlyHint: false,
      // Adding overwrites nothing.
      destructiveHint: !name.startsWith('add'),
      idempotentHint: REPEATABLE_WRITES.includes(name),
      ...closed,
    };
    assert.equal(annotations, READS.includes(name) ? { readOnlyHint: true, ...closed } : write, name);
  }
});

test('a published tool has only name, title, description, input and hints', ({ tools }) => {
  for (const tool of tools) {
    assert.equal(Object.keys(tool), ['name', 'title', 'description', 'inputSchema', 'annotations']);
    assert.ok(tool.description.length > 40, tool.name);
  }
});

test('titles are short, differ from each other, and have no words of the interface', ({ tools }) => {
  const titles = tools.map(({ title }) => title);
  assert.is(new Set(titles).size, tools.length);
  for (const title of titles) assert.match(title, /^[A-Z][a-z]+(?:,? [a-z]+){1,5}$/);
  assert.ok(titles.every((title) => title.length <= 30));
});

test('published schemas use only keywords that every client accepts', ({ tools }) => {
  for (const { name, inputSchema } of tools) {
    assert.is(inputSchema.type, 'object');
    for (const [path, schema] of schemas(inputSchema, name)) {
      for (const keyword of Object.keys(schema)) assert.ok(KEYWORDS.includes(keyword), `${path}: ${keyword}`);
      assert.ok(schema.enum !== undefined || typeof schema.type === 'string', `${path} has one type`);
      if (schema.enum)
        assert.ok(
          schema.enum.every((value) => typeof value === 'string'),
          `${path}: null in enum`,
        );
      if (schema.type === 'array') assert.ok(schema.items, path);
      if (schema.type === 'object')
        assert.ok(Object.keys(schema.properties ?? {}).length > 0, `${path} has properties`);
    }
  }
});

test('tools/list is small enough for a model to read at every start', async ({ tools, url, token }) => {
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  console.log(`tools/list: ${bytes} bytes, ${tools.length} tools`);
  assert.ok(bytes <= 36 * 1024);
  const modern = (await modernRequest(url, token, 'tools/list')) as { tools: Published[]; ttlMs: number };
  assert.equal(modern.tools, tools);
  assert.ok(modern.ttlMs > 0);
  const client = await sdkClient(url, token);
  assert.equal((await client.listTools()).tools, tools);
  assert.match(client.getInstructions() ?? '', 'idempotency_key');
  const [icon] = client.getServerVersion()?.icons ?? [];
  const svg = await (await fetch(icon!.src)).text();
  assert.is(svg, await (await fetch(`${url}/assets/icon.svg`)).text(), 'the icon of the pages');
  assert.ok(icon!.src.length < 500);
  await client.close();
});

/** Returns a value of a published schema's type, valid or not: enough to be a known property. */
function sample(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [sample(schema.items!)];
  if (schema.type === 'object') return {};
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  return schema.type === 'boolean' ? false : 'x';
}

/** Returns the fields that a call refuses as unknown. */
async function unknownFields(call: Call, { url, token }: ServedPair, tool: string, args: object): Promise<string[]> {
  const { isError, result } = await call(url, token, tool, args);
  if (!isError) return [];
  const error = result.error as { issues?: { field: string; message: string }[] };
  return (error.issues ?? []).filter(({ message }) => /not a known property/.test(message)).map(({ field }) => field);
}

test('published properties are accepted, and required ones are required', async (served) => {
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

/** The properties in sections 1 to 3 of the contract, by tool, copied by hand. */
const LIST = words('organization_id filter order_by size cursor as_of view');
// Not listed: filter.ids and expected_revision, which the instructions name.
const COMMON = words('query owner_id linked_to missing updated_since include_archived');
const WRITE = words('reason idempotency_key');
const BULK = words('dry_run selection');
const ADD = ['organization_id', 'owner_id', ...WRITE];
// organization_id is accepted with a record's id, but not published: see optionalOrganizationId.
const CHANGE = ['id', ...WRITE];
const UPDATE = [...CHANGE, 'owner_id', 'fields'];

const PROPERTIES: Record<string, string[]> = {
  listOrganizations: words('size cursor include_members'),
  listChanges: words('organization_id filter verify verify_cursor size cursor as_of view'),
  getRecords: words('ids include as_of'),
  getReport: words(
    'organization_id type framework_id audit_id owner_id until from to trend trend_figures only kinds record_types group_by filter as_of format cursor',
  ),
  linkRecords: ['links', 'action', ...WRITE],
  archiveRecords: ['ids', 'action', ...BULK, ...WRITE],
  importRecords: [...words('organization_id type rows set ids filter undo'), ...BULK, ...WRITE],
  ...Object.fromEntries(
    FAMILY_TOOL_CONTRACTS.map(([name, { properties }]) => [name, [...commonProperties(name), ...words(properties)]]),
  ),
};

function commonProperties(name: string): string[] {
  if (isList(name)) return LIST;
  if (name.startsWith('add')) return ADD;
  return name.startsWith('update') ? UPDATE : CHANGE;
}

/** The filters of tools that are not lists of one family. Those of importRecords depend on the type. */
const OTHER_FILTERS: Record<string, string[]> = {
  listChanges: words('record_id record_types actor_id call_id event_types field from to'),
  getReport: words('kind valid_until_before linked_to query'),
  importRecords: ['owner_id'],
};

// organization_id may be left out where the credential reaches one organization, but not in an import.
const REQUIRED: Record<string, string[]> = {
  listOrganizations: [],
  listChanges: [],
  getRecords: ['ids'],
  getReport: words('type'),
  linkRecords: ['links'],
  archiveRecords: words('ids action reason'),
  importRecords: [],
  ...Object.fromEntries(FAMILY_TOOL_CONTRACTS.map(([name, { required }]) => [name, words(required)])),
};

/** The values of enums, by path. */
const CHOICES: Record<string, string> = {
  ...FAMILY_CHOICES,
  'linkRecords.action': 'LINK UNLINK',
  'archiveRecords.action': 'ARCHIVE RESTORE',
  'importRecords.type': ['CROSSWALK FRAMEWORK', ...IMPORT_TYPES].join(' '),
  'getReport.format': 'MARKDOWN JSON CSV',
  'getRecords.include[]': 'LINKS EVIDENCE HISTORY AUTHORS ARCHIVED',
};

test('tools have exactly the properties of the contract', ({ tools }) => {
  const lists = new Map(FAMILY_TOOL_CONTRACTS);
  for (const { name, inputSchema } of tools) {
    assert.equal(Object.keys(inputSchema.properties ?? {}).sort(), PROPERTIES[name]?.toSorted(), name);
    assert.equal((inputSchema.required ?? []).toSorted(), REQUIRED[name]?.toSorted(), `${name} requires`);
    const { filter, order_by } = inputSchema.properties ?? {};
    const { filters: ownFilters, orders } = lists.get(name) ?? {};
    const filters = OTHER_FILTERS[name] ?? (ownFilters === undefined ? undefined : [...COMMON, ...words(ownFilters)]);
    assert.equal(filter && Object.keys(filter.properties!).sort(), filters?.toSorted(), `${name} filter`);
    assert.equal(order_by?.properties?.field?.enum?.toSorted(), orders?.split(' ').sort(), `${name} order`);
  }
});

test('tools have exactly the enum values of the contract', ({ tools }) => {
  const published = new Map(tools.flatMap(({ name, inputSchema }) => [...schemas(inputSchema, name)]));
  for (const [path, values] of Object.entries(CHOICES)) {
    assert.equal((published.get(path)?.enum as string[])?.toSorted(), words(values).sort(), path);
  }
});

test.run();
