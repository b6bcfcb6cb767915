// In a process of its own: it counts the bytes in use.
/** Files of many records: what they hold of memory, and what becomes of them when the client or the store goes away. */
import { once } from 'node:events';
import { get, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../src/commands/caller.ts';
import { clientInfoReader } from '../src/http/client-info-reader.ts';
import { HttpError } from '../src/http/http-errors.ts';
import { createRateLimits, type RateLimits } from '../src/http/rate-limits.ts';
import type { RequestContext } from '../src/http/request.ts';
import { cutWhenRevoked } from '../src/http/revocation.ts';
import { allTools } from '../src/mcp/all-tools.ts';
import type { ToolService } from '../src/mcp/define-tool.ts';
import { createRecordFileCatalog } from '../src/mcp/record-file-catalog.ts';
import type { Reader } from '../src/queries/reader.ts';
import { StoreUnavailable } from '../src/stores/errors.ts';
import type { DocumentQuery, MatchingDocument, ReadModels } from '../src/stores/read-store.ts';
import { callerAs, ORGANIZATION } from './support/register.ts';
import { bytesInUse } from './support/streamed.ts';
import { startToyService, type ToyService } from './support/toy-tools.ts';
import { until } from './support/wait.ts';

const MIB = 1024 * 1024;
const RECORDS = 20_000;
/** Over 100 MB in all: far more than sockets hold. */
const TEXT = 'a risk that is told at some length. '.repeat(160);
/** Bytes that may be on their way: in sockets of one machine, ready for them, and not collected yet. */
const ON_THE_WAY = 32 * MIB;
const STALLED_MS = 300;

const test = suite<{ service?: ToyService }>('streams of records');
test.after.each(async (context) => {
  await context.service?.stop();
  delete context.service;
});

interface Made {
  /** Records that were read from the store so far. */
  given: number;
  find(query: DocumentQuery): void;
}

/** The service on a store that makes its records as they are read. */
async function start(
  made: Made,
  stalledMs = STALLED_MS,
  caller: () => Caller | null = callerAs,
  limits: RateLimits = createRateLimits(null, clientInfoReader([])),
): Promise<ToyService> {
  const models = {
    find: async (query: DocumentQuery): Promise<MatchingDocument[]> => {
      made.find(query);
      if (query.where.some(({ op }) => op === 'empty')) return [];
      const from = query.after === undefined ? 0 : Number(query.after.id) + 1;
      const rows = Array.from({ length: Math.min(query.limit, RECORDS - from) }, (_, index) => found(from + index));
      made.given = from + rows.length;
      return rows;
    },
  } as unknown as ReadModels;
  const reader = {
    models,
    progress: {
      waitUntilCaughtUp: async () => true,
      checkpoint: () => ({ position: RECORDS, parked: 0 }),
      caughtUpAt: 0,
    },
    cursorKey: Buffer.from('a key for tests'),
    now: () => new Date(),
  } as unknown as Reader;
  const files = createRecordFileCatalog(reader, allTools({ reader } as ToolService));
  return startToyService({
    authenticate: async () => caller(),
    sessions: async () => caller(),
    limits,
    recordFiles: { files, onDownload: () => undefined, stallTimeoutMs: stalledMs },
  });
}

function found(index: number): MatchingDocument {
  const none = { owner_id: null, archived_at: null, acceptance: null };
  const doc = { id: `rsk_${index}`, name: `Risk ${index}`, description: TEXT, ...none };
  return { id: String(index), key: index, doc };
}

const nothing = (): Made => ({ given: 0, find: () => undefined });

/** Asks for the file, and reads nothing of it yet. */
async function begin(
  { port }: ToyService,
  format = 'jsonl',
  headers: Record<string, string> = { Authorization: 'Bearer vtr_good' },
): Promise<IncomingMessage> {
  const path = `/api/v1/organizations/${ORGANIZATION}/records/risks?format=${format}`;
  const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

/** Waits for its end, whole or cut. */
const closed = (response: IncomingMessage) =>
  new Promise<void>((resolve) => {
    response.once('close', resolve);
  });

/** The log's line about the file: it is written when the file has ended, however it did. */
const ended = ({ log }: ToyService) =>
  until(() => log.find(({ path }) => String(path).endsWith('/records/risks')), 10_000, 'the file has ended');

for (const format of ['jsonl', 'csv']) {
  test(`a file of many records takes no more memory than one of few: ${format}`, async (context) => {
    const used: number[] = [];
    const made = nothing();
    made.find = () => {
      const due = used.length === 0 ? 2_000 : RECORDS - 200;
      if (used.length < 2 && made.given > due) used.push(bytesInUse());
    };
    const service = await start(made);
    context.service = service;
    let bytes = 0;
    let lines = 0;
    for await (const chunk of await begin(service, format)) {
      bytes += (chunk as Buffer).length;
      for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
    }
    assert.is(lines, RECORDS + (format === 'csv' ? 1 : 0));
    assert.ok(bytes > RECORDS * TEXT.length);
    assert.is(used.length, 2);
    const growth = used[1]! - used[0]!;
    assert.ok(growth < ON_THE_WAY, `${Math.round(growth / 1024)} KiB more`);
    assert.is((await ended(service)).status, 200);
  });
}

test('no more is read than the client takes, and one that takes nothing for long is cut off', async (context) => {
  const made = nothing();
  const service = await start(made);
  context.service = service;
  const response = await begin(service);
  assert.is((await ended(service)).status, 499);
  assert.ok(made.given > 0 && made.given * TEXT.length < ON_THE_WAY, `${made.given} records were read`);
  response.resume();
  await closed(response);
  assert.not(response.complete, 'the client sees that it lacks something');
});

test('a client that leaves ends the reading', async (context) => {
  const made = nothing();
  const service = await start(made);
  context.service = service;
  const response = await begin(service);
  await once(response, 'readable');
  response.destroy();
  assert.is((await ended(service)).status, 499);
  assert.ok(made.given < RECORDS / 2, `${made.given} records were read`);
});

test('a store that goes away is an error before the first line, and a cut connection after it', async (context) => {
  const made = nothing();
  let lasts = 0;
  made.find = () => {
    if (made.given >= lasts) throw new StoreUnavailable('the store at /srv/secret is away');
  };
  const service = await start(made);
  context.service = service;
  const refused = await begin(service);
  assert.is(refused.statusCode, 503);
  assert.is(refused.headers['retry-after'], '2');
  let body = '';
  for await (const chunk of refused) body += String(chunk);
  assert.is(JSON.parse(body).error.code, 'unavailable');
  assert.not.match(body, 'secret');
  lasts = 500;
  service.log.length = 0;
  const cut = await begin(service);
  cut.resume();
  await closed(cut);
  assert.equal([cut.statusCode, cut.complete], [200, false]);
  assert.is((await ended(service)).msg, 'request failed');
});

const LOST: [string, () => Caller | null][] = [
  ['whose token was revoked', () => null],
  ['who left the organization', () => ({ ...callerAs(), roles: new Map() })],
  ['whose role was lowered', () => callerAs('VIEWER')],
];

/** Nothing more of anybody is let in after the first request. */
function usedUp(): RateLimits {
  let known = 0;
  const tooMany = () => new HttpError(429, 'rate_limited', 'Too many requests.');
  return {
    countCaller: () => {
      known += 1;
      if (known > 1) throw tooMany();
    },
    countStranger: () => {
      throw tooMany();
    },
  };
}

for (const [who, later] of LOST) {
  for (const [by, headers] of Object.entries({ token: undefined, session: {} })) {
    test(`a reader by ${by} ${who} gets no whole file, and the connection is cut within two seconds`, async (context) => {
      let caller: () => Caller | null = callerAs;
      context.service = await start(nothing(), 60_000, () => caller(), usedUp());
      const response = await begin(context.service, 'jsonl', headers);
      caller = later;
      const lost = performance.now();
      await ended(context.service);
      assert.ok(performance.now() - lost < 2_000);
      const end = closed(response);
      response.resume();
      await end;
      assert.is(response.complete, false);
    });
  }
}

test('nobody is looked at again who has left before they were let in', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  let asked = 0;
  const admit = async () => {
    asked += 1;
    return callerAs();
  };
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.destroy();
  cutWhenRevoked({ res: response } as unknown as RequestContext, admit, callerAs(), ORGANIZATION);
  mock.timers.tick(5_000);
  mock.timers.reset();
  assert.is(asked, 0);
});

test.run();
