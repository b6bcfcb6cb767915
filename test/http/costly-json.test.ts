/** JSON that is expensive to parse is refused before parsing, in every kind of call, and its sender waits. */
import { performance } from 'node:perf_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { Penalties } from '../../src/http/access/rate-limits.ts';
import { parseJson } from '../../src/http/body.ts';
import { invalidInput } from '../../src/http/http-errors.ts';
import { CALLER, post, request, startToyService, type ToyService } from '../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('costly JSON');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

const nestedObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const wide = (names: number) => `{${Array.from({ length: names }, (_, index) => `"k${index}":1`).join(',')}}`;
const longArray = (elements: number) => `[${'0,'.repeat(elements - 1)}0]`;

const COSTLY: [string, string, RegExp][] = [
  ['levels of objects', nestedObject(33), /32 levels/],
  ['levels of arrays', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, /32 levels/],
  ['names', wide(75_000), /10000 members/],
  ['elements', longArray(10_001), /10000 members/],
  ['empty objects', `[${'{},'.repeat(9_999)}{}]`, /10000 members/],
];
const MODERN = {
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'echo',
};
const JSON_BODY = { 'Content-Type': 'application/json' };

for (const [parts, inputs, message] of COSTLY) {
  test(`with too many ${parts} is refused in both protocol versions and in direct calls`, async ({ service }) => {
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${inputs}}}`;
    for (const headers of [{}, MODERN]) {
      const reply = await post(service, call, headers);
      assert.is(reply.status, 400);
      assert.is(Number(reply.json.error?.code), -32600);
      assert.match(String(reply.json.error?.message), message);
      assert.ok(reply.text.length < 300, reply.text);
    }
    const direct = await request(`${service.url}/api/mcp/tools/echo`, {
      method: 'POST',
      body: inputs.startsWith('[') ? `{"filter":${inputs}}` : inputs,
      headers: JSON_BODY,
    });
    assert.is(direct.status, 400);
    assert.is(direct.json.error?.code as unknown, 'invalid_input');
    assert.match(String(direct.json.error?.message), message);
    assert.is(service.tools.calls.length, 0);
  });
}

test('in a query is refused too, as are too many parameters', async ({ service }) => {
  const read = (query: string) => request(`${service.url}/api/mcp/tools/echo?${query}`);
  const nested = await read(`filter=${encodeURIComponent(nestedObject(40))}`);
  assert.is(nested.status, 400);
  assert.match(String(nested.json.error?.message), /32 levels/);
  const error = await read(Array.from({ length: 501 }, (_, index) => `p${index}`).join('&'));
  assert.is(error.status, 400);
  assert.match(String(error.json.error?.message), /500 query parameters/);
});

test('is not mistaken for text in strings or for invalid JSON', () => {
  const strings = ['"', '\\', '[[[['.repeat(100), '\\"'.repeat(50), '{,{,'.repeat(9_000)];
  assert.equal(parseJson(Buffer.from(JSON.stringify(strings))), strings);
  assert.equal(parseJson(Buffer.from(nestedObject(32))), JSON.parse(nestedObject(32)));
  assert.equal(parseJson(Buffer.from(longArray(9_000))), JSON.parse(longArray(9_000)));
  for (const text of ['', '"open', '"open\\', ']]]]', '{"a":}'])
    assert.throws(() => parseJson(Buffer.from(text)), /JSON/);
});

test('delays its own account and no other', async () => {
  const penalties = new Penalties();
  const other: Caller = { ...CALLER, account_id: 'acc_2', token_id: 'tok_2' };
  const body = async () => Buffer.alloc(0);
  const waited = async (caller: Caller, isInvalidCall: boolean) => {
    const startedAt = performance.now();
    let callCount = 0;
    await penalties.run(caller, body, async () => {
      callCount = performance.now() - startedAt;
      const end = performance.now() + (isInvalidCall ? 10 : 0);
      while (performance.now() < end);
      return isInvalidCall;
    });
    return callCount;
  };
  assert.ok((await waited(CALLER, true)) < 100, 'the first one is served at once');
  assert.ok((await waited(other, false)) < 100, 'another account is served at once');
  const otherToken = { ...CALLER, token_id: 'tok_3' };
  assert.ok((await waited(otherToken, false)) > 150, '30 times 10 ms, with whatever credential');
  assert.ok((await waited(CALLER, false)) < 100, 'the delay is over');
  const refusing = penalties.run(other, body, async () => {
    const end = performance.now() + 10;
    while (performance.now() < end);
    throw invalidInput('wrong');
  });
  await refusing.then(
    () => assert.unreachable(),
    () => undefined,
  );
  assert.ok((await waited(other, false)) > 150, 'what throws counts as invalid too');
});

test('delays its account even if the JSON is invalid', async ({ service }) => {
  const refusedPost = () => post(service, `{"a":"${'\\u0041'.repeat(150_000)}`);
  assert.is((await refusedPost()).status, 400);
  const startedAt = performance.now();
  assert.is((await post(service, { jsonrpc: '2.0', id: 1, method: 'ping' })).status, 200);
  assert.ok(performance.now() - startedAt > 20, '30 times what it takes to receive 900 KB');
});

test('allows parallel calls of its account again after the delay, although earlier calls still run', async () => {
  const penalties = new Penalties();
  const body = async () => Buffer.alloc(0);
  const run = (answer: () => Promise<boolean>) => penalties.run(CALLER, body, answer);
  await run(async () => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    return true;
  });
  let finish = (): void => undefined;
  const pending = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = run(async () => false);
  const second = run(() => pending.then(() => false));
  await first;
  let isServed = false;
  const thirdRequest = run(async () => {
    isServed = true;
    return false;
  });
  await new Promise(setImmediate);
  assert.ok(isServed);
  finish();
  await Promise.all([second, thirdRequest]);
});

test('runs delayed calls of its account one by one, and refuses too many', async () => {
  const penalties = new Penalties();
  let running = 0;
  let most = 0;
  const call = () =>
    penalties.run(
      CALLER,
      async () => Buffer.alloc(1 << 16),
      async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running -= 1;
        return true;
      },
    );
  await call();
  const calls = Array.from({ length: 102 }, () =>
    call().then(
      () => 'served',
      () => 'refused',
    ),
  );
  assert.equal((await Promise.all(calls.slice(0, 5).concat(calls[101]!))).at(-1), 'refused');
  assert.is(most, 1);
});

test.run();
