/** Checks the OpenAPI document of the direct form and the files: it is valid, and a client generated from it works. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generateSource } from 'oazapfts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { errorOutput } from '../../../src/tools/schema/output.ts';
import { VERSION } from '../../../src/version.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Operation {
  operationId: string;
  requestBody: { required: boolean; content: { 'application/json': { example: object } } };
  responses: Record<string, object>;
}
interface FileOperation {
  operationId: string;
  parameters: { name: string; in: string; required?: true; schema: { enum?: string[] } }[];
  responses: Record<string, { headers: object; content: Record<string, object> }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, { post: Operation } & { get: FileOperation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { headers: object }> };
}
interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  maxLength?: number;
}
interface Context extends ServedPair {
  text: string;
  document: Document;
  folder: string;
}

const FILES = ['changes', ...FAMILY_DESCRIPTIONS.map(({ plural }) => `records/${plural}`), 'reports/{type}'].sort();
const UNKNOWN = /is not a known property/;
const ORGANIZATION = '/api/v1/organizations/{organization_id}/';

const test = suite<Context>('openapi');

/** Returns the operations of tools and of files. */
const operationsOf = ({ paths }: Document, method: 'get' | 'post') =>
  Object.entries(paths).filter(([path, item]) => path.includes('/tools/') === (method === 'post') && item[method]);

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
  context.text = await (await fetch(`${context.url}/api/mcp/openapi.json`)).text();
  context.document = JSON.parse(context.text) as Document;
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-client-'));
});
test.after(async ({ folder, close }) => {
  rmSync(folder, { recursive: true, force: true });
  await close();
});

test('the document is valid OpenAPI 3.1', async ({ document }) => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  assert.is(valid, true, JSON.stringify(errors));
  assert.match(document.openapi, /^3\.1\./);
  const broken = { ...structuredClone(document), paths: { nowhere: {} } };
  assert.is((await new Validator().validate(broken)).valid, false, 'the validator reports the problem');
});

test('the document has an operation for each tool, with its errors', ({ document, url }) => {
  const operations = operationsOf(document, 'post').map(([path, { post }]) => [path, post.operationId]);
  assert.equal(
    operations,
    ALL_TOOLS.map(({ name }) => [`/api/mcp/tools/${name}`, name]),
  );
  assert.equal([document.servers, document.info.version], [[{ url }], VERSION]);
  const statusesOf = (tool: string) => Object.keys(document.paths[`/api/mcp/tools/${tool}`]!.post.responses);
  const ofReads = ['200', '400', '401', '403', '404', '413', '415', '429', '500', '503'];
  assert.equal(statusesOf('listVendors'), ofReads);
  assert.equal(statusesOf('addVendor'), [...ofReads, '202', '409', '422'].sort());
  const { Error429, Error503 } = document.components.responses;
  for (const response of [Error429, Error503]) assert.equal(Object.keys(response!.headers), ['Retry-After']);
});

test('the document has an operation for each file, with filters, formats and errors', async ({
  document,
  url,
  token,
  ...served
}) => {
  const operations = operationsOf(document, 'get');
  assert.equal(operations.map(([path]) => path.replace(ORGANIZATION, '')).sort(), FILES);
  assert.is(new Set(operations.map(([, { get }]) => get.operationId)).size, FILES.length);
  const headers = { Authorization: `Bearer ${token}` };
  for (const [path, { get: operation }] of operations) {
    const { parameters, responses } = operation;
    const names = parameters.map(({ name }) => name);
    assert.is(new Set(names).size, names.length, `${path}: each parameter once`);
    assert.equal(Object.keys(document.paths[path]!), ['get']);
    const formats = parameters.find(({ name }) => name === 'format')!.schema.enum!;
    const endpoint = url + path.replace('{organization_id}', served.organizationId).replace('{type}', 'RISK_REGISTER');
    const types = new Set<string>();
    for (const format of formats.filter((name) => name !== 'pdf')) {
      const answer = await fetch(`${endpoint}?format=${format}`, { headers });
      await answer.body?.cancel();
      const type = answer.headers.get('content-type')!.split(';')[0]!;
      assert.ok(answer.status === 200 && type in responses[200]!.content, `${path} ${format}: ${type}`);
      for (const name of Object.keys(responses[200]!.headers)) {
        if (name !== 'Veritrail-Incomplete') assert.ok(answer.headers.has(name), `${path}: ${name}`);
      }
      types.add(type);
    }
    assert.is(types.size, Object.keys(responses[200]!.content).filter((type) => type !== 'application/pdf').length);
    const statuses = ['200', '400', '401', '403', '404', '429', '500', '503'];
    const ofReports = path.includes('reports') ? ['304', '501'] : [];
    assert.equal(Object.keys(responses), [...statuses, ...ofReports].sort());
  }
});

test('a tool that reads is a GET too, with its inputs and filters as parameters', async ({ document, url, token }) => {
  const gets = ALL_TOOLS.filter(({ name }) => document.paths[`/api/mcp/tools/${name}`]!.get !== undefined);
  assert.equal(
    gets.map(({ name }) => name),
    ALL_TOOLS.filter(({ readOnly }) => readOnly).map(({ name }) => name),
  );
  for (const { name } of gets) {
    const path = `/api/mcp/tools/${name}`;
    for (const parameter of document.paths[path]!.get.parameters) {
      const answer = await fetch(`${url}${path}?${parameter.name}=?`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      assert.not.match(await answer.text(), UNKNOWN, `${name} ${parameter.name}`);
    }
  }
});

test('file operations have exactly the parameters that files take', async ({
  document,
  url,
  token,
  organizationId,
}) => {
  const getExample = async (path: string, query: string) => {
    const address = `${url}${ORGANIZATION.replace('{organization_id}', organizationId)}${path}?${query}`;
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
    return ((await answer.json().catch(() => ({}))) as { error?: { message: string } }).error;
  };
  for (const [path, { get }] of operationsOf(document, 'get')) {
    const file = path.replace(ORGANIZATION, '').replace('{type}', 'RISK_REGISTER');
    assert.match((await getExample(file, 'nowhere_near=?'))!.message, UNKNOWN);
    for (const { name, in: place } of get.parameters) {
      if (place === 'query')
        assert.not.match((await getExample(file, `${name}=?`))?.message ?? '', UNKNOWN, `${file} ${name}`);
    }
  }
});

test('the document has all input limits, and allows new members in answers', ({ document }) => {
  const { AddVendorInput, Vendor, VendorSummary } = document.components.schemas;
  assert.is(AddVendorInput?.additionalProperties, false);
  assert.is(AddVendorInput?.properties?.name?.maxLength, 200);
  for (const schema of [Vendor, VendorSummary]) assert.is(schema?.additionalProperties, undefined);
  const required = operationsOf(document, 'post').filter(([, { post }]) => !post.requestBody.required);
  assert.equal(
    required.map(([path]) => path),
    ['/api/mcp/tools/listOrganizations'],
    'only this can be called without a body',
  );
});

test('the document’s example inputs are valid', ({ document }) => {
  for (const { name, input } of ALL_TOOLS) {
    const { example } = document.paths[`/api/mcp/tools/${name}`]!.post.requestBody.content['application/json'];
    const { error } = input.safeParse(example);
    assert.is(error, undefined, `${name}: ${error?.message}`);
  }
});

test('the document needs no credential, and is built once', async ({ url, text }) => {
  const first = await fetch(`${url}/api/mcp/openapi.json`);
  assert.ok((await first.text()) === text);
  assert.match(first.headers.get('Content-Type') ?? '', /^application\/json/);
  assert.match(first.headers.get('Cache-Control') ?? '', /max-age=\d+/);
  const etag = first.headers.get('ETag') ?? '';
  const revalidated = await fetch(`${url}/api/mcp/openapi.json`, { headers: { 'If-None-Match': etag } });
  assert.equal([revalidated.status, revalidated.headers.get('ETag')], [304, etag]);
  const otherEtag = await fetch(`${url}/api/mcp/openapi.json`, { headers: { 'If-None-Match': '"other"' } });
  assert.equal([otherEtag.status, (await otherEtag.text()).length], [200, text.length]);
  const posted = await fetch(`${url}/api/mcp/openapi.json`, { method: 'POST' });
  assert.equal([posted.status, posted.headers.get('Cache-Control')], [405, 'no-store']);
});

test('the document has the errors that calls get, each with its status', async ({ url, token, document }) => {
  const json = { 'Content-Type': 'application/json' };
  const authorized = { ...json, Authorization: `Bearer ${token}` };
  const calls: [number, string, RequestInit][] = [
    [400, 'addVendor', { body: '{', headers: authorized }],
    [400, 'addVendor', { body: '{"name":3}', headers: authorized }],
    [401, 'addVendor', { body: '{}', headers: json }],
    [404, 'updateVendor', { body: `{"id":"vnd_${'0'.repeat(26)}"}`, headers: authorized }],
    [413, 'addVendor', { body: ' '.repeat((1 << 20) + 1), headers: authorized }],
    [415, 'addVendor', { body: '{}', headers: { ...authorized, 'Content-Type': 'text/plain' } }],
  ];
  for (const [status, tool, init] of calls) {
    const response = await fetch(`${url}/api/mcp/tools/${tool}`, { method: 'POST', ...init });
    const { error } = errorOutput.safeParse(await response.json());
    assert.equal([response.status, error], [status, undefined], `${tool} ${status}`);
    assert.ok(status in document.paths[`/api/mcp/tools/${tool}`]!.post.responses);
  }
});

/** A program on a generated client. It checks the status of each answer, as the types demand. */
const CALLS = `
import { addVendor, defaults, downloadReport, downloadVendors, listOrganizations, listVendors } from './client.ts';

export async function calls(url: string, token: string) {
  Object.assign(defaults, { baseUrl: url, headers: { Authorization: \`Bearer \${token}\` } });
  const reached = await listOrganizations({});
  if (reached.status !== 200) throw new TypeError(reached.data.error.message);
  const organization_id = reached.data.organizations[0]!.id;
  const added = await addVendor({ organization_id, name: 'Nimbus', criticality: 'HIGH', contract_until: null });
  if (added.status === 202) throw new TypeError('a person decides');
  if (added.status !== 200) throw new TypeError(added.data.error.message);
  const { id, review } = added.data.vendor;
  const page = await listVendors({ organization_id, filter: { criticality: ['HIGH'] } });
  if (page.status !== 200 || !('vendors' in page.data)) throw new TypeError('no page');
  const refused = await addVendor({ organization_id, name: ' ' });
  const problem = refused.status === 400 ? refused.data.error.code : null;
  const file = await downloadVendors(organization_id, { criticality: ['HIGH', 'LOW'], format: 'csv' });
  if (file.status !== 200) throw new TypeError('no file');
  const report = await downloadReport(organization_id, 'VENDORS', { format: 'json' });
  if (report.status !== 200) throw new TypeError('no report');
  const output = { lines: file.data.split('\\r\\n').length, sections: report.data.report.data?.sections.map(({ name }) => name) };
  return { id, outcome: review?.outcome ?? null, types: added.data.event_types, page: page.data.vendors, problem, output };
}
`;

test('a client generated from the document compiles and calls tools', async ({ folder, text, url, token }) => {
  const specification = join(folder, 'openapi.json');
  writeFileSync(specification, text);
  writeFileSync(join(folder, 'client.ts'), await generateSource(specification));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'calls.ts'), CALLS);
  assert.equal(typeErrors(folder), []);
  const { calls } = (await import(pathToFileURL(join(folder, 'calls.ts')).href)) as {
    calls(url: string, token: string): Promise<{ id: string; page: object[] }>;
  };
  const { id, page, ...rest } = await calls(url, token);
  assert.equal(page, [{ id, name: 'Nimbus', status: 'PENDING_REVIEW', criticality: 'HIGH' }]);
  const output = { lines: 3, sections: ['vendors'] };
  assert.equal(rest, { outcome: null, types: ['VendorAdded'], problem: 'invalid_input', output });

  writeFileSync(join(folder, 'calls.ts'), CALLS.replace("criticality: 'HIGH'", "criticality: 'HUGE'"));
  assert.is(typeErrors(folder).length, 1, 'a wrong value is a type error');
});

/** Compiles the calls. Returns the errors. */
function typeErrors(folder: string): string[] {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options =
    '--noEmit --strict --skipLibCheck --allowImportingTsExtensions --module NodeNext --target ES2023 --lib ES2024,DOM';
  const { stdout } = spawnSync(process.execPath, [compiler, ...options.split(' '), '--types', '', 'calls.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

test.run();
