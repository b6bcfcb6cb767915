import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../src/commands/caller.ts';
import { createRegister, type Register } from '../src/register.ts';
import type { TrailEvent } from '../src/trail/event.ts';
import { folderOfTest } from './support/installed.ts';
import { closeStores, openStores, QUIET, type Stores } from './support/register.ts';
import { type Ask, digestOfAnswer, type WholeReport, wholeReport } from './support/reports.ts';

/**
 * What reports said once of events that were recorded once. A report of a position is the same for ever: where one of
 * these fails, reports that customers have drawn would no longer be what is drawn again. A figure that is to count
 * something else gets another name, and a report that is to say something else another type.
 */
const GOLDEN = new URL('fixtures/reports.json', import.meta.url);
const EVENTS = ['events-v1.jsonl', 'events-families.jsonl'];

interface Golden {
  asked: Record<string, string>;
  today: string;
  digest: string;
  figures: [name: string, value: number | null, counts: string][];
}

const test = suite<{ stores: Stores; register: Register; ask: Ask }>('reports of events recorded once');

/** In the order in which they were recorded, those of a stream in theirs. */
function recorded(): TrailEvent[] {
  const events = EVENTS.flatMap((file) => {
    const lines = readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as TrailEvent);
  });
  const time = ({ metadata }: TrailEvent) => metadata.recorded_at;
  return events.sort((a, b) => (time(a) === time(b) ? a.revision - b.revision : time(a) < time(b) ? -1 : 1));
}

test.before(async (context) => {
  const stores = openStores(folderOfTest());
  const events = recorded();
  for (const event of events) await stores.events.append(event.stream, [event], event.revision - 1);
  const { organization_id, actor_id } = events[0]!.metadata;
  const { installation } = events[0]!.data as { installation: string };
  const parts = { exclusive: true, cursorKey: Buffer.alloc(32), riskAcceptanceMaxDays: 366, writeWaitMs: 5_000 };
  const register = createRegister({ ...stores, ...parts, log: QUIET });
  await register.projections.start(installation);
  assert.ok(await register.projections.runner.caughtUp(Date.now(), 10_000));
  const roles = new Map([[organization_id, 'OWNER' as const]]);
  const caller: Caller = {
    ...{ account_id: actor_id, token_id: null, client: null },
    ...{ roles, members: roles, read_only: false },
  };
  const ask: Ask = async (input) => {
    const { json, status } = await register.tools.call('getReport', { organization_id, ...input }, { caller });
    assert.is(status, 200, json);
    return JSON.parse(json);
  };
  Object.assign(context, { stores, register, ask });
});

test.after(async ({ register, stores }) => {
  await register.projections.stop();
  await closeStores(stores);
});

const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Golden[];

const factsOf = ({ today, digest, data }: WholeReport): Omit<Golden, 'asked'> => ({
  today,
  digest,
  figures: data.figures.map(({ name, value, counts }) => [name, value, counts]),
});

for (const { asked, ...facts } of golden) {
  test(`${Object.values(asked).join(' ')} says what it said`, async ({ ask }) => {
    const report = await wholeReport(ask, asked);
    assert.equal(factsOf(report), facts);
    assert.is(digestOfAnswer(report), facts.digest);
  });
}

test('each type is among them', () => {
  assert.is(new Set(golden.map(({ asked }) => asked.type)).size, 9);
});

test.run();
