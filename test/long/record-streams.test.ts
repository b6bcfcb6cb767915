// Runs in a process of its own, because it measures memory.
/** Large files: memory use, and what happens when the client disconnects, the store fails or access is revoked. */

import { once } from 'node:events';
import { get, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { clientInfoReader } from '../../src/http/access/client-info-reader.ts';
import { createRateLimits, type RateLimits } from '../../src/http/access/rate-limits.ts';
import { cutWhenRevoked } from '../../src/http/access/revocation.ts';
import { RecordFileReader } from '../../src/http/files/record-files.ts';
import { HttpError } from '../../src/http/http-errors.ts';
import type { RequestContext } from '../../src/http/request.ts';
import { CursorKey } from '../../src/queries/lists/cursor.ts';
import { Reader, type ReadProgress, type SnapshotOptions } from '../../src/queries/moments/snapshot.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { DocumentQuery, MatchingDocument, ReadModels } from '../../src/stores/read-store.ts';
import { createRecordFileCatalog } from '../../src/tools/record-file-catalog.ts';
import { bytesInUse } from '../support/mcp/streamed.ts';
import { startToyService, type ToyService } from '../support/mcp/toy-tools.ts';
import { callerAs, ORGANIZATION } from '../support/register.ts';
import { until } from '../support/run/wait.ts';

const MIB = 1024 * 1024;
const RECORDS = 20_000;
/** 5,760 bytes a record, over 100 MB in all: far more than socket buffers hold. */
const TEXT = 'a risk that is told at some length. '.repeat(160);
/** Bytes that may be in socket buffers, ready to send, or not garbage-collected yet. */
const MAX_BYTES_IN_FLIGHT = 32 * MIB;
const STALLED_MS = 300;

const test = suite<{ service?: ToyService }>('streams of records');
test.after.each(async (context) => {
  await context.service?.stop();
  delete context.service;
});

interface Source {
  /** Records read from the store so far. */
  recordsRead: number;
  find(query: DocumentQuery): void;
}

/** Starts the service on a store that generates its records as they are read. */
async function start(
  source: Source,
  stalledMs = STALLED_MS,
  caller: () => Caller | null = callerAs,
  limits: RateLimits = createRateLimits(null, clientInfoReader([])),
): Promise<ToyService> {
  const models = {
    find: async (query: DocumentQuery): Promise<MatchingDocument[]> => {
      // Tables name the linked records. These have none.
      if (query.collection === 'links') return [];
      source.find(query);
      if (query.where.some(({ op }) => op === 'empty')) return [];
      const from = query.after === undefined ? 0 : Number(query.after.id) + 1;
      const rows = Array.from({ length: Math.min(query.limit, RECORDS - from) }, (_, index) =>
        documentAt(from + index),
      );
      source.recordsRead = from + rows.length;
      return rows;
    },
  } as unknown as ReadModels;
  const progress = {
    waitUntilCaughtUp: async () => true,
    checkpoint: () => ({ position: RECORDS, parked: 0 }),
    caughtUpAt: 0,
  } as unknown as ReadProgress;
  const options = {
    cursorKey: new CursorKey(Buffer.from('a key for tests')),
    now: () => new Date(),
  } as unknown as SnapshotOptions;
  const reader = new Reader(() => ({ models, progress }), options);
  const files = new RecordFileReader(createRecordFileCatalog(reader));
  return startToyService({
    authenticate: async () => caller(),
    sessions: async () => caller(),
    limits,
    recordFiles: { files, onDownload: () => undefined, stallTimeoutMs: stalledMs },
  });
}

function documentAt(index: number): MatchingDocument {
  const emptyFields = { owner_id: null, archived_at: null, acceptance: null };
  const doc = { id: `rsk_${index}`, name: `Risk ${index}`, description: TEXT, ...emptyFields };
  return { id: String(index), key: index, doc };
}

const emptySource = (): Source => ({ recordsRead: 0, find: () => undefined });

/** Requests the file without reading its body. */
async function requestFile(
  { port }: ToyService,
  format = 'jsonl',
  headers: Record<string, string> = { Authorization: 'Bearer vtr_good' },
): Promise<IncomingMessage> {
  const path = `/api/v1/organizations/${ORGANIZATION}/records/risks?format=${format}`;
  const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

/** Waits until the response closes, complete or not. */
const waitUntilClosed = (response: IncomingMessage) =>
  new Promise<void>((resolve) => {
    response.once('close', resolve);
  });

/** Returns the log line about the file. The service writes it when the file ends, complete or not. */
const waitForLogLine = ({ log }: ToyService) =>
  until(() => log.find(({ path }) => String(path).endsWith('/records/risks')), 10_000, 'the file has ended');

for (const format of ['jsonl', 'csv']) {
  test(`uses no more memory for many records than for few: ${format}`, async (context) => {
    const used: number[] = [];
    const source = emptySource();
    source.find = () => {
      const due = used.length === 0 ? 2_000 : RECORDS - 200;
      if (used.length < 2 && source.recordsRead > due) used.push(bytesInUse());
    };
    const service = await start(source);
    context.service = service;
    let bytes = 0;
    let lines = 0;
    for await (const chunk of await requestFile(service, format)) {
      bytes += (chunk as Buffer).length;
      for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
    }
    assert.is(lines, RECORDS + (format === 'csv' ? 1 : 0));
    assert.ok(bytes > RECORDS * TEXT.length);
    assert.is(used.length, 2);
    const growth = used[1]! - used[0]!;
    assert.ok(growth < MAX_BYTES_IN_FLIGHT, `${Math.round(growth / 1024)} KiB more`);
    assert.is((await waitForLogLine(service)).status, 200);
  });
}

test('reads no more than the client receives, and disconnects a stalled client', async (context) => {
  const source = emptySource();
  const service = await start(source);
  context.service = service;
  const response = await requestFile(service);
  assert.is((await waitForLogLine(service)).status, 499);
  assert.ok(
    source.recordsRead > 0 && source.recordsRead * TEXT.length < MAX_BYTES_IN_FLIGHT,
    `${source.recordsRead} records were read`,
  );
  response.resume();
  await waitUntilClosed(response);
  assert.not(response.complete, 'the client sees that the file is incomplete');
});

test('stops reading when the client disconnects', async (context) => {
  const source = emptySource();
  const service = await start(source);
  context.service = service;
  const response = await requestFile(service);
  await once(response, 'readable');
  response.destroy();
  assert.is((await waitForLogLine(service)).status, 499);
  assert.ok(source.recordsRead < RECORDS / 2, `${source.recordsRead} records were read`);
});

test('answers a store outage with an error before the first line, and cuts the connection after it', async (context) => {
  const source = emptySource();
  let lasts = 0;
  source.find = () => {
    if (source.recordsRead >= lasts) throw new StoreUnavailable('the store at /srv/secret is away');
  };
  const service = await start(source);
  context.service = service;
  const refusal = await requestFile(service);
  assert.is(refusal.statusCode, 503);
  assert.is(refusal.headers['retry-after'], '2');
  let body = '';
  for await (const chunk of refusal) body += String(chunk);
  assert.is(JSON.parse(body).error.code, 'unavailable');
  assert.not.match(body, 'secret');
  lasts = 500;
  service.log.length = 0;
  const interrupted = await requestFile(service);
  interrupted.resume();
  await waitUntilClosed(interrupted);
  assert.equal([interrupted.statusCode, interrupted.complete], [200, false]);
  assert.is((await waitForLogLine(service)).msg, 'request failed');
});

const REVOCATIONS: [string, () => Caller | null][] = [
  ['whose token was revoked', () => null],
  ['who left the organization', () => ({ ...callerAs(), roles: new Map() })],
  ['whose role was lowered', () => callerAs('VIEWER')],
];

/** Returns limits that refuse everything after the first request. */
function exhaustedLimits(): RateLimits {
  let calls = 0;
  const tooMany = () => new HttpError(429, 'rate_limited', 'Too many requests.');
  return {
    admitCaller: async () => {
      calls += 1;
      if (calls > 1) throw tooMany();
    },
    countStranger: () => {
      throw tooMany();
    },
    admitStranger: async () => {
      throw tooMany();
    },
  };
}

for (const [event, later] of REVOCATIONS) {
  for (const [by, headers] of Object.entries({ token: undefined, session: {} })) {
    test(`cuts the connection of a reader by ${by} ${event} within two seconds`, async (context) => {
      let caller: () => Caller | null = callerAs;
      context.service = await start(emptySource(), 60_000, () => caller(), exhaustedLimits());
      const response = await requestFile(context.service, 'jsonl', headers);
      caller = later;
      const revokedAt = performance.now();
      await waitForLogLine(context.service);
      assert.ok(performance.now() - revokedAt < 2_000);
      const end = waitUntilClosed(response);
      response.resume();
      await end;
      assert.is(response.complete, false);
    });
  }
}

test('does not recheck a client that disconnected before it was admitted', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  let checks = 0;
  const admit = async () => {
    checks += 1;
    return callerAs();
  };
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.destroy();
  cutWhenRevoked({ res: response } as unknown as RequestContext, admit, callerAs(), ORGANIZATION);
  mock.timers.tick(5_000);
  mock.timers.reset();
  assert.is(checks, 0);
});

test.run();
