/** Sends names such as `__proto__` to the whole service in this process. Nothing in the process may change. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { type RunningService, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { until } from '../support/run/wait.ts';

const test = suite<{ app: RunningService; url: string; organization_id: string; dataDir: string }>(
  'prototype pollution',
);

test.before(async (context) => {
  context.dataDir = mkdtempSync(join(tmpdir(), 'veritrail-pollution-'));
  context.app = await startApp(
    readConfig({ PORT: '0', DATA_DIR: context.dataDir }, '/nowhere'),
    createLogger('silent'),
  );
  context.url = `http://127.0.0.1:${context.app.port}`;
  context.organization_id = context.app.organizationId;
  await until(async () => (await fetch(`${context.url}/readyz`)).ok, 20_000);
});
test.after(async ({ app, dataDir }) => {
  await app.stop();
  rmSync(dataDir, { recursive: true });
});

/** Written as JSON text, because only JSON.parse creates an own property called `__proto__`. */
const HOSTILE = [
  '"__proto__":{"polluted":"yes","role":"OWNER"}',
  '"constructor":{"prototype":{"polluted":"yes"}}',
  '"prototype":{"polluted":"yes"}',
  '"__defineGetter__":"polluted"',
  '"toString":"yes"',
  '"hasOwnProperty":1',
  '"valueOf":{"polluted":"yes"}',
  '"then":"yes"',
];

const untouched = () => {
  assert.is(({} as Record<string, unknown>).polluted, undefined);
  assert.is(([] as unknown as Record<string, unknown>).polluted, undefined);
  assert.is(Object.keys(Object.prototype).length, 0);
  assert.type({}.toString, 'function');
};

type Context = { app: RunningService; url: string; organization_id: string };

async function send({ app, url }: Context, path: string, body?: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${app.firstToken}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

for (const hostile of HOSTILE) {
  const name = /"(\w+)"/.exec(hostile)![1]!;

  test(`${name} is refused as an unknown input in every form and place`, async (context) => {
    const { organization_id } = context;
    const org = `"organization_id":"${organization_id}"`;
    const direct = (tool: string, inputs: string) => send(context, `/api/mcp/tools/${tool}`, `{${inputs}}`);
    for (const reply of [
      await direct('addVendor', `${org},"name":"Odd",${hostile}`),
      await direct('listVendors', `${org},"filter":{${hostile}}`),
      await direct('listVendors', `${org},${hostile}`),
      await direct('addRisk', `${org},"name":"Odd","assessment":{${hostile}}`),
      await send(
        context,
        `/api/mcp/tools/listVendors?organization_id=${organization_id}&${name}=%7B%22polluted%22%3A1%7D`,
      ),
    ]) {
      assert.is(reply.status, 400, reply.text);
      assert.match(reply.text, '"invalid_input"');
    }
    const call = (params: string) =>
      send(context, '/api/mcp/v1', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`);
    const refusal = await call(`"name":"addVendor","arguments":{${org},"name":"Odd",${hostile}}`);
    assert.match(refusal.text, 'invalid_input');
    const response = await call(`"name":"${name}","arguments":{}`);
    assert.match(response.text, /-32602/);
    const meta = await call(`"name":"listVendors","arguments":{${org}},"_meta":{${hostile}},${hostile}`);
    assert.ok([200, 400].includes(meta.status), meta.text);
    assert.is((await send(context, `/api/mcp/tools/${name}`, '{}')).status, 404);
    const message = await send(context, '/api/mcp/v1', `{"jsonrpc":"2.0","id":1,"method":"ping",${hostile}}`);
    assert.ok([200, 400].includes(message.status), message.text);
    const unknown = await send(context, '/api/mcp/v1', `{"jsonrpc":"2.0","id":1,"method":"${name}"}`);
    assert.match(unknown.text, /-32601/);
    untouched();
    const { status, text } = await direct('listVendors', org);
    assert.is(status, 200);
    assert.not.match(text, 'Odd', 'nothing was written');
  });
}

test('accepts such names in texts', async (context) => {
  const { organization_id } = context;
  const body = JSON.stringify({ organization_id, name: '__proto__', description: 'constructor', category: 'OTHER' });
  const addResponse = await send(context, '/api/mcp/tools/addVendor', body);
  assert.is(addResponse.status, 200, addResponse.text);
  const { id, name } = (JSON.parse(addResponse.text) as { vendor: { id: string; name: string } }).vendor;
  assert.is(name, '__proto__');
  for (const text of ['__proto__', 'constructor', 'prototype']) {
    const response = await send(
      context,
      '/api/mcp/tools/listVendors',
      JSON.stringify({ organization_id, filter: { query: text } }),
    );
    const { vendors } = JSON.parse(response.text) as { vendors: { id: string }[] };
    assert.is(
      vendors.some((vendor) => vendor.id === id),
      text !== 'prototype',
      text,
    );
  }
  untouched();
});

test.run();
