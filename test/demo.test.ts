import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../src/commands/families.ts';
import type { RiskState } from '../src/commands/risk.ts';
import type { VendorState } from '../src/commands/vendor.ts';
import { fillDemo } from '../src/demo/fill.ts';
import { firstStart } from '../src/identity/installation.ts';
import { buildGeneration } from '../src/projections/build.ts';
import { COLLECTIONS } from '../src/projections/models.ts';
import type { StoredEvent } from '../src/stores/event-store.ts';
import { verifyChain } from '../src/trail/chain.ts';
import { closeAll, open, type TestIdentity } from './support/identity.ts';

const DAY_MS = 86_400_000;
const demo = suite('demo');

let filled: TestIdentity;
let log: StoredEvent[];

async function readLog({ events }: TestIdentity): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of events.readAll(null)) all.push(...batch);
  return all;
}

demo.before(async () => {
  filled = await open();
  assert.is(await fillDemo(filled), true);
  log = await readLog(filled);
});

demo.after(closeAll);

demo('every event is simulated, lies in the past and follows the one before it', () => {
  assert.ok(log.length > 150);
  const times = log.map(({ metadata }) => metadata.recorded_at);
  assert.equal(times, [...times].sort());
  assert.ok(log.every(({ metadata }) => metadata.simulated === true));
  assert.ok(Date.parse(times[0]!) < Date.now() - 729 * DAY_MS);
  assert.ok(Date.parse(times.at(-1)!) < Date.now());
  assert.ok(Date.parse(times.at(-1)!) > Date.now() - 3 * DAY_MS);
});

demo('every chain verifies', () => {
  const streams = new Map<string, StoredEvent[]>();
  for (const event of log) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  assert.ok(streams.size > 40);
  for (const events of streams.values()) assert.is(verifyChain(events), null);
});

demo('the read models digest all of it, and show every state that the tools filter by', async () => {
  const { events, reads } = filled;
  const { generation } = await buildGeneration({ events, reads, installation: 'demo' });
  const models = await reads.open(generation, COLLECTIONS);
  const [checkpoint] = await models.checkpoints();
  assert.equal([checkpoint!.ordinal, checkpoint!.parked], [log.length, 0]);
  const all = async <T>(collection: string): Promise<T[]> => {
    const order = { key: null, direction: 'ASC' } as const;
    const found = await models.find({ collection, organizationId: checkpoint!.group, where: [], order, limit: 500 });
    return found.map(({ doc }) => doc as T);
  };
  const vendors = await all<VendorState>('vendors');
  const risks = await all<RiskState>('risks');
  const today = new Date().toISOString().slice(0, 10);
  assert.ok(vendors.length >= 24);
  assert.ok(risks.length >= 20);
  assert.equal([...new Set(vendors.map(({ status }) => status))].sort(), [
    'APPROVED',
    'CONDITIONAL',
    'OFFBOARDED',
    'PENDING_REVIEW',
    'SUSPENDED',
  ]);
  assert.equal([...new Set(risks.map(({ status }) => status))].sort(), ['ACCEPTED', 'CLOSED', 'IN_TREATMENT', 'OPEN']);
  assert.ok(
    risks.some(({ acceptance }) => acceptance !== null && acceptance.until < today),
    'a lapsed acceptance',
  );
  assert.ok(
    risks.some(({ next_review_due }) => next_review_due !== null && next_review_due < today),
    'overdue',
  );
  assert.ok(vendors.some(({ next_review_due, archived_at }) => next_review_due! < today && archived_at === null));
  for (const records of [vendors, risks]) assert.ok(records.some(({ archived_at }) => archived_at !== null));
  await models.close();
});

demo('the first start that follows adds nothing but a token of today; filling again adds nothing', async () => {
  const now = () => new Date();
  const { organizationId, token } = await firstStart({ ...filled, now });
  assert.ok(token !== null);
  assert.is(await fillDemo(filled), false);
  const after = await readLog(filled);
  assert.equal(
    after.slice(log.length).map(({ type }) => type),
    ['TokenCreated'],
  );
  const { state } = await filled.handler.load(organizationAggregate(organizationId), true);
  assert.is(state!.name, 'Fjordlys Diagnostics');
  assert.equal(Object.values(state!.members).sort(), ['ADMIN', 'AUDITOR', 'EDITOR', 'OWNER']);
  for (const account of Object.keys(state!.members)) assert.ok(await filled.accounts.get('accounts', account));
  assert.not.match(JSON.stringify(after), /Solheim|Vargas|Raman|Zielinski/);
});

demo.run();
