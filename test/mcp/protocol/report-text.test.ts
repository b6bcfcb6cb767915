/** Reports in Markdown come as text: many clients show models structuredContent alone, with the text as escaped JSON. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { legacyRequest, modernRequest, reportOfText } from '../../support/mcp/mcp-client.ts';
import type { Json } from '../../support/mcp/toy-tools.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

const test = suite<ServedPair>('reports as text');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId: organization_id } = served;
  const rows = Array.from({ length: 120 }, (_, n) => ({ name: `Risk ${n}`, description: 'Long words. '.repeat(40) }));
  await owner.ok('importRecords', { organization_id, type: 'RISK', rows });
  Object.assign(context, served);
});
test.after((served) => served.close());

async function direct({ url, token }: ServedPair, input: object): Promise<Json> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify(input);
  return (await fetch(`${url}/api/mcp/tools/getReport`, { method: 'POST', headers, body })).json() as Promise<Json>;
}

interface Called {
  content: { type: string; text: string; uri?: string; name?: string; mimeType?: string }[];
  structuredContent?: Json;
}

for (const request of [legacyRequest, modernRequest]) {
  test(`a Markdown report is one text with a link to its page (${request.name})`, async (served) => {
    const call = (input: object) =>
      request(served.url, served.token, 'tools/call', { name: 'getReport', arguments: input });
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const input = { type: 'RISK_REGISTER', ...(cursor === undefined ? {} : { cursor }) };
      const { content, structuredContent } = (await call(input)) as Called;
      const same = await direct(served, input);
      assert.is(structuredContent, undefined);
      const [{ text }, link, ...others] = content as [Called['content'][0], Called['content'][0]];
      assert.equal(others, []);
      assert.equal([link.type, link.uri, link.mimeType], ['resource_link', same.url as unknown, 'text/html']);
      assert.is(link.name, 'Risk register');
      const { report, ...around } = reportOfText(text) as { report: Record<string, string>; next_cursor?: string };
      assert.is(report.digest, same.report!.digest as unknown);
      assert.is(report.position, same.report!.position as unknown);
      const withoutTime = (content: unknown) => String(content).replace(/^- Generated: .*$/m, '');
      assert.is(withoutTime(report.content), withoutTime(same.report!.content));
      const { organization_id, url, next_cursor } = same as object as Record<string, string>;
      assert.equal(around, { organization_id, url, ...(next_cursor === undefined ? {} : { next_cursor }) });
      cursor = around.next_cursor;
      assert.match(text.trimEnd().split('\n').at(-1)!, cursor === undefined ? /^digest: / : /^next_cursor: /);
      pages.push(text);
    } while (cursor !== undefined);
    assert.ok(pages.length > 1, 'the report has several pages');
  });
}

test('other formats and refusals are JSON, as text and as structure', async ({ url, token }) => {
  for (const input of [
    { type: 'POSTURE', format: 'JSON' },
    { type: 'POSTURE', format: 'CSV' },
    { type: 'AUDIT_PACK' },
  ]) {
    const params = { name: 'getReport', arguments: input };
    const { content, structuredContent } = (await legacyRequest(url, token, 'tools/call', params)) as Called;
    assert.equal(JSON.parse(content[0]!.text), structuredContent as unknown);
  }
});

test('a client that states no version gets the text alone', async ({ url, token }) => {
  const response = await fetch(`${url}/api/mcp/v1`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'getReport', arguments: { type: 'POSTURE' } },
    }),
  });
  const { result } = (await response.json()) as { result: Called };
  assert.equal(
    result.content.map(({ type }) => type),
    ['text'],
  );
});

test.run();
