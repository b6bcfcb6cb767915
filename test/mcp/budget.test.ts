/** What an assistant pays to know the tools, before it has done anything. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_LIST_BYTES, MOST_LIST_TOKENS, partForModels, tokensOf } from '../../bench/tokens.ts';
import { startRegister, type TestRegister } from '../support/register.ts';

const MOST_INSTRUCTIONS = 250;

const test = suite<{ register: TestRegister }>('budget');

test.before(async (context) => {
  context.register = await startRegister();
});
test.after(({ register }) => register.stop());

test('tokens are cl100k’s, whatever the text says', () => {
  assert.is(tokensOf('tiktoken is great!'), 6);
  assert.ok(tokensOf('<|endoftext|>') > 1, 'a text that looks like a control token is text');
});

test('tools/list, and of it what models read', ({ register: { tools } }) => {
  const read = partForModels(tools.listJson);
  const each = (JSON.parse(read) as { name: string }[]).map((tool) => [tokensOf(JSON.stringify(tool)), tool.name]);
  each.sort(([a], [b]) => Number(b) - Number(a));
  const [tokens, bytes] = [tokensOf(read), Buffer.byteLength(tools.listJson)];
  const dearest = each
    .slice(0, 10)
    .map((entry) => entry.join(' '))
    .join(', ');
  const said = `${tokens} tokens and ${bytes} bytes for ${each.length} tools; the dearest: ${dearest}`;
  console.log(`tools/list: ${said}`);
  assert.ok(tokens <= MOST_LIST_TOKENS, said);
  assert.ok(bytes <= MOST_LIST_BYTES, said);
});

test('instructions', ({ register: { tools } }) => {
  const tokens = tokensOf(tools.instructions);
  assert.ok(tokens <= MOST_INSTRUCTIONS, `${tokens} tokens`);
});

test.run();
