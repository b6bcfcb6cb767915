import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playStory, writeHistory } from '../support/histories/story.ts';
import { answerOf, type Call, modernCall, modernRequest, Session, sdkClient } from '../support/mcp/mcp-client.ts';
import { type ServedPair, serve, startPairs } from '../support/stores/pairs.ts';

for (const pair of await startPairs()) {
  const test = suite<{ served: ServedPair }>(`the story on ${pair.name}`);

  test.before(async (context) => {
    await writeHistory(pair);
    context.served = await serve(pair);
  });

  test.after(({ served }) => served.close());

  test('an SDK client can run the story in version 2025-11-25', async ({ served }) => {
    const client = await sdkClient(served.url, served.token);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'addVendor'));
    const viaClient: Call = async (_url, _token, name, args = {}) =>
      answerOf(await client.callTool({ name, arguments: { ...args } }));
    await playStory(new Session(served.url, served.token, viaClient));
    await client.close();
  });

  test('raw requests can run the story in version 2026-07-28', async ({ served }) => {
    const discovered = (await modernRequest(served.url, served.token, 'server/discover')) as {
      supportedVersions: string[];
    };
    assert.ok(discovered.supportedVersions.includes('2026-07-28'));
    await playStory(new Session(served.url, served.token, modernCall));
  });

  test.run();
}
