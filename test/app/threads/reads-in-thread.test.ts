import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadsInThread, type ReadsInThreadOptions } from '../../../src/app/threads/reads-in-thread.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { RECORD_FILE_FORMATS } from '../../../src/http/files/record-file-formats.ts';
import { RecordFileReader } from '../../../src/http/files/record-files.ts';
import { REPORT_FILE_FORMATS } from '../../../src/http/files/report-file-formats.ts';
import { ReportFileGenerator } from '../../../src/http/files/report-files.ts';
import { openSpool } from '../../../src/http/files/spooled-files.ts';
import type { DownloadDetails } from '../../../src/queries/files/download-details.ts';
import type { ReportName } from '../../../src/reports/all-reports.ts';
import type { Checkpoint } from '../../../src/stores/read-store.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import type { ToolService } from '../../../src/tools/tool.ts';
import { createToolBox, type PreparedCall, type ToolResult } from '../../../src/tools/toolbox.ts';
import { callerAs, ORGANIZATION, startRegister, type TestRegister } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';
import { until } from '../../support/run/wait.ts';

interface Context {
  register: TestRegister;
  reads: ReadsInThread;
  reports: { caller: Caller; report: DownloadDetails }[];
}

const VENDORS = 600;
/** An input of each report. That of AUDIT_PACK is completed by the test. */
const REPORT_INPUTS: Record<ReportName, object> = {
  POSTURE: { trend: 'MONTH' },
  RISK_REGISTER: { format: 'JSON' },
  VENDORS: { format: 'CSV' },
  OBLIGATIONS: {},
  NONCONFORMITIES: { group_by: 'OWNER' },
  STATEMENT_OF_APPLICABILITY: { format: 'JSON' },
  AUDIT_PACK: {},
  DUE_ITEMS: { until: '2027-12-31', format: 'JSON' },
  CHANGES_BETWEEN: { from: '1', to: '300', format: 'JSON' },
  EVIDENCE: {},
  UNAPPROVED_DECISIONS: {},
};

/** The progress of a generation that stands still. */
const STANDS = { role: 'FOLLOWER' as const, caughtUpAt: 0, waitUntilCaughtUp: async () => false };

const test = suite<Context>('reads in a thread');

function startReads(
  register: TestRegister,
  reports: Context['reports'],
  { served = () => register.reader.snapshot(), ...options }: Partial<ReadsInThreadOptions> = {},
): ReadsInThread {
  const ignore = () => undefined;
  return new ReadsInThread({
    settings: {
      stores: { dataDir: register.folder, eventStoreUrl: null, mongodbUrl: null },
      cursorKey: Buffer.from('a key for tests'),
      version: 'test',
      time: new ServiceClock().shared.memory,
    },
    served,
    spool: spoolOf(register),
    reportGenerated: (caller, report) => reports.push({ caller, report }),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    ...options,
  });
}

const spoolOf = (register: TestRegister) => openSpool(mkdtempSync(join(register.folder, 'spool-'))).files;

/** Returns a call as the toolbox prepares it. */
function prepared(name: string, args: object, caller: Caller = callerAs()): PreparedCall {
  const tool = ALL_TOOLS.find((candidate) => candidate.name === name)!;
  const input = tool.parser.parse({ organization_id: ORGANIZATION, ...args });
  const organizations = [ORGANIZATION];
  return {
    tool: name,
    load: 'LONG',
    input,
    organizations,
    impliedOrganization: null,
    mustRehearse: false,
    caller,
    publicUrl: undefined,
  };
}

/** Returns an answer without times: a report has that of its generation. */
const timeless = (json: string): string => json.replaceAll(/\d\d:\d\d(:\d\d\.\d\d\dZ)?/g, '');

/** Returns a report's result without times. Its text for models has the minute of the generation. */
const withoutTimes = ({ json, text, ...rest }: ToolResult) => ({
  ...rest,
  json: timeless(json),
  text: timeless(text ?? ''),
});

/** Calls a tool that writes, and requires that it did. */
async function write(register: TestRegister, tool: string, args: object): Promise<Record<string, { id: string }>> {
  const answer = await register.call(tool, { organization_id: ORGANIZATION, ...args });
  assert.not('error' in answer, JSON.stringify(answer));
  return answer as Record<string, { id: string }>;
}

test.before(async (context) => {
  context.reports = [];
  context.register = await startRegister();
  await addVendors(context);
  context.reads = startReads(context.register, context.reports);
});
test.before.each(({ reports }) => {
  reports.length = 0;
});
test.after(async ({ register, reads }) => {
  await reads.stop();
  await register.stop();
});

async function addVendors({ register }: Context): Promise<void> {
  const rows = Array.from({ length: VENDORS }, (_, index) => ({ name: `Vendor ${index}`, criticality: 'HIGH' }));
  for (let first = 0; first < VENDORS; first += 200) {
    await write(register, 'importRecords', { type: 'VENDOR', rows: rows.slice(first, first + 200) });
  }
}

test('every report is the same as without the thread, and in the access log once', async ({
  register,
  reads,
  reports,
}) => {
  await write(register, 'addRisk', { name: 'Fire', description: 'x', inherent_likelihood: 5, inherent_impact: 5 });
  const { framework } = await write(register, 'addFramework', {
    name: 'House rules',
    controls: [{ section_title: '1', name: 'Only one' }],
  });
  const framework_id = framework!.id;
  const { audit } = await write(register, 'addAudit', { framework_id, name: 'Spring', state: 'IN_PROGRESS' });
  const audit_id = audit!.id;

  await write(register, 'updateAudit', { id: audit_id, state: 'COMPLETED', reason: 'Found out' });
  for (const [type, own] of Object.entries(REPORT_INPUTS)) {
    const input = { type, ...own, ...(type === 'AUDIT_PACK' ? { audit_id } : {}) };
    const context = { caller: callerAs() };
    const expected = await register.tools.call('getReport', { organization_id: ORGANIZATION, ...input }, context);
    assert.is(expected.status, 200, expected.json);
    const actual = await reads.run(prepared('getReport', input), {});
    assert.equal(withoutTimes(actual), withoutTimes(expected));
  }
  assert.equal(
    reports.map(({ report }) => report.type),
    Object.keys(REPORT_INPUTS),
  );
  assert.ok(reports.every(({ caller }) => caller.account_id === callerAs().account_id));
});

test('lists, counts and verification are the same, and see a write that was just answered', async ({
  register,
  reads,
}) => {
  const calls: [string, object][] = [
    ['listVendors', { filter: { query: 'vendor 59' } }],
    ['listVendors', { view: 'COUNT', filter: { criticality: ['HIGH'] } }],
    ['listChanges', { verify: true, size: 2 }],
    ['listChanges', { as_of: '100', filter: { record_types: ['VENDOR'] } }],
  ];
  for (const [name, args] of calls) {
    const expected = await register.tools.call(
      name,
      { organization_id: ORGANIZATION, ...args },
      { caller: callerAs() },
    );
    assert.equal((await reads.run(prepared(name, args), {})).json, expected.json, name);
  }
  for (let count = VENDORS + 1; count < VENDORS + 10; count += 1) {
    await write(register, 'addVendor', { name: `Late ${count}` });
    const { json } = await reads.run(prepared('listVendors', { view: 'COUNT' }), {});
    assert.equal(JSON.parse(json), { total: count });
  }
});

async function bytesOf(chunks: AsyncIterable<string | Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks!) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString('latin1');
}

test('files are the same, byte for byte, and a client that has one gets none', async ({ register, reads, reports }) => {
  const { signal } = new AbortController();
  const here = new ReportFileGenerator(register.reader, () => undefined, 'test');
  for (const { name: format } of REPORT_FILE_FORMATS) {
    const input = { organization_id: ORGANIZATION, type: 'VENDORS' } as const;
    const call = { caller: callerAs(), input, format, ifNoneMatch: '', registerUrl: '' };
    const [actual, expected] = [await reads.reportFiles.generate(call, signal), await here.generate(call, signal)];
    assert.equal([actual.etag, actual.file!.name], [expected.etag, expected.file!.name]);
    const content = await bytesOf(actual.file!.chunks);
    assert.is(content.length, actual.file!.size);
    if (format !== 'xlsx') assert.is(timeless(content), timeless(await bytesOf(expected.file!.chunks)), format);
    const again = { ...call, ifNoneMatch: actual.etag };
    assert.equal(await reads.reportFiles.generate(again, signal), { etag: actual.etag, file: null });
  }
  assert.is(reports.length, REPORT_FILE_FORMATS.length);
  const files = new RecordFileReader(register.recordFiles);
  for (const { name: format } of RECORD_FILE_FORMATS) {
    const request = { organization_id: ORGANIZATION, file: 'vendors', filter: {} };
    const call = { caller: callerAs(), request, format, hasContent: true };
    const [actual, expected] = [await reads.openRecordFile(call, signal), await files.open(call)];
    assert.equal({ ...actual, chunks: null }, { ...expected, chunks: null });
    assert.is(await bytesOf(actual.chunks), await bytesOf(expected.chunks), format);
  }
});

test('a refused file is refused as it is without the thread', async ({ reads }) => {
  const caller = callerAs('OWNER', { roles: new Map() });
  const request = { organization_id: ORGANIZATION, file: 'vendors', filter: {} };
  const refused = await rejection(
    reads.openRecordFile({ caller, request, format: 'csv', hasContent: true }, new AbortController().signal),
  );
  assert.is((refused as Refusal).code, 'not_found');
  const input = { organization_id: ORGANIZATION, type: 'AUDIT_PACK' } as const;
  const call = { caller: callerAs(), input, format: 'json', ifNoneMatch: '', registerUrl: '' };
  const generated = await rejection(reads.reportFiles.generate(call, new AbortController().signal));
  assert.equal([(generated as Refusal).code, (generated as Refusal).more.field], ['invalid_input', 'audit_id']);
});

test('a file that nobody reads further is closed', async ({ reads }) => {
  const request = { organization_id: ORGANIZATION, file: 'vendors', filter: {} };
  const call = { caller: callerAs(), request, format: 'jsonl', hasContent: true };
  const file = await reads.openRecordFile(call, new AbortController().signal);
  assert.not((await file.chunks!.next()).done);
  await file.chunks!.return!();
  assert.ok((await file.chunks!.next()).done);
  const gone = new Error('gone');
  assert.is(await rejection(reads.openRecordFile(call, AbortSignal.abort(gone))), gone);
});

test('statements of pages find the same', async ({ register, reads }) => {
  const { models } = register.reader.snapshot();
  const owner = callerAs();
  const query = { collection: 'vendors', organizationId: ORGANIZATION, where: [] };
  const page = { ...query, order: { key: 'name', direction: 'DESC' } as const, limit: 20 };
  assert.equal(await reads.runStatement(owner, { method: 'find', query: page }), await models.find(page));
  const groups = { method: 'count', query, by: ['status'] } as const;
  assert.equal(await reads.runStatement(owner, groups), await models.count(query, ['status']));
  const distinct = { method: 'countDistinct', query, key: 'status' } as const;
  assert.equal(await reads.runStatement(owner, distinct), await models.countDistinct(query, 'status'));
});

test('a person’s pages and tokens share the turns of one account', async ({ reads }) => {
  const query = { collection: 'vendors', organizationId: ORGANIZATION, where: [] };
  const count = { method: 'count', query, by: [] } as const;
  const person = { account_id: 'acc_person', token_id: 'tok_1' };
  const scan = { ...prepared('listVendors', { view: 'COUNT' }, callerAs('OWNER', person)), load: 'SCAN' } as const;
  const reading = [reads.run(scan, {}), reads.runStatement({ ...person, token_id: null }, count)];
  assert.is(reads.waitingCount, 1, 'the page waits for the token’s scan');
  reading.push(reads.runStatement({ account_id: 'acc_other', token_id: null }, count));
  assert.is(reads.waitingCount, 1, 'another person’s page does not');
  await Promise.all(reading);
});

test('the thread checks role and organization itself', async ({ reads, reports }) => {
  const viewer = callerAs('VIEWER');
  const stranger = callerAs('OWNER', { roles: new Map() });
  const refused = [
    prepared('getReport', { type: 'AUDIT_PACK' }, viewer),
    prepared('listChanges', { filter: { record_types: ['ACCESS'] } }, viewer),
    prepared('getReport', { type: 'POSTURE' }, stranger),
    prepared('listVendors', {}, stranger),
  ];
  for (const call of refused) {
    const { outcome, status } = await reads.run(call, {});
    assert.equal([outcome, status], call.caller === viewer ? ['forbidden', 403] : ['not_found', 404], call.tool);
  }
  assert.equal(reports, []);
});

test('progress arrives, and an abort ends the read', async ({ reads }) => {
  const counts: number[] = [];
  await reads.run(prepared('getReport', { type: 'VENDORS' }), { progress: (records) => counts.push(records) });
  assert.ok(counts.length >= 2 && counts[0] === 500, String(counts));
  const gone = new Error('gone');
  const controller = new AbortController();
  const aborted = rejection(reads.run(prepared('getReport', { type: 'VENDORS' }), { signal: controller.signal }));
  controller.abort(gone);
  assert.is(await aborted, gone);
  assert.is((await reads.run(prepared('getReport', { type: 'VENDORS' }), {})).status, 200, 'the thread goes on');
});

test('a replaced generation takes no progress from its successor', async ({ register }) => {
  const { models, progress } = register.reader.snapshot();
  const checkpoint = progress.checkpoint(ORGANIZATION)!;
  const stands = { ...STANDS, checkpoint: () => checkpoint };
  const one = { models, progress: stands };
  const ahead = { ...checkpoint, n: checkpoint.n + 1, position: checkpoint.position + 1 };
  const two = {
    models: { generation: 'two' },
    progress: { ...stands, caughtUpAt: Date.now() + 60_000, checkpoint: () => ahead },
  };
  // Switched while the first read waits. The second read stands for one that began before.
  const served = [one, two, one, one];
  const reads = startReads(register, [], { served: () => served.shift()! });
  try {
    for (const attempt of ['during the switch', 'after it']) {
      const { outcome } = await reads.run(prepared('getReport', { type: 'POSTURE' }), {});
      assert.is(outcome, 'unavailable', attempt);
    }
  } finally {
    await reads.stop();
  }
  assert.equal(served, []);
});

test('a read takes the others’ checkpoints along, because its progress is theirs too', async ({ register }) => {
  const { models, progress } = register.reader.snapshot();
  const requested: string[] = [];
  let isWaiting = false;
  let endWait = (): void => undefined;
  const waiting = new Promise<boolean>((resolve) => {
    endWait = () => resolve(false);
  });
  const served = () => ({
    models,
    progress: {
      role: 'FOLLOWER' as const,
      caughtUpAt: 0,
      checkpoint: (id: string) => {
        requested.push(id);
        return progress.checkpoint(id);
      },
      waitUntilCaughtUp: () => {
        isWaiting = true;
        return waiting;
      },
    },
  });
  const reads = startReads(register, [], { served });
  try {
    const first = reads.run(prepared('getReport', { type: 'POSTURE' }), {});
    await until(() => isWaiting);
    requested.length = 0;
    const stranger = callerAs('OWNER', { account_id: 'acc_2', roles: new Map() });
    const other = prepared('getReport', { type: 'POSTURE' }, stranger);
    assert.is((await reads.run({ ...other, organizations: ['org_2'] }, {})).outcome, 'not_found');
    assert.equal(requested, [ORGANIZATION, 'org_2']);
    endWait();
    assert.is((await first).outcome, 'unavailable');
    assert.equal(requested, [ORGANIZATION, 'org_2', ORGANIZATION]);
  } finally {
    await reads.stop();
  }
});

test('another account’s scan waits for at most one of many, with however many tokens', async ({ reads }) => {
  const ended: string[] = [];
  const count = { ...prepared('listVendors', { view: 'COUNT' }), load: 'SCAN' as const };
  const read = async (call: PreparedCall, who: Partial<Caller>, name: string) => {
    const { status } = await reads.run({ ...call, caller: callerAs('OWNER', who) }, {});
    assert.is(status, 200);
    ended.push(name);
  };
  const greedy = Array.from({ length: 100 }, (_, index) =>
    read(index % 2 ? count : prepared('getReport', { type: 'VENDORS' }), { token_id: `tok_${index}` }, 'greedy'),
  );
  const others = [
    read(count, { account_id: 'acc_2' }, 'count'),
    read(prepared('getReport', { type: 'POSTURE' }), { account_id: 'acc_3' }, 'report'),
  ];
  await Promise.all(others);
  assert.ok(ended.indexOf('count') <= 2, `${ended.indexOf('count')} reads ended before the count`);
  // A report needs as much of the thread as some counts.
  assert.ok(ended.indexOf('report') <= 20, `${ended.indexOf('report')} reads ended before the report`);
  await Promise.all(greedy);
});

test('calls on few events run here, in the same turns, and by the rights of their turn', async ({ register }) => {
  const { models, progress } = register.reader.snapshot();
  const here: string[] = [];
  let end = (): void => undefined;
  const runHere = (name: string) => async (call: PreparedCall) => {
    here.push(`${name} as ${call.caller.roles.get(ORGANIZATION)}`);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return { json: '{}', outcome: 'ok' as const, status: 200 };
  };
  const checkpoint = progress.checkpoint(ORGANIZATION)!;
  let { bytes } = checkpoint;
  // A heap in which the thread could answer nothing.
  const reads = startReads(register, [], {
    maxHeapMb: 4,
    minEventsOfThread: checkpoint.position + 1,
    served: () => ({ models, progress: { ...STANDS, checkpoint: () => ({ ...checkpoint, bytes }) } }),
  });
  const caller: Caller = { ...callerAs('AUDITOR'), checkedAt: 0, renew: async () => callerAs('VIEWER') };
  const count = prepared('listVendors', { view: 'COUNT' });
  const calls = ['first', 'second'].map((name) => reads.run({ ...count, caller }, {}, runHere(name)));
  await until(() => here.length > 0);
  assert.equal(here, ['first as VIEWER']);
  assert.is(reads.waitingCount, 1);
  end();
  await until(() => here.length > 1);
  end();
  for (const { status } of await Promise.all(calls)) assert.is(status, 200);
  const far = { ...count, organizations: [ORGANIZATION, ORGANIZATION] };
  assert.is(((await rejection(reads.run(far, {}, runHere('too many events')))) as Refusal).code, 'unavailable');
  bytes = checkpoint.position * 1_024 + 1;
  assert.is(((await rejection(reads.run(count, {}, runHere('too many bytes')))) as Refusal).code, 'unavailable');
  assert.equal(here.slice(1), ['second as VIEWER']);
  await reads.stop();
});

test('bulk calls of an account run here one by one, each in its turn of the loop, and wait for no other account', async ({
  reads,
}) => {
  const ended: string[] = [];
  const runHere = (name: string) => async (call: PreparedCall) => {
    ended.push(`${name} as ${call.caller.roles.get(ORGANIZATION)}`);
    // A bulk call of an embedded store may answer without a pause.
    const end = performance.now() + 3;
    while (performance.now() < end);
    return { json: '{}', outcome: 'ok' as const, status: 200 };
  };
  const bulk = { ...prepared('listVendors', {}), load: 'BULK' as const };
  const renewed = { checkedAt: 0, renew: async () => callerAs('VIEWER') };
  const many = Array.from({ length: 20 }, () =>
    reads.run({ ...bulk, caller: callerAs('EDITOR', renewed) }, {}, runHere('a')),
  );
  const other = reads.run({ ...bulk, caller: callerAs('ADMIN', { account_id: 'acc_2' }) }, {}, runHere('b'));
  await other;
  assert.ok(ended.indexOf('b as ADMIN') <= 2, ended.join());
  assert.ok(ended.length < 20, 'not all in one turn of the loop');
  await Promise.all(many);
  assert.is(ended.filter((name) => name === 'a as VIEWER').length, 20, 'by the rights of their turn');
  const load = ALL_TOOLS.find(({ name }) => name === 'importRecords')!.load!({}, 0);
  assert.is(load, 'BULK');
});

test('counts with a filter are scans in a log of many events, or of many bytes', async ({ register }) => {
  const { handler, names, reader } = register;
  const { progress } = reader.snapshot();
  const checkpoint = progress.checkpoint(ORGANIZATION)!;
  const loads: string[] = [];
  const sized = (size: Partial<Checkpoint>) => {
    const snapshot = Object.create(reader.snapshot(), {
      progress: { value: { ...STANDS, checkpoint: () => ({ ...checkpoint, ...size }) } },
    });
    return Object.create(reader, { snapshot: { value: () => snapshot } }) as typeof reader;
  };
  const result = { json: '{}', outcome: 'ok', status: 200 } as const;
  for (const size of [{}, { position: 2_000 }, { bytes: 2_000 * 1_024 }]) {
    const service = { handler, names, reader: sized(size) } as unknown as ToolService;
    const tools = createToolBox(ALL_TOOLS, service, () => undefined, {
      run: async ({ load }) => {
        loads.push(`${load} of ${JSON.stringify(size)}`);
        return result;
      },
    });
    await tools.call('listVendors', { organization_id: ORGANIZATION, view: 'COUNT' }, { caller: callerAs() });
  }
  assert.equal(loads, ['SCAN of {"position":2000}', 'SCAN of {"bytes":2048000}']);
});

test('of an account’s reads 100 wait; further ones get 429 with Retry-After, and others are served', async ({
  register,
}) => {
  const reads = startReads(register, []);
  const { handler, names, reader } = register;
  const service: ToolService = {
    ...{ handler, names, reader, writeWaitMs: 0, reportGenerated: () => undefined },
    importedNames: { idOf: () => Promise.reject(new Error('not used')) },
    waitUntilProjected: async () => true,
  };
  const tools = createToolBox(ALL_TOOLS, service, () => undefined, reads);
  const context = (account_id: string) => ({ caller: callerAs('AUDITOR', { account_id }) });
  const call = (account: string) =>
    tools.call('listVendors', { organization_id: ORGANIZATION, view: 'FULL', size: 30 }, context(account));
  const answers = await Promise.all(Array.from({ length: 110 }, (_, index) => call(index < 109 ? 'acc_1' : 'acc_2')));
  const other = answers.pop()!;
  assert.is(other.status, 200);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.is(refused.length, 8, 'one ran and 100 waited');
  for (const { status, retryAfter } of refused) assert.equal([status, retryAfter], [429, 5]);
  await reads.stop();
});

test('a thread that runs out of memory costs its reads, not the process', async ({ register }) => {
  const reads = startReads(register, [], { maxHeapMb: 4 });
  const refusal = await rejection(reads.run(prepared('getReport', { type: 'POSTURE' }), {}));
  assert.instance(refusal, Refusal);
  assert.equal([(refusal as Refusal).code, (refusal as Refusal).retryable], ['unavailable', true]);
  await reads.stop();
});

test('a read without a thread is refused', async ({ register }) => {
  const reads = startReads(register, []);
  await reads.stop();
  const refusal = await rejection(reads.run(prepared('getReport', { type: 'POSTURE' }), {}));
  assert.is((refusal as Refusal).code, 'unavailable');
});

test.run();
