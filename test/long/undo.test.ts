import { legacyCall } from '../support/mcp/mcp-client.ts';
import type { Answer } from '../support/register.ts';
import { rounds } from '../support/run/rounds.ts';
import { onBothPairs } from '../support/stores/pairs.ts';
import { undoRandomCalls } from '../support/undo/random-calls.ts';

const CALLS = rounds(20, 100);

await onBothPairs(`undo of ${CALLS} random calls`, (test) => {
  test('leaves the register as it was', async ({ url, token, organizationId }) => {
    const call = async (tool: string, input: object): Promise<Answer> =>
      (await legacyCall(url, token, tool, input)).result as Answer;
    await undoRandomCalls(call, organizationId, CALLS);
  });
});
