import { InitializeRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { INITIALIZE_PARAMS } from '../../../src/mcp/protocol/initialize-params.ts';

/** Every member that the protocol defines, and an unknown one in each object. */
const COMPLETE = {
  protocolVersion: '2025-11-25',
  capabilities: {
    experimental: { one: { a: 1 }, two: {} },
    extensions: { 'example.org/one': {} },
    sampling: { context: {}, tools: {}, more: 1 },
    elicitation: { form: { applyDefaults: true, more: 1 }, url: {}, more: 1 },
    roots: { listChanged: true, more: 1 },
    tasks: {
      list: {},
      cancel: {},
      requests: { sampling: { createMessage: {}, more: 1 }, elicitation: { create: {}, more: 1 }, more: 1 },
      more: 1,
    },
    more: 1,
  },
  clientInfo: {
    name: 'a client',
    version: '1',
    title: 'A client',
    description: 'It calls tools.',
    websiteUrl: 'https://example.org',
    icons: [{ src: 'data:,', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark', more: 1 }],
    more: 1,
  },
  _meta: { progressToken: 1, 'io.modelcontextprotocol/related-task': { taskId: '1', more: 1 }, more: 1 },
  more: 1,
};

/** Replacements for any member. `undefined` removes it. */
const REPLACEMENTS = [undefined, null, true, 1, 1.5, 'text', [], ['text'], [1], {}, { a: 1 }, { a: {} }];

/** Returns copies of `value`, each with one member at any depth replaced. */
function* variantsOf(value: unknown, path = 'params'): Generator<{ path: string; variant: unknown }> {
  for (const variant of REPLACEMENTS) yield { path: `${path} = ${JSON.stringify(variant)}`, variant };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const { path: inner, variant } of variantsOf(member, `${path}.${name}`)) {
      const changedValue = Array.isArray(value) ? value.with(Number(name), variant) : { ...value, [name]: variant };
      yield { path: inner, variant: JSON.parse(JSON.stringify(changedValue)) };
    }
  }
}

test('accepts and refuses the parameters of initialize as the SDK’s schema does', () => {
  assert.ok(INITIALIZE_PARAMS.safeParse(COMPLETE).success);
  const counts = { accepted: 0, refused: 0 };
  for (const { path, variant } of variantsOf(COMPLETE)) {
    const expected = InitializeRequestParamsSchema.safeParse(variant).success;
    assert.is(INITIALIZE_PARAMS.safeParse(variant).success, expected, path);
    counts[expected ? 'accepted' : 'refused']++;
  }
  assert.ok(counts.accepted > 100 && counts.refused > 100, JSON.stringify(counts));
});

test.run();
