import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GeneratedFile } from '../../../src/http/files/report-files.ts';
import { startToyService, type ToyService } from '../../support/mcp/toy-tools.ts';
import { callerAs, ORGANIZATION } from '../../support/register.ts';
import { until } from '../../support/run/wait.ts';

/** Downloads of large reports that end early. Their content may lie in another thread, so it must be closed. */

interface Context {
  service: ToyService;
  /** True once the content was closed before its end. */
  isClosed: boolean;
}

const CHUNK = Buffer.alloc(262_144, 'x');
/** Far more than socket buffers hold. */
const CHUNKS = 400;
const STALLED_MS = 300;

const test = suite<Context>('streams of reports');

test.before.each(async (context) => {
  context.isClosed = false;
  async function* content(): GeneratedFile['chunks'] {
    let sent = 0;
    try {
      for (; sent < CHUNKS; sent += 1) yield CHUNK;
    } finally {
      context.isClosed = sent < CHUNKS;
    }
  }
  const size = CHUNK.length * CHUNKS;
  context.service = await startToyService({
    authenticate: async () => callerAs(),
    reports: {
      files: { generate: async () => ({ etag: 'W/"1"', file: { name: 'report.csv', size, chunks: content() } }) },
      printer: {
        isAvailable: () => false,
        requireBrowser: () => undefined,
        print: () => Promise.reject(new Error('no printer')),
      },
      stallTimeoutMs: STALLED_MS,
    },
  });
});
test.after.each(({ service }) => service.stop());

/** Requests the file without reading its body. */
async function requestFile({ port }: ToyService, more: Record<string, string> = {}): Promise<IncomingMessage> {
  const path = `/api/v1/organizations/${ORGANIZATION}/reports/vendors?format=csv`;
  const headers = { Authorization: 'Bearer vtr_good', ...more };
  const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

test('a stalled client is disconnected, and the content is closed', async (context) => {
  const response = await requestFile(context.service);
  assert.is(response.statusCode, 200);
  await until(() => context.isClosed);
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  assert.not(response.complete, 'the client sees that the file is incomplete');
});

for (const coding of ['identity', 'gzip']) {
  test(`the content is closed when the client disconnects (${coding})`, async (context) => {
    const response = await requestFile(context.service, { 'Accept-Encoding': coding });
    assert.is(response.headers['content-encoding'] ?? 'identity', coding);
    await once(response, 'readable');
    response.destroy();
    await until(() => context.isClosed);
  });
}

test.run();
