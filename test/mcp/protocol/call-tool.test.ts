import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { toolCaller } from '../../../src/mcp/protocol/call-tool.ts';
import { ProtocolError } from '../../../src/mcp/protocol/protocol-message.ts';
import type { CallContext } from '../../../src/tools/tool.ts';
import type { ToolBox } from '../../../src/tools/toolbox.ts';

const test = suite('calling a tool');

const caller: CallContext['caller'] = {
  account_id: 'a',
  token_id: null,
  client: null,
  roles: new Map(),
  members: new Map(),
  read_only: true,
};

/** Calls a tool with a fixed answer. */
function callAnswering(status: number, value: object) {
  const messages: unknown[] = [];
  const tools: Pick<ToolBox, 'call'> = {
    call: async (...args) => {
      messages.push(...args);
      return { json: JSON.stringify(value), outcome: 'ok', status };
    },
  };
  return { messages, answer: toolCaller(tools, { caller })('listRisks', { size: 1 }) };
}

test('toolCaller returns the tool’s answer for this caller', async () => {
  const { messages, answer } = callAnswering(200, { risks: [] });
  assert.equal(await answer, { risks: [] });
  assert.equal(messages, ['listRisks', { size: 1 }, { caller }]);
});

for (const [code, status, rpc] of [
  ['not_found', 404, -32602],
  ['forbidden', 403, -32602],
  ['unavailable', 503, -32603],
  ['internal', 500, -32603],
] as const) {
  test(`${code} becomes the JSON-RPC error ${rpc} with the refusal as data`, async () => {
    const refusal = new Refusal(code, 'Do something else.');
    const error = await callAnswering(status, { error: refusal }).answer.catch((thrown: unknown) => thrown);
    assert.instance(error, ProtocolError);
    const { code: actualCode, message, data } = error as ProtocolError;
    assert.equal([actualCode, message, data], [rpc, 'Do something else.', refusal.toJSON()]);
  });
}

test.run();
