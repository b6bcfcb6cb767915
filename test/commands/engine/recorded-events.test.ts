import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CrosswalkState, crosswalkAggregate } from '../../../src/commands/crosswalk.ts';
import type { Aggregate } from '../../../src/commands/engine/decider.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { controlId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate, recordAggregate } from '../../../src/commands/families.ts';
import { linkAggregate } from '../../../src/commands/link.ts';
import type { OrganizationState } from '../../../src/commands/organization/organization.ts';
import { type ProposalState, proposalAggregate } from '../../../src/commands/proposal.ts';
import type { CrosswalkPair } from '../../../src/register/crosswalk.ts';
import type { EventVersions } from '../../../src/register/event-schema.ts';
import { EVENTS_BY_STREAM } from '../../../src/register/events.ts';
import type { FrameworkState } from '../../../src/register/framework.ts';
import { NO_STREAM } from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { saltedHash, verifyChain } from '../../../src/trail/index.ts';
import { MemoryEventStore } from '../../support/stores/memory-event-store.ts';

/**
 * test/fixtures/events-*.jsonl holds recorded events of every type and schema version ever written. They stand for every
 * customer's log: the real handler adds lines, and no line is ever changed.
 */
const FIXTURES = new URL('../../fixtures/', import.meta.url);

const test = suite('recorded events');

const recorded: TrailEvent[] = readdirSync(FIXTURES)
  .filter((file) => /^events-.*\.jsonl$/.test(file))
  .flatMap((file) => readFileSync(new URL(file, FIXTURES), 'utf8').trimEnd().split('\n'))
  .map((line) => JSON.parse(line));

const streams = new Map<string, TrailEvent[]>();
for (const event of recorded) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);

/** Holds all recorded events. */
const store = new MemoryEventStore();
const handler = new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 366 });

/** Returns the aggregate that a stream's name identifies. */
function aggregateOf(stream: string): Aggregate {
  const [kind, ...ids] = stream.split('-') as [string, string, string];
  if (kind === 'organization') return organizationAggregate(ids[0]) as unknown as Aggregate;
  if (kind === 'crosswalk') return crosswalkAggregate(...ids) as unknown as Aggregate;
  if (kind === 'proposal') return proposalAggregate(ids[0]) as unknown as Aggregate;
  if (kind === 'link') return linkAggregate(...ids) as unknown as Aggregate;
  return recordAggregate(ids[0]);
}

/** Returns the two ids in the name of a stream. */
const idsOf = (stream: string) => stream.split('-').slice(1) as [string, string];

/** Returns the state of a recorded stream. */
async function loadStream(stream: string) {
  assert.ok(streams.has(stream), stream);
  return handler.load(aggregateOf(stream));
}

/** Returns all states by name, requirement or reference id. */
async function statesByName(): Promise<Map<unknown, Record<string, unknown>>> {
  const all = new Map<unknown, Record<string, unknown>>();
  for (const stream of streams.keys()) {
    const state = (await handler.load(aggregateOf(stream))).state as Record<string, unknown>;
    all.set(state.name ?? state.requirement ?? state.reference_id ?? stream, state);
  }
  return all;
}

test.before(async () => {
  for (const [stream, events] of streams) await store.append(stream, events, NO_STREAM);
});

test('recorded chains verify from their first event', () => {
  for (const [stream, events] of streams) assert.is(verifyChain(events), null, stream);
});

test('an event’s input hash uses its own salt', () => {
  const { metadata } = recorded.find((event) => event.type === 'RiskReopened')!;
  const input = { type: 'DecideRisk', decision: 'REOPEN', reason: 'sale failed' };
  assert.is(metadata.input_hash, saltedHash(metadata.salt, input));
});

test('today’s deciders apply all recorded events', async () => {
  assert.ok(streams.size > 10);
  for (const [stream, events] of streams) {
    const { state, revision } = await handler.load(aggregateOf(stream));
    assert.ok(state, stream);
    assert.is(revision, events.length - 1, stream);
  }
});

test('recorded events have the same meaning for members, vendors and risks', async () => {
  const records = await statesByName();
  const { tokens, members } = records.get('Põhjala Trükikoda OÜ')! as unknown as OrganizationState;
  assert.equal(Object.values(members), ['OWNER', 'ADMIN']);
  const [[, token] = []] = tokens.entries();
  assert.equal(token, { ...token, role: 'EDITOR', expires_at: '2027-02-28T00:00:00.000Z', revoked: true });
  const vendor = records.get('Ünicloud GmbH')!;
  assert.equal([vendor.status, vendor.country, vendor.archived_at], ['OFFBOARDED', null, null]);
  assert.is((vendor.review as { outcome: string }).outcome, 'APPROVED');
  assert.is(records.get('Small one')!.status, 'SUSPENDED');
  const risk = records.get('Fire in the press hall')!;
  assert.equal([risk.status, risk.treatment, risk.acceptance, risk.archived_at], ['OPEN', 'ACCEPTED', null, null]);
  assert.equal([risk.inherent_impact, risk.residual_impact, risk.note], [5, null, null]);
  assert.is(records.get('Flood')!.status, 'CLOSED');
});

test('recorded events have the same meaning for members that change and leave, and for domains', async () => {
  const records = await statesByName();
  const { members, former, domains, tokens } = records.get('Hõbeda Õlu AS')! as unknown as OrganizationState;
  assert.equal(Object.values(members), ['OWNER']);
  assert.equal(Object.values(former), ['VIEWER', 'ADMIN']);
  assert.equal(domains, {});
  const [[, assistant] = []] = tokens.entries();
  assert.equal(assistant, { ...assistant, role: 'VIEWER', read_only: true, kind: 'ASSISTANT', revoked: true });
});

test('recorded events have the same meaning for memberships that end', async () => {
  const records = await statesByName();
  const ofFixture = records.get('events-membership-ends AS')! as Record<string, Record<string, object>>;
  assert.equal(Object.values(ofFixture.members!), ['OWNER', 'AUDITOR']);
  const [, auditor] = Object.keys(ofFixture.members!);
  assert.equal(ofFixture.membership_ends, { [auditor!]: '2026-12-31T12:00:00.000Z' });
  const older = records.get('Põhjala Trükikoda OÜ')! as Record<string, object>;
  assert.equal(older.membership_ends, {}, 'no membership of schema version 1 has an end');
});

/** Returns the id of the first record with an event of this type. */
const idOf = (type: string) => recorded.find((event) => event.type === type)!.stream.replace(/^\w+-/, '');

test('recorded events have the same meaning for measures, audits, obligations and nonconformities', async () => {
  const records = await statesByName();
  const measure = records.get('Lukustatud server')!;
  assert.equal(
    [measure.state, measure.implemented_at, measure.justification, measure.archived_at],
    [
      ...['IMPLEMENTED', recorded.find(({ type }) => type === 'MeasureReinstated')!.data.implemented_at],
      ...['The servers are rented', null],
    ],
  );
  const imported = records.get('Long done')!;
  assert.equal([imported.state, imported.implemented_at], ['IMPLEMENTED', '2024-05-01']);
  const audit = records.get('Sertifitseerimine')!;
  assert.equal([audit.state, audit.auditor, audit.valid_until], ['OUTDATED', 'Kontroll OÜ', '2029-12-31']);
  assert.is(audit.framework_id, idOf('FrameworkAdopted'));
  assert.is(records.get('Called off')!.state, 'REJECTED');
  const obligation = records.get('Teata lekkest 72 tunni jooksul')!;
  assert.equal([obligation.status, obligation.last_review_date], ['PARTIALLY_COMPLIANT', '2026-11-02']);
  assert.equal([obligation.area, obligation.regulator], ['Privacy', null]);
  const finding = records.get('NC-1')!;
  assert.equal([finding.status, finding.closed_at, finding.root_cause], ['OPEN', null, 'A worn hinge']);
  assert.is(finding.audit_id, idOf('AuditOutdated'));
});

test('recorded events have the same meaning for decisions that were taken back', async () => {
  const records = await statesByName();
  const vendor = records.get('Vale pilv')!;
  assert.equal([vendor.status, vendor.review, vendor.next_review_due], ['SUSPENDED', null, null]);
  const obligation = records.get('Hoia logi')!;
  assert.equal([obligation.status, obligation.last_review_date], ['NOT_ASSESSED', null]);
  assert.is(records.get('Taastatud')!.state, 'COMPLETED');
});

test('recorded events have the same meaning for undone calls', async () => {
  const records = await statesByName();
  const risk = records.get('Vale rida')!;
  assert.equal([risk.status, (risk.acceptance as { until: string }).until], ['ACCEPTED', '2027-05-01']);
  const stateOf = (name: string) => records.get(name)!.status ?? records.get(name)!.state;
  assert.equal(['Vale müüja', 'Vale meede', 'Vale nõue', 'NC-77', 'Vale audit'].map(stateOf), [
    'APPROVED',
    'NOT_STARTED',
    'NOT_ASSESSED',
    'OPEN',
    'NOT_STARTED',
  ]);
  assert.is(records.get('Tagasi')!.owner_id, null);
  for (const name of ['Undo rules', 'Vale foto']) assert.ok(records.get(name)!.archived_at, name);
  const links = recorded.filter(({ metadata, type }) => metadata.causation_id !== null && type === 'RecordsUnlinked');
  assert.equal((await loadStream(links[0]!.stream)).state, { linked: false, relation: null });
});

test('recorded events have the same meaning for frameworks and their controls', async () => {
  const { state: framework } = await loadStream(`framework-${idOf('FrameworkAdopted')}`);
  const { controls, ...fields } = framework as unknown as FrameworkState;
  const owner_id = 'acc_0000000000HA080Y4GWY56C6CX';
  const expectedFields = {
    name: 'House rules',
    version: '3',
    description: null,
    note: null,
    library_id: null,
    owner_id,
    archived_at: null,
  };
  assert.equal(fields, expectedFields);
  assert.equal(
    controls.map(({ section_title }) => section_title),
    ['K.1', 'K.2'],
  );
  const id = idOf('ControlExcluded');
  const control = await loadStream(`control-${id}`);
  assert.equal(control.originEvents, 1);
  assert.equal(control.state, {
    framework_id: idOf('FrameworkAdopted'),
    section_title: 'K.2',
    name: 'Keys are counted',
    description: 'Once a week',
    group: null,
    parent: null,
    status: 'INCLUDED',
    owner_id,
    archived_at: null,
    inclusion_justification: 'Codes count as keys',
    exclusion_justification: 'There are only codes',
    next_review_due: null,
    review_interval_months: null,
    last_reviewed: null,
  });
  const sibling = await handler.load(recordAggregate(controlId(idOf('FrameworkAdopted'), 0)));
  assert.equal(
    [sibling.revision, sibling.originEvents, sibling.state],
    [
      ...[-1, 1],
      {
        framework_id: idOf('FrameworkAdopted'),
        section_title: 'K.1',
        name: 'Uksed on lukus',
        description: 'Day and night',
        group: null,
        parent: null,
        status: 'INCLUDED',
        owner_id: null,
        archived_at: null,
        inclusion_justification: null,
        exclusion_justification: null,
        next_review_due: null,
        review_interval_months: null,
        last_reviewed: null,
      },
    ],
  );
});

const named = (proposals: readonly ProposalState[], name: string) =>
  proposals.find(({ input }) => input.name === name)!;

test('recorded events have the same meaning for proposals, and for what a credential does alone', async () => {
  const proposals = await Promise.all(
    [...streams.keys()].filter((name) => name.startsWith('proposal-')).map(loadStream),
  );
  const all = proposals.map(({ state }) => state as ProposalState);
  const [changed, dependent] = ['Tuletorni', 'Paadi'].map((name) => `${name} hooldus`).map((name) => named(all, name));
  assert.equal([changed!.approved_input!.name, changed!.approved_effects!.length], ['Majaka hooldus OÜ', 1]);
  assert.equal([changed!.decision_reason, dependent!.depends_on.length], ['Õige nimi', 1]);
  const states = all.filter((state) => state !== changed && state !== dependent);
  assert.equal(
    states.map(({ state, decision_reason, done }) => [state, decision_reason, done]),
    [
      ['CARRIED_OUT', null, 0],
      ['DECLINED', 'Üks on küllalt', null],
      ['WITHDRAWN', null, null],
    ],
  );
  assert.equal(
    states[0]!.refused.map(({ code }) => code),
    ['conflict'],
  );
  const { tokens } = (await statesByName()).get('events-autonomy AS')! as unknown as OrganizationState;
  const autonomies = tokens.entries().map(([, { kind, autonomy }]) => [kind, autonomy]);
  assert.equal(autonomies, [
    [undefined, undefined],
    ['ASSISTANT', 'PROPOSE_ONLY'],
  ]);
});

test('recorded events have the same meaning for the policy of approvals', async () => {
  const { ceiling, four_eyes, hourly_changes, four_eyes_suspended } = (await statesByName()).get(
    'events-approval-policy AS',
  )! as unknown as OrganizationState;
  assert.equal([ceiling, hourly_changes, four_eyes_suspended], ['DECISIONS_PROPOSED', 200, []]);
  assert.equal(four_eyes, ['RISK_ACCEPT', 'VENDOR_REVIEW']);
});

test('recorded events have the same meaning for groups of controls', async () => {
  const framework = (await statesByName()).get('Lighthouse rules') as unknown as FrameworkState;
  assert.is(framework.note, 'Withdrawn by the publisher and not adopted (1):\nT.2 Whale oil');
  const places = framework.controls.map(async ({ id }) => {
    const { state } = await handler.load(recordAggregate(id));
    const { section_title, group, parent } = state as Record<string, unknown>;
    return [section_title, group, parent];
  });
  assert.equal(await Promise.all(places), [
    ['T.1', 'Lamp › Night', null],
    ['T.1(1)', 'Lamp › Night', 'T.1'],
    ['U.1', null, null],
  ]);
});

test('recorded events have the same meaning for evidence and the links that begin in it', async () => {
  const [evidence, measure, control] = [idOf('EvidenceAdded'), idOf('MeasureStarted'), idOf('ControlExcluded')];
  const { state } = await loadStream(`evidence-${evidence}`);
  assert.equal((state as unknown as { record_ids: string[] }).record_ids, [measure, control]);
  const linkBetween = async (a: string, b: string) => {
    const { state, originEvents: before } = await loadStream(linkAggregate(a, b).stream);
    return [before, state];
  };
  assert.equal(await linkBetween(evidence, measure), [1, { linked: true, relation: null }]);
  assert.equal(await linkBetween(control, evidence), [1, { linked: false, relation: null }]);
  assert.equal(await linkBetween(measure, control), [0, { linked: false, relation: null }]);
});

test('recorded events have the same meaning for evidence that replaces another piece', async () => {
  const added = recorded.filter(({ type, data }) => type === 'EvidenceAdded' && data.replaces !== undefined);
  const replaced = added.map(async ({ data: { replaces } }) => {
    const { archived_at, replaced_by } = (await loadStream(`evidence-${replaces}`)).state as Record<string, unknown>;
    return [archived_at !== null, replaced_by];
  });
  assert.equal(await Promise.all(replaced), [
    [true, added[0]!.stream.split('-')[1]],
    [false, null],
  ]);
});

test('recorded events have the same meaning for the relation of two controls', async () => {
  const stream = [...streams.keys()].find((name) => /^link-ctl_.*-ctl_/.test(name))!;
  const [, lower] = stream.split('-');
  const { state, revision } = await loadStream(stream);
  assert.equal([state, revision], [{ linked: true, relation: { relation: 'PARTLY', from_id: lower } }, 3]);
});

test('recorded events have the same meaning for crosswalks and the links of their controls', async () => {
  const stream = [...streams.keys()].find((name) => name.startsWith('crosswalk-'))!;
  const [first] = streams.get(stream)!;
  const [one, other] = (first!.data.pairs as CrosswalkPair[]).map(({ from_id }) => from_id);
  const to = (first!.data.pairs as CrosswalkPair[])[0]!.to_id;
  const relationTo = async (id: string) => (await handler.load(linkAggregate(id, to))).state;
  assert.equal(await relationTo(one!), { linked: false, relation: null }, 'unlinked after the imports');
  assert.equal(await relationTo(other!), { linked: true, relation: { relation: 'SUPPORTS', from_id: other } });
  const { state } = (await handler.load(crosswalkAggregate(...idsOf(stream)))) as { state: CrosswalkState };
  const stated = [...state.pairs.values()].map(({ relation, revision }) => [relation.relation, revision]);
  assert.equal(stated, [
    ['SUPPORTS', 1],
    ['SUPPORTS', 0],
    ['PARTLY', 1],
  ]);
});

test('a date without a time of day is a date, as version 1 recorded it and as version 2 does', async () => {
  const records = await statesByName();
  const reviewOf = (name: string) => {
    const { last_reviewed, review } = records.get(name) as Record<string, { reviewed_at: string }>;
    return [last_reviewed, review?.reviewed_at];
  };
  const older = recorded.filter(({ type, metadata }) => type === 'VendorAdded' && metadata.schema_version === 1);
  const { last_reviewed } = older.find(({ data }) => data.last_reviewed !== undefined)!.data;
  assert.is(last_reviewed, '2025-01-15T00:00:00.000Z');
  assert.equal(reviewOf('Ülipilv OÜ'), ['2025-03-03', '2025-03-03'], 'imported by version 1');
  const { acceptance: imported } = records.get('Old stairs') as Record<string, { accepted_at: string }>;
  assert.is(imported!.accepted_at, '2025-06-30');
  assert.equal(reviewOf('Päevapilv'), ['2026-10-30T23:59:59.999Z', '2026-10-30T23:59:59.999Z'], 'a time stays one');
  assert.equal(reviewOf('Kesköö'), ['2026-10-29', '2026-10-29']);
  assert.equal(reviewOf('Vana pilv'), ['2025-03-04', '2025-03-04']);
  const { acceptance } = records.get('Vana lift') as Record<string, { accepted_at: string }>;
  assert.is(acceptance!.accepted_at, '2025-07-01');
  assert.is(records.get('Ammu tehtud')!.implemented_at, '2024-05-02');
  assert.is(records.get('Foto uksest')!.collected_at, '2026-10-05');
});

test('recorded events include every type and schema version ever written', () => {
  const writtenVersions = new Set(recorded.map((event) => `${event.type} ${event.metadata.schema_version}`));
  // Seals are recorded in test/fixtures/data-folder-v0, because their signatures cover their organization.
  const { seal: _seals, ...streams } = EVENTS_BY_STREAM;
  const schemas: [string, EventVersions][] = Object.values(streams).flatMap((events) => Object.entries(events));
  assert.ok(schemas.length >= 70);
  for (const [type, versions] of schemas) {
    for (let version = 1; version <= versions.length; version++) {
      assert.ok(writtenVersions.has(`${type} ${version}`), `no ${type} of version ${version} is recorded`);
    }
  }
});

test.run();
