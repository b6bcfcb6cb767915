import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES, organizationAggregate } from '../../src/commands/families.ts';
import { overdueAfter } from '../../src/commands/obligation.ts';
import { DemoClock } from '../../src/demo/clock.ts';
import { readOrganization, type StoryStep } from '../../src/demo/demo-data.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { StoryPlayer } from '../../src/demo/play-stories.ts';
import { idsByName } from '../../src/demo/record-ids.ts';
import { type DifferencesOptions, findDifferences } from '../../src/identity/installation/differences.ts';
import { firstOwnerId, firstStart } from '../../src/identity/installation/installation.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { historyOf } from '../../src/projections/read-models/read-model.ts';
import { CONTROL_STATUSES, IMPLEMENTATIONS } from '../../src/register/control.ts';
import { MEASURE_STATES } from '../../src/register/measure.ts';
import { NONCONFORMITY_STATUSES } from '../../src/register/nonconformity.ts';
import { COMPLIANCE, type ObligationState } from '../../src/register/obligation.ts';
import type { RiskState } from '../../src/register/risk.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { verifyChain } from '../../src/trail/index.ts';
import { RecordedOrder } from '../../src/trail/recorded-order.ts';
import { readable } from '../support/histories/readable.ts';
import { closeAll, open, type TestIdentity } from '../support/identity/identity.ts';
import { schemaFaults } from '../support/trail/schema-faults.ts';

const DAY_MS = 86_400_000;
const demo = suite('demo');

let demoStores: TestIdentity;
let log: StoredEvent[];
let register: Record<string, Document[]>;

async function readLog({ events }: TestIdentity): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of events.readAll(null)) all.push(...batch);
  return all;
}

demo.before(async () => {
  demoStores = await open();
  assert.is(await fillDemo(demoStores, new Date()), true);
  log = await readLog(demoStores);
  register = await readModels();
});

demo.after(closeAll);

demo('every demo event is simulated, in the past, and not before the previous one', () => {
  assert.ok(log.length > 400);
  const times = log.map(({ metadata }) => metadata.recorded_at);
  assert.equal(times, [...times].sort());
  const order = new RecordedOrder('', new Date());
  assert.ok(
    log.every((event) => order.take(event) === null),
    'no notice',
  );
  assert.ok(log.every(({ metadata }) => metadata.simulated === true));
  assert.ok(Date.parse(times[0]!) < Date.now() - 729 * DAY_MS);
  assert.ok(Date.parse(times.at(-1)!) < Date.now());
  assert.ok(Date.parse(times.at(-1)!) > Date.now() - 3 * DAY_MS);
});

demo('every event of the demo fits the schema of its type', () => {
  assert.equal(readable(log).flatMap(schemaFaults), []);
});

demo('most changes are made by hand, some by an assistant, and the first records come from an import', () => {
  const changes = log.filter(({ metadata, type }) => metadata.actor_id !== 'SYSTEM' && type !== 'MemberAdded');
  const countBy = (name: string | undefined) => changes.filter(({ metadata }) => metadata.client?.name === name).length;
  const [byHand, assisted, imported] = [countBy(undefined), countBy('Claude'), countBy('veritrail import')];
  assert.is(byHand + assisted + imported, changes.length);
  assert.ok(byHand > changes.length / 2 && assisted > 100 && imported > 25, `${byHand} ${assisted} ${imported}`);
  assert.ok(log.every(({ type, metadata }) => metadata.client?.name !== 'veritrail import' || type.endsWith('Added')));
});

demo('all chains of the demo verify', () => {
  const streams = new Map<string, StoredEvent[]>();
  for (const event of log) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  assert.ok(streams.size > 250);
  for (const events of streams.values()) assert.is(verifyChain(readable(events)), null);
});

interface Document {
  id: string;
  archived_at: string | null;
  owner_id: string | null;
  [field: string]: unknown;
}

/** Returns all documents by collection, read from read models that are built from the log. */
async function readModels(): Promise<Record<string, Document[]>> {
  const { events, reads } = demoStores;
  const { generation } = await buildGeneration({ events, reads, installation: 'demo' });
  const models = await reads.open(generation, COLLECTIONS);
  const [checkpoint] = await models.checkpoints();
  assert.equal([checkpoint!.position, checkpoint!.parked], [log.length, 0]);
  const order = { key: null, direction: 'ASC' } as const;
  const all: Record<string, Document[]> = {};
  for (const plural of [...Object.values(FAMILIES).map((family) => family.plural), historyOf('risks')]) {
    const query = { collection: plural, organizationId: checkpoint!.organizationId, where: [], order, limit: 1000 };
    all[plural] = (await models.find(query)).map(({ doc }) => doc as unknown as Document);
  }
  await models.close();
  return all;
}

const TODAY = new Date().toISOString().slice(0, 10);

/** Returns true if a date of a record has passed. */
const isPast = (date: unknown) => typeof date === 'string' && date < TODAY;

/** Returns the values of a field in these records, each once. */
const valuesOf = (records: readonly Document[], field: string) =>
  [...new Set(records.map((record) => record[field]))].sort();

demo('the demo has the expected number of records of every family', () => {
  const { [historyOf('risks')]: _versions, ...today } = register;
  const counts = Object.entries(today).map(([plural, records]) => [plural, records.length]);
  assert.equal(Object.fromEntries(counts), {
    audits: 3,
    controls: 123,
    evidence: 17,
    frameworks: 1,
    measures: 50,
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

demo('the demo has records in every state', () => {
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

demo('the demo has overdue, lapsed and expired records today', () => {
  const { vendors, risks, measures, obligations, nonconformities, evidence } = register;
  const isOpen = ({ archived_at }: Document) => archived_at === null;
  assert.ok(risks!.some(({ acceptance }) => isPast((acceptance as RiskState['acceptance'])?.until)));
  for (const records of [risks!, vendors!]) assert.ok(records.some((r) => isOpen(r) && isPast(r.next_review_due)));
  assert.ok(measures!.some((m) => isOpen(m) && m.state === 'IN_PROGRESS' && isPast(m.due_date)));
  assert.ok(nonconformities!.some((n) => isOpen(n) && n.status !== 'CLOSED' && isPast(n.due_date)));
  assert.ok(obligations!.some((o) => isOpen(o) && isPast(overdueAfter(o as unknown as ObligationState))));
  assert.ok(evidence!.some((e) => isOpen(e) && isPast(e.valid_until)));
});

/** Returns the ids of the risks scored 15 or more at the end of the day so many days ago. */
function criticalRisks(daysAgo: number): Set<string> {
  const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const versions = new Map<string, Document>();
  for (const version of register[historyOf('risks')]!) {
    const previous = versions.get(version.id);
    const isUntilDay = String(version.updated_at).slice(0, 10) <= day;
    if (isUntilDay && Number(previous?.revision ?? 0) < Number(version.revision)) versions.set(version.id, version);
  }
  const isCritical = ({ score, status, archived_at }: Document) =>
    Number(score) >= 15 && status !== 'CLOSED' && archived_at === null;
  return new Set([...versions.values()].filter(isCritical).map(({ id }) => id));
}

demo('whatever day it is, risks of 15 or more entered and left in the last quarter that ended', () => {
  // A quarter has 90 to 92 days. It ended yesterday at the latest.
  for (const length of [90, 91, 92]) {
    for (let end = 1; end <= 92; end++) {
      const [before, after] = [criticalRisks(end + length), criticalRisks(end)];
      const [here, gone] = [[...after].filter((id) => !before.has(id)), [...before].filter((id) => !after.has(id))];
      assert.ok(here.length > 0 && gone.length > 0, `ended ${end} days ago, of ${length} days: ${here} ${gone}`);
    }
  }
});

demo('the demo’s framework is partly covered, and last year’s audit led to a certificate', () => {
  const { frameworks, controls, audits } = register;
  const { coverage, control_count, included_count } = frameworks![0]!;
  assert.ok((coverage as number) > 0.5 && (coverage as number) < 0.9);
  assert.ok((included_count as number) < (control_count as number));
  for (const { status, exclusion_justification } of controls!) {
    if (status === 'EXCLUDED') assert.ok(exclusion_justification);
  }
  const completed = audits!.find(({ state }) => state === 'COMPLETED')!;
  assert.ok(isPast(completed.valid_from) && !isPast(completed.valid_until));
  assert.ok(completed.completed_position);
});

demo('the demo’s measures have controls, risks and evidence', () => {
  const { measures, controls } = register;
  for (const count of ['control_count', 'risk_count', 'evidence_count']) {
    assert.ok(measures!.filter((measure) => (measure[count] as number) > 0).length > 5, count);
  }
  assert.ok(controls!.filter(({ measure_count }) => (measure_count as number) > 1).length > 3);
});

demo('duplicate and unknown story names are rejected', async () => {
  const clock = new DemoClock(new Date());
  const { people } = readOrganization(clock);
  const link = { on: clock.date('today-9'), by: people[0]!.name, type: 'Link', others: ['Bcme'] };
  const story = { family: 'VENDOR', names: ['Acme'], steps: [link] } as const;
  const installation = { installation: 'demo', organizationId: 'org_demo' };
  assert.throws(() => idsByName([story, story], installation), /Two stories of the demo have the name Acme/);
  const failure = async (step: StoryStep) => {
    const stories = [{ ...story, steps: [step] }];
    const error: Error = await new StoryPlayer(demoStores.handler, clock, installation, people, stories)
      .play()
      .catch((cause) => cause);
    return [error.message, (error.cause as Error).message];
  };
  const message = 'The demo’s story of Acme failed at its step 1, Link';
  assert.equal(await failure(link), [message, 'No story of the demo has the name Bcme']);
  assert.equal(await failure({ ...link, by: 'Nobody' }), [message, 'The demo has no person Nobody']);
});

demo('a date of the stories is relative to the day of the start, and other texts stay', () => {
  const clock = new DemoClock(new Date('2026-03-01T18:00:00Z'));
  const texts = ['today', 'today-1', 'today+31', 'today-60T12:00:00.000Z', 'todays', 'Since today-1', 'today-1x'];
  assert.equal(
    texts.map((text) => clock.date(text)),
    ['2026-03-01', '2026-02-28', '2026-04-01', '2025-12-31T12:00:00.000Z', ...texts.slice(4)],
  );
});

demo('after filling the demo, a first start adds only a token, and filling again adds nothing', async () => {
  const now = () => new Date();
  const { installation, organizationId, token } = await firstStart({ ...demoStores, now });
  assert.ok(token !== null);
  assert.is(await fillDemo(demoStores, new Date()), false);
  const after = await readLog(demoStores);
  assert.equal(
    after.slice(log.length).map(({ type }) => type),
    ['TokenCreated'],
  );
  const { state } = await demoStores.handler.load(organizationAggregate(organizationId), true);
  assert.is(state!.name, 'Fjordlys Diagnostics');
  // The first owner, who uses a set-up link, is not an actor of the stories.
  const newcomer = firstOwnerId(installation);
  const recordEvents = log.filter(
    ({ metadata, stream }) => !stream.startsWith('organization-') && metadata.actor_id !== 'SYSTEM',
  );
  assert.ok(recordEvents.length > 400 && recordEvents.every(({ metadata }) => metadata.actor_id !== newcomer));
  const names = await demoStores.accounts.all('names');
  assert.equal(names.map(({ name }) => name).sort(), [
    ...['Astrid Lund', 'Ingrid Solheim', 'Mateo Vargas', 'Priya Raman', 'Sigrid Moe', 'Tomasz Zielinski'],
  ]);
  assert.equal(Object.values(state!.members).sort(), ['ADMIN', 'AUDITOR', 'EDITOR', 'OWNER', 'OWNER', 'VIEWER']);
  for (const account of Object.keys(state!.members)) assert.ok(await demoStores.accounts.get('accounts', account));
  assert.not.match(JSON.stringify(after), /Lund|Solheim|Vargas|Raman|Moe|Zielinski/);
});

demo('accounts and log agree, so that health shows no difference', async () => {
  const options = { ...demoStores, people: { finishErasing: async () => undefined } };
  const { organizationId } = await firstStart({ ...demoStores, log: demoStores.events, now: () => new Date() });
  const differences = await findDifferences(options as unknown as DifferencesOptions, [organizationId]);
  assert.equal(
    differences.map(({ key }) => key),
    [],
  );
});

demo.run();
