/** Progress notifications while a report is generated, in both versions of MCP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientGone } from '../../src/http/http-errors.ts';
import { reportJson } from '../../src/reports/formats/report-json.ts';
import { openReportFile } from '../../src/reports/report.ts';
import { MODERN, sdkClient } from '../support/mcp/mcp-client.ts';
import { type Json, post, startToyService, TOKEN, type ToyService } from '../support/mcp/toy-tools.ts';
import { callerAs, startRegister, type TestRegister } from '../support/register.ts';
import { rejection } from '../support/run/take.ts';

interface Context {
  register: TestRegister;
  service: ToyService;
  input: Record<string, unknown>;
}

const VENDORS = 600;
/** The number of records in one read. */
const PROGRESS_COUNTS = [500, VENDORS];
const KEY = 'io.modelcontextprotocol/';

const test = suite<Context>('progress of reports');

test.before(async (context) => {
  const register = await startRegister();
  const { organizationId: organization_id } = register;
  for (let first = 0; first < VENDORS; first += 200) {
    const rows = Array.from({ length: 200 }, (_, index) => ({ name: `Vendor ${first + index}` }));
    await register.call('importRecords', { organization_id, type: 'VENDOR', rows });
  }
  const service = await startToyService({ tools: register.tools, authenticate: async () => callerAs() });
  Object.assign(context, { register, service, input: { organization_id, type: 'VENDORS', format: 'JSON' } });
});
test.after(async ({ register, service }) => {
  await service.stop();
  await register.stop();
});

const digestOf = (answer: unknown) => (answer as { report: { digest: string } }).report.digest;

test('the SDK’s client gets the number of records read, page by page, and the same answer', async ({
  register,
  service,
  input,
}) => {
  const client = await sdkClient(service.url, TOKEN);
  const updates: unknown[] = [];
  const getReport = async (args: Record<string, unknown>, onprogress?: (progress: unknown) => void) => {
    const call = { name: 'getReport', arguments: args };
    return (await client.callTool(call, undefined, onprogress ? { onprogress } : {})).structuredContent;
  };
  const answer = await getReport(input, (progress) => updates.push(progress));
  assert.equal(
    updates,
    PROGRESS_COUNTS.map((progress) => ({ progress, message: `${progress} records read` })),
  );
  assert.is(digestOf(answer), digestOf(await getReport(input)));
  assert.is(digestOf(answer), digestOf(await register.call('getReport', input)));
  const { next_cursor: cursor } = answer as { next_cursor: string };
  updates.length = 0;
  await getReport({ ...input, cursor }, (progress) => updates.push(progress));
  assert.ok(updates.length > 0, 'a later page reports progress too');
  await client.close();
});

test('a 2026-07-28 client gets a stream that ends with the report, or plain JSON without a token', async ({
  service,
  input,
}) => {
  const meta = {
    [`${KEY}protocolVersion`]: MODERN,
    [`${KEY}clientInfo`]: { name: 'peer', version: '1' },
    [`${KEY}clientCapabilities`]: {},
  };
  const ask = (_meta: object) => {
    const params = { name: 'getReport', arguments: input, _meta };
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'getReport' };
    return post(service, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
  };
  const streamed = await ask({ ...meta, progressToken: 'p' });
  assert.is(streamed.headers.get('content-type'), 'text/event-stream');
  const events = streamed.text.trim().split('\n\n');
  const messages = events.map((event) => JSON.parse(event.replace('event: message\ndata: ', '')) as Json);
  const params = messages.slice(0, -1).map((message) => message.params as unknown);
  assert.equal(
    params,
    PROGRESS_COUNTS.map((progress) => ({ progressToken: 'p', progress, message: `${progress} records read` })),
  );
  const plain = await ask(meta);
  assert.is(plain.headers.get('content-type'), 'application/json');
  const last = messages.at(-1)!;
  assert.equal([Number(last.id), last.result?.resultType as unknown], [7, 'complete']);
  assert.is(digestOf(last.result?.structuredContent), digestOf(plain.json.result?.structuredContent));
});

test('a refused report is plain JSON even if the client asked for progress', async ({ service, input }) => {
  const params = { name: 'getReport', arguments: { ...input, until: '2030-01-01' }, _meta: { progressToken: 1 } };
  const { headers, json } = await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  assert.equal([headers.get('content-type'), json.result?.isError as unknown], ['application/json', true]);
});

test('a report lets other work run between its reads', async ({ register, input }) => {
  let turned = false;
  const updates: [number, boolean][] = [];
  const progress = (records: number) => {
    updates.push([records, turned]);
    setImmediate(() => {
      turned = true;
    });
  };
  await register.tools.call('getReport', input, { caller: callerAs(), progress });
  assert.equal(updates, [
    [PROGRESS_COUNTS[0], false],
    [PROGRESS_COUNTS[1], true],
  ]);
});

test('a report stops when its client disconnects', async ({ register, input }) => {
  const leaving = new AbortController();
  const updates: number[] = [];
  const progress = (records: number) => {
    updates.push(records);
    leaving.abort();
  };
  const answer = await register.tools.call('getReport', input, {
    caller: callerAs(),
    signal: leaving.signal,
    progress,
  });
  assert.equal([answer.status, updates], [503, PROGRESS_COUNTS.slice(0, 1)]);
});

test('a report file stops when its client disconnects', async ({ register, input }) => {
  const updates: number[] = [];
  const generated: object[] = [];
  const request = { organization_id: input.organization_id as string, type: 'VENDORS' } as const;
  const jsonFormat = { name: 'JSON', format: reportJson };
  const leaving = new AbortController();
  const file = await openReportFile(register.reader, callerAs(), request, jsonFormat, {
    onGenerated: (report) => generated.push(report),
    progress: (records) => {
      updates.push(records);
      leaving.abort(new ClientGone());
    },
    signal: leaving.signal,
  });
  assert.instance(await rejection(file.generate()), ClientGone);
  assert.equal([updates, generated], [PROGRESS_COUNTS.slice(0, 1), []]);
});

test.run();
