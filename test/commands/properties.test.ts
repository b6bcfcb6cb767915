import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decider, DecisionContext, DomainEvent } from '../../src/commands/engine/decider.ts';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { DECISIONS, type RiskCommand, risk, scoresOf } from '../../src/commands/risk.ts';
import { type VendorCommand, vendor } from '../../src/commands/vendor.ts';
import { RISK_STATUSES, type RiskState, TREATMENTS } from '../../src/register/risk.ts';
import { CRITICALITIES, OUTCOMES, VENDOR_STATUSES, type VendorState } from '../../src/register/vendor.ts';
import { CONTEXT, freeze, stateOf } from '../support/spec.ts';

const test = suite('properties of deciders');

const START = Date.parse(CONTEXT.now);
const DAY_MS = 86_400_000;

const instant = fc.integer({ min: -800, max: 0 }).map((days) => new Date(START + days * DAY_MS).toISOString());
/** Dates, most of them in the coming year, some long ago or far in the future. */
const date = fc
  .oneof({ weight: 4, arbitrary: fc.integer({ min: 30, max: 300 }) }, fc.integer({ min: -400, max: 800 }))
  .map((days) => new Date(START + days * DAY_MS).toISOString().slice(0, 10));
const text = fc.constantFrom('', 'a', 'b');
const clearable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3 });
const person = clearable(fc.constantFrom('acc_1', 'acc_2'));
const optionalReason = fc.oneof({ weight: 4, arbitrary: fc.constant({ reason: 'why' }) }, fc.constant({}));
const rating = clearable(fc.integer({ min: 1, max: 5 }));
const archiveCommand = fc.record({ type: fc.constantFrom('Archive', 'Restore'), reason: fc.constant('r') });

/** Objects with some of the members, as a tool passes them: absent, null or with a value. */
function someMembers<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const riskChanges = someMembers({
  name: fc.constantFrom('Fire', 'Flood'),
  reference_id: clearable(text),
  note: clearable(text),
  next_review_due: clearable(date),
  owner_id: person,
  status: fc.constantFrom(...RISK_STATUSES),
  treatment: clearable(fc.constantFrom(...TREATMENTS)),
  inherent_likelihood: rating,
  inherent_impact: rating,
  residual_likelihood: rating,
  residual_impact: rating,
});

const riskCommand: fc.Arbitrary<RiskCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(riskChanges, optionalReason).map(([changes, r]) => ({ type: 'UpdateRisk', changes, ...r })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...DECISIONS), date, someMembers({ approver_id: fc.constant('acc_9') }), optionalReason)
      .map(([decision, until, more, r]) => ({ type: 'DecideRisk', decision, until, ...more, ...r })),
  },
  archiveCommand,
  riskChanges.map((fields) => ({ type: 'AddRisk', fields: { ...fields, name: 'Fire' }, reason: 'r' })),
) as fc.Arbitrary<RiskCommand>;

const vendorChanges = someMembers({
  name: fc.constantFrom('Unicloud', 'Acme'),
  description: clearable(text),
  criticality: clearable(fc.constantFrom(...CRITICALITIES)),
  processes_personal_data: clearable(fc.boolean()),
  next_review_due: clearable(date),
  owner_id: person,
  status: fc.constantFrom(...VENDOR_STATUSES),
});

const vendorCommand: fc.Arbitrary<VendorCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(vendorChanges, optionalReason).map(([changes, r]) => ({ type: 'UpdateVendor', changes, ...r })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...OUTCOMES),
        someMembers({
          findings: clearable(text),
          conditions: clearable(text),
          reviewed_at: instant,
          next_review_due: clearable(date),
        }),
        optionalReason,
      )
      .map(([outcome, more, r]) => ({ type: 'ReviewVendor', outcome, ...more, ...r })),
  },
  archiveCommand,
  fc.tuple(vendorChanges, someMembers({ last_reviewed: clearable(instant) })).map(([fields, more]) => ({
    type: 'AddVendor',
    fields: { ...fields, ...more, name: 'Unicloud' },
    reason: 'r',
  })),
) as fc.Arbitrary<VendorCommand>;

interface Step<State, Command, Event> {
  command: Command;
  before: State | null;
  context: DecisionContext;
  events: Event[];
  after: State | null;
}

/** Runs the commands one after the other, a day apart. A refused one changes nothing. */
function play<State extends object, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
): Step<State, Command, Event>[] {
  let state: State | null = null;
  return commands.map((command, day) => {
    const now = new Date(START + day * DAY_MS).toISOString();
    const context: DecisionContext = { ...CONTEXT, now, today: now.slice(0, 10), role: 'OWNER' };
    const before = state;
    let events: Event[] = [];
    try {
      events = decider.decide(freeze(command), before, context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    for (const event of events) state = decider.evolve(state, freeze(event));
    return { command, before, context, events, after: freeze(state) };
  });
}

/** Tests the rules of every family, and those that `assertStep` adds. */
function assertInvariants<
  State extends { archived_at: string | null },
  Command extends { type: string },
  Event extends DomainEvent,
>(
  decider: Decider<State, Command, Event>,
  first: Command,
  command: fc.Arbitrary<Command>,
  assertStep: (step: Step<State, Command, Event>) => void,
): void {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
      const steps = play(decider, [first, ...commands]);
      const log = steps.flatMap((step) => step.events);
      assert.equal(stateOf(decider, log), steps.at(-1)!.after, 'the whole log folds to the last state');
      assert.equal(JSON.parse(JSON.stringify(log)), log, 'events are JSON without undefined members');
      for (const step of steps) {
        for (const member of Object.values(step.after ?? {})) assert.is.not(member, undefined);
        if (step.before?.archived_at && step.events.length > 0) assert.is(step.command.type, 'Restore');
        assertStep(step);
      }
    }),
    { numRuns: 400 },
  );
}

test('a risk keeps its invariants', () => {
  const reachedStates = new Set<string>();
  assertInvariants(
    risk,
    { type: 'AddRisk', fields: { name: 'Fire' } },
    riskCommand,
    ({ before, after, command, events }) => {
      if (after === null) return;
      reachedStates.add(after.status);
      assert.ok(RISK_STATUSES.includes(after.status), after.status);
      assert.is(after.acceptance !== null, after.status === 'ACCEPTED');
      const { inherent_score, residual_score } = scoresOf(after);
      if (inherent_score !== null && residual_score !== null) assert.ok(residual_score <= inherent_score);
      if (before?.status === 'ACCEPTED' && after.status === 'ACCEPTED') {
        assert.ok((scoresOf(after).score ?? 0) <= (scoresOf(before).score ?? 0), 'an accepted score never rises');
      }
      if (command.type === 'UpdateRisk' && events.length > 0)
        assertApplied<RiskState>(after, command.changes, ['status']);
    },
  );
  assert.equal([...reachedStates].sort(), [...RISK_STATUSES].sort(), 'the commands lead to every status');
});

test('a vendor keeps its invariants', () => {
  const reachedStates = new Set<string>();
  assertInvariants(
    vendor,
    { type: 'AddVendor', fields: { name: 'Unicloud' } },
    vendorCommand,
    ({ before, after, command, events }) => {
      if (after === null) return;
      reachedStates.add(after.status);
      assert.ok(VENDOR_STATUSES.includes(after.status), after.status);
      if (after.review !== null) assert.is(after.last_reviewed, after.review.reviewed_at);
      if (before?.last_reviewed)
        assert.ok(after.last_reviewed! >= before.last_reviewed, 'a newer review never becomes older');
      if (OUTCOMES.some((outcome) => outcome === after.status)) assert.is(after.review?.outcome, after.status);
      if (command.type === 'UpdateVendor' && events.length > 0) assertApplied<VendorState>(after, command.changes, []);
    },
  );
  assert.equal([...reachedStates].sort(), [...VENDOR_STATUSES].sort(), 'the commands lead to every status');
});

/** Asserts that the fields of an update have their new values. */
function assertApplied<State extends object>(after: State, changes: Partial<State>, except: (keyof State)[]): void {
  for (const [field, value] of Object.entries(changes)) {
    if (!except.includes(field as keyof State)) assert.equal(after[field as keyof State], value, field);
  }
}

test('repeating an update changes nothing', () => {
  const assertRepeatIgnored = <State extends { archived_at: string | null }, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    commands: readonly Command[],
    update: Command,
  ) => {
    const events = play(decider, [...commands, update, update]).at(-1)!.events;
    assert.equal(events, []);
  };
  const riskUpdate = riskChanges.map(
    ({ status: _status, ...changes }): RiskCommand => ({ type: 'UpdateRisk', changes }),
  );
  fc.assert(
    fc.property(fc.array(riskCommand, { maxLength: 8 }), riskUpdate, (c, u) => assertRepeatIgnored(risk, c, u)),
  );
  const vendorUpdate = vendorChanges.map((changes): VendorCommand => ({ type: 'UpdateVendor', changes, reason: 'r' }));
  fc.assert(
    fc.property(fc.array(vendorCommand, { maxLength: 8 }), vendorUpdate, (c, u) => assertRepeatIgnored(vendor, c, u)),
  );
});

test.run();
