/** The cost of the list of tools for an assistant, before its first call. */
import * as assert from 'uvu/assert';
import {
  MAX_INSTRUCTION_TOKENS,
  MAX_LIST_BYTES,
  MAX_LIST_TOKENS,
  partForModels,
  tokensOf,
} from '../../bench/tokens.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('budget');

test('tokens are counted by cl100k, also for texts that look like control tokens', () => {
  assert.is(tokensOf('tiktoken is great!'), 6);
  assert.ok(tokensOf('<|endoftext|>') > 1, 'a text that looks like a control token is text');
});

test('tools/list fits the budget', ({ register: { tools } }) => {
  const read = partForModels(tools.listJson());
  const tokensByTool = (JSON.parse(read) as { name: string }[]).map((tool) => [
    tokensOf(JSON.stringify(tool)),
    tool.name,
  ]);
  tokensByTool.sort(([a], [b]) => Number(b) - Number(a));
  const [tokens, bytes] = [tokensOf(read), Buffer.byteLength(tools.listJson())];
  const dearest = tokensByTool
    .slice(0, 10)
    .map((entry) => entry.join(' '))
    .join(', ');
  console.log(`tools/list: ${tokens} tokens and ${bytes} bytes for ${tokensByTool.length} tools`);
  const advice = `Shorten descriptions, filters or names. The dearest tools: ${dearest}`;
  assert.ok(tokens <= MAX_LIST_TOKENS, `${tokens - MAX_LIST_TOKENS} tokens too many. ${advice}`);
  assert.ok(bytes <= MAX_LIST_BYTES, `${bytes - MAX_LIST_BYTES} bytes too many. ${advice}`);
});

test('the instructions fit the budget', ({ register: { tools } }) => {
  const tokens = tokensOf(tools.instructions);
  assert.ok(tokens <= MAX_INSTRUCTION_TOKENS, `${tokens} tokens`);
});

test.run();
