/** Reads that wait for a thread while their caller's rights are taken away. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ReadsInThread } from '../../../src/app/threads/reads-in-thread.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { openSpool } from '../../../src/http/files/spooled-files.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { type CallRunner, createToolBox } from '../../../src/tools/toolbox.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';
import { until } from '../../support/run/wait.ts';

const test = registerSuite('rights of reads in a thread');

/** Starts a thread for reads of any size, that no read has used: it needs some 100 ms before it answers the first one. */
function startReads(register: TestRegister): ReadsInThread {
  const ignore = () => undefined;
  return new ReadsInThread({
    settings: {
      stores: { dataDir: register.folder, eventStoreUrl: null, mongodbUrl: null },
      cursorKey: Buffer.from('a key for tests'),
      version: 'test',
      time: new ServiceClock().shared.memory,
    },
    served: () => register.reader.snapshot(),
    reportGenerated: ignore,
    spool: openSpool(mkdtempSync(join(register.folder, 'spool-'))).files,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    minEventsOfThread: 0,
  });
}

/** The rights that a caller has after the act; null if its credential ended. */
const ACTS: Readonly<Record<string, Caller | null>> = {
  'the credential ends': null,
  'the member is removed': callerAs('AUDITOR', { roles: new Map() }),
  'the member becomes VIEWER': callerAs('VIEWER'),
};

const READS = {
  getReport: { organization_id: ORGANIZATION, type: 'RISK_REGISTER' },
  listChanges: { organization_id: ORGANIZATION, verify: true },
  listRisks: { organization_id: ORGANIZATION, view: 'COUNT' },
} as const;

/** Lets a toolbox run calls in a thread, however little they read. */
function toolsWith(register: TestRegister, reads: CallRunner) {
  const tools = ALL_TOOLS.map((tool) => Object.create(tool, { load: { value: () => 'LONG' } }) as typeof tool);
  const service = {
    handler: register.handler,
    names: register.names,
    reader: register.reader,
    importedNames: { idOf: () => Promise.reject(new Error('not used')) },
    waitUntilProjected: async () => true,
    writeWaitMs: 0,
    reportGenerated: () => undefined,
  };
  return createToolBox(
    tools,
    service,
    (error) => {
      throw error;
    },
    reads,
  );
}

for (const [act, after] of Object.entries(ACTS)) {
  test(`no queue and no thread answers by earlier rights: ${act}`, async ({ register }) => {
    const reads = startReads(register);
    const tools = toolsWith(register, reads);
    let rights: Caller | null = callerAs('AUDITOR');
    let renewals = 0;
    const caller: Caller = {
      ...rights,
      checkedAt: 0,
      renew: async () => {
        renewals += 1;
        return rights;
      },
    };
    // The others of the credential wait for their turn.
    const names = Object.keys(READS) as (keyof typeof READS)[];
    const calls = [...names, ...names].map((tool) => tools.call(tool, READS[tool], { caller }));
    await until(() => renewals > 0, 5_000, 'the first read began');
    rights = after;
    for (const { status, json } of await Promise.all(calls)) {
      const { error } = JSON.parse(json);
      assert.ok(status !== 200 && error instanceof Object, json);
      assert.ok(['conflict', 'forbidden', 'not_found'].includes(error.code), json);
    }
    await reads.stop();
  });
}

test('a read by the same rights is answered', async ({ register }) => {
  const reads = startReads(register);
  const caller: Caller = { ...callerAs('AUDITOR'), checkedAt: 0, renew: async () => callerAs('AUDITOR') };
  const { status, json } = await toolsWith(register, reads).call('getReport', READS.getReport, { caller });
  assert.is(status, 200, json);
  await reads.stop();
});

test('an outage of the stores ends no rights, and answers nothing', async ({ register }) => {
  const reads = startReads(register);
  const caller: Caller = {
    ...callerAs('AUDITOR'),
    checkedAt: 0,
    renew: () => Promise.reject(new Refusal('unavailable', 'The service cannot reach its data.')),
  };
  const { status } = await toolsWith(register, reads).call('getReport', READS.getReport, { caller });
  assert.is(status, 503);
  await reads.stop();
});

test.run();
