import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CONTROL_STATUSES, IMPLEMENTATIONS } from '../src/commands/control.ts';
import { FAMILIES, organizationAggregate } from '../src/commands/families.ts';
import { MEASURE_STATES } from '../src/commands/measure.ts';
import { NONCONFORMITY_STATUSES } from '../src/commands/nonconformity.ts';
import { COMPLIANCE, type ObligationState, overdueAfter } from '../src/commands/obligation.ts';
import type { RiskState } from '../src/commands/risk.ts';
import { fillDemo } from '../src/demo/fill.ts';
import { idsByName } from '../src/demo/record-ids.ts';
import { firstOwnerId, firstStart } from '../src/identity/installation.ts';
import { buildGeneration } from '../src/projections/build-generation.ts';
import { COLLECTIONS } from '../src/projections/models.ts';
import type { StoredEvent } from '../src/stores/event-store.ts';
import { verifyChain } from '../src/trail/chain.ts';
import { closeAll, open, type TestIdentity } from './support/identity.ts';

const DAY_MS = 86_400_000;
const demo = suite('demo');

let filled: TestIdentity;
let log: StoredEvent[];
let register: Record<string, Document[]>;

async function readLog({ events }: TestIdentity): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of events.readAll(null)) all.push(...batch);
  return all;
}

demo.before(async () => {
  filled = await open();
  assert.is(await fillDemo(filled), true);
  log = await readLog(filled);
  register = await readModels();
});

demo.after(closeAll);

demo('every event is simulated, in the past, and later than the one before it', () => {
  assert.ok(log.length > 400);
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
  assert.ok(streams.size > 250);
  for (const events of streams.values()) assert.is(verifyChain(events), null);
});

interface Document {
  id: string;
  archived_at: string | null;
  owner_id: string | null;
  [field: string]: unknown;
}

/** Returns all documents by collection, read from read models that are built from the log. */
async function readModels(): Promise<Record<string, Document[]>> {
  const { events, reads } = filled;
  const { generation } = await buildGeneration({ events, reads, installation: 'demo' });
  const models = await reads.open(generation, COLLECTIONS);
  const [checkpoint] = await models.checkpoints();
  assert.equal([checkpoint!.position, checkpoint!.parked], [log.length, 0]);
  const order = { key: null, direction: 'ASC' } as const;
  const all: Record<string, Document[]> = {};
  for (const { plural } of Object.values(FAMILIES)) {
    const query = { collection: plural, organizationId: checkpoint!.organizationId, where: [], order, limit: 500 };
    all[plural] = (await models.find(query)).map(({ doc }) => doc as unknown as Document);
  }
  await models.close();
  return all;
}

const TODAY = new Date().toISOString().slice(0, 10);

/** Returns true if a date of a record has passed. */
const past = (date: unknown) => typeof date === 'string' && date < TODAY;

/** Returns the values of a field in these records, each once. */
const valuesOf = (records: readonly Document[], field: string) =>
  [...new Set(records.map((each) => each[field]))].sort();

demo('the read models apply all events, and have the expected number of records of every family', () => {
  const counts = Object.entries(register).map(([plural, records]) => [plural, records.length]);
  assert.equal(Object.fromEntries(counts), {
    audits: 3,
    controls: 134,
    evidence: 12,
    frameworks: 1,
    measures: 30,
    nonconformities: 10,
    obligations: 12,
    risks: 21,
    vendors: 24,
  });
  for (const family of ['vendors', 'risks', 'measures', 'obligations', 'nonconformities', 'evidence']) {
    const archived = register[family]!.filter(({ archived_at }) => archived_at !== null);
    assert.is(archived.length, 1, family);
  }
});

demo('there are records in every state that the tools filter by', () => {
  const { vendors, risks, measures, obligations, nonconformities, audits, controls } = register;
  assert.equal(valuesOf(vendors!, 'status'), ['APPROVED', 'CONDITIONAL', 'OFFBOARDED', 'PENDING_REVIEW', 'SUSPENDED']);
  assert.equal(valuesOf(risks!, 'status'), ['ACCEPTED', 'CLOSED', 'IN_TREATMENT', 'OPEN']);
  assert.equal(valuesOf(measures!, 'state'), [...MEASURE_STATES].sort());
  assert.equal(valuesOf(obligations!, 'status'), [...COMPLIANCE].sort());
  assert.equal(valuesOf(nonconformities!, 'status'), [...NONCONFORMITY_STATUSES].sort());
  assert.equal(valuesOf(nonconformities!, 'severity'), ['MAJOR', 'MINOR', 'OBSERVATION', null]);
  assert.equal(valuesOf(audits!, 'state'), ['COMPLETED', 'IN_PROGRESS', 'NOT_STARTED']);
  assert.equal(valuesOf(controls!, 'status'), [...CONTROL_STATUSES].sort());
  assert.equal(valuesOf(controls!, 'implementation'), [...IMPLEMENTATIONS].sort());
});

demo('something of every family is overdue, lapsed or expired today', () => {
  const { vendors, risks, measures, obligations, nonconformities, evidence } = register;
  const isOpen = ({ archived_at }: Document) => archived_at === null;
  assert.ok(risks!.some(({ acceptance }) => past((acceptance as RiskState['acceptance'])?.until)));
  for (const records of [risks!, vendors!]) assert.ok(records.some((r) => isOpen(r) && past(r.next_review_due)));
  assert.ok(measures!.some((m) => isOpen(m) && m.state === 'IN_PROGRESS' && past(m.due_date)));
  assert.ok(nonconformities!.some((n) => isOpen(n) && n.status !== 'CLOSED' && past(n.due_date)));
  assert.ok(obligations!.some((o) => isOpen(o) && past(overdueAfter(o as unknown as ObligationState))));
  assert.ok(evidence!.some((e) => isOpen(e) && past(e.valid_until)));
});

demo('the framework is partly covered, and last year’s audit led to a certificate', () => {
  const { frameworks, controls, audits } = register;
  const { coverage, control_count, included_count } = frameworks![0]!;
  assert.ok((coverage as number) > 0.5 && (coverage as number) < 0.9);
  assert.ok((included_count as number) < (control_count as number));
  for (const { status, exclusion_justification } of controls!) {
    if (status === 'EXCLUDED') assert.ok(exclusion_justification);
  }
  const completed = audits!.find(({ state }) => state === 'COMPLETED')!;
  assert.ok(past(completed.valid_from) && !past(completed.valid_until));
  assert.ok(completed.completed_position);
});

demo('measures have controls, risks and evidence', () => {
  const { measures, controls } = register;
  for (const count of ['control_count', 'risk_count', 'evidence_count']) {
    assert.ok(measures!.filter((measure) => (measure[count] as number) > 0).length > 5, count);
  }
  assert.ok(controls!.filter(({ measure_count }) => (measure_count as number) > 1).length > 3);
});

demo('a story that fails is refused by name', () => {
  const story = { family: 'VENDOR', name: 'Acme', steps: [] } as const;
  assert.throws(() => idsByName([story, story], 'demo'), /Two stories of the demo have the name Acme/);
  assert.throws(() => idsByName([story], 'demo').of('Bcme'), /No story of the demo has the name Bcme/);
});

demo('the next first start adds only a token; filling again adds nothing', async () => {
  const now = () => new Date();
  const { installation, organizationId, token } = await firstStart({ ...filled, now });
  assert.ok(token !== null);
  assert.is(await fillDemo(filled), false);
  const after = await readLog(filled);
  assert.equal(
    after.slice(log.length).map(({ type }) => type),
    ['TokenCreated'],
  );
  const { state } = await filled.handler.load(organizationAggregate(organizationId), true);
  assert.is(state!.name, 'Fjordlys Diagnostics');
  // A person who sets up their account by the link of this start has done nothing in the story, and owns nothing.
  const newcomer = firstOwnerId(installation);
  const told = log.filter(
    ({ metadata, stream }) => !stream.startsWith('organization-') && metadata.actor_id !== 'SYSTEM',
  );
  assert.ok(told.length > 400 && told.every(({ metadata }) => metadata.actor_id !== newcomer));
  const names = await filled.accounts.all('names');
  assert.equal(names.map(({ name }) => name).sort(), [
    ...['Ingrid Solheim', 'Mateo Vargas', 'Owner', 'Priya Raman', 'Tomasz Zielinski'],
  ]);
  assert.equal(Object.values(state!.members).sort(), ['ADMIN', 'AUDITOR', 'EDITOR', 'OWNER', 'OWNER']);
  for (const account of Object.keys(state!.members)) assert.ok(await filled.accounts.get('accounts', account));
  assert.not.match(JSON.stringify(after), /Solheim|Vargas|Raman|Zielinski/);
});

demo.run();
