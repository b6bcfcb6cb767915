import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GeneratedFile } from '../../src/http/files/report-files.ts';
import { startToyService } from '../support/mcp/toy-tools.ts';
import { callerAs, ORGANIZATION } from '../support/register.ts';
import { until } from '../support/run/wait.ts';

const test = suite('a revoked download');

const CHUNK = Buffer.alloc(262_144, 'x');
const MAX_BYTES_AFTER_REVOCATION = 1_000_000;

test('gives no more than what the reader’s machine has received already', async () => {
  let isRevoked = false;
  let isClosed = false;
  async function* content(): GeneratedFile['chunks'] {
    try {
      while (true) yield CHUNK;
    } finally {
      isClosed = true;
    }
  }
  const file = { name: 'report.csv', size: Number.MAX_SAFE_INTEGER, chunks: content() };
  const service = await startToyService({
    authenticate: async () => (isRevoked ? null : callerAs()),
    reports: {
      files: { generate: async () => ({ etag: 'W/"1"', file }) },
      printer: { isAvailable: () => false, requireBrowser: () => undefined, print: () => Promise.reject(new Error()) },
    },
  });
  try {
    const path = `/api/v1/organizations/${ORGANIZATION}/reports/vendors?format=csv`;
    const headers = { Authorization: 'Bearer vtr_good' };
    const request = get({ port: service.port, path, headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Megabytes are on their way, and nobody reads them.
    await once(response, 'readable');
    isRevoked = true;
    await until(() => isClosed);
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    response.on('error', () => undefined);
    await new Promise((resolve) => response.once('close', resolve));
    assert.not(response.complete);
    assert.ok(bytes < MAX_BYTES_AFTER_REVOCATION, `${bytes} bytes`);
  } finally {
    await service.stop();
  }
});

test.run();
