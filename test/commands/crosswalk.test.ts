import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crosswalkAggregate, MAX_CROSSWALK_PAIRS } from '../../src/commands/crosswalk.ts';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { controlId, randomId } from '../../src/commands/engine/ids.ts';
import { linkAggregate, linkTransition } from '../../src/commands/link.ts';
import { type CrosswalkPair, relationOfPair } from '../../src/register/crosswalk.ts';
import { directedRelation, RELATIONS, type Relation, sortedPair } from '../../src/register/link.ts';
import { envelopeFor } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';

const test = suite('the crosswalk of two frameworks');

const ENVELOPE = { organization_id: randomId('org'), actor_id: 'acc_1' };
const [ONE, OTHER] = sortedPair(randomId('frm'), randomId('frm'));
const crosswalk = crosswalkAggregate(ONE, OTHER);

const pairOf = (one: number, relation: Relation, other: number): CrosswalkPair => ({
  from_id: controlId(ONE, one),
  to_id: controlId(OTHER, other),
  relation,
});

const handlerOn = (store: MemoryEventStore) =>
  new CommandHandler(store, { now: () => new Date('2026-11-23T08:00:00.000Z'), maxAcceptanceDays: 366 });

function importPairs(handler: CommandHandler, pairs: readonly CrosswalkPair[]) {
  const command = { type: 'ImportCrosswalk', framework_ids: [ONE, OTHER], pairs } as const;
  return handler.execute(crosswalk, command, envelopeFor(ENVELOPE));
}

test('has a limit that one event can hold', async () => {
  const store = new MemoryEventStore();
  const pairs = Array.from({ length: MAX_CROSSWALK_PAIRS }, (_, index) =>
    pairOf(Math.floor(index / 100), 'EQUIVALENT', index % 100),
  );
  await importPairs(handlerOn(store), pairs);
  assert.ok(JSON.stringify(store.log[0]).length < 768 * 1024, 'as an adoption at most has');
  const others = pairs.map((pair) => ({ ...pair, relation: 'PARTLY' as const }));
  const tooMany = [...others, pairOf(999, 'EQUIVALENT', 999)];
  try {
    await importPairs(handlerOn(store), tooMany);
    assert.unreachable();
  } catch (error) {
    assert.is((error as { code: string }).code, 'too_large');
  }
  const { event_types } = await importPairs(handlerOn(store), [...pairs, pairOf(999, 'EQUIVALENT', 999)]);
  assert.is(event_types.length, 1, 'pairs that were imported before don’t count');
});

test('states a pair once, the later of two equal ones', async () => {
  const store = new MemoryEventStore();
  await importPairs(handlerOn(store), [pairOf(0, 'SUPPORTS', 0), pairOf(0, 'SUPPORTS', 0)]);
  assert.equal(store.log[0]!.data.pairs, [pairOf(0, 'SUPPORTS', 0)]);
});

const action = fc.record({
  /** The instance that carries it out. Each has a cache of its own. */
  instance: fc.nat(1),
  relation: fc.option(fc.constantFrom(...RELATIONS), { freq: 5 }),
  isImport: fc.boolean(),
  isReversed: fc.boolean(),
  /** An import about another pair. */
  isElsewhere: fc.boolean(),
});

test('and the link agree on one state, that of the later event in the log, whatever instances have cached', async () => {
  const property = fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
    const store = new MemoryEventStore();
    const handlers = [handlerOn(store), handlerOn(store)];
    const ids = sortedPair(controlId(ONE, 0), controlId(OTHER, 0));
    const link = linkAggregate(...ids);
    for (const { instance, relation, isImport, isReversed, isElsewhere } of actions) {
      const handler = handlers[instance]!;
      const [from, to] = isReversed ? [ids[1], ids[0]] : ids;
      if (isImport) {
        const pair = { from_id: from, to_id: to, relation: relation ?? 'EQUIVALENT' };
        await importPairs(handler, [isElsewhere ? pairOf(1, pair.relation, 1) : pair]);
      } else {
        const directed = relation && directedRelation(relation, from);
        const command = directed
          ? { type: 'Link' as const, ids, relation: directed }
          : { type: 'Unlink' as const, ids, reason: 'Found out' };
        await handler.execute(link, command, envelopeFor(ENVELOPE));
        const { state } = await handler.load(link, true);
        assert.equal(state ?? { linked: false, relation: null }, { linked: directed !== null, relation: directed });
      }
    }
    const expected = stateByLog(store, ids);
    for (const handler of [...handlers, handlerOn(store)]) {
      assert.equal((await handler.load(link, true)).state, expected);
    }
  });
  await fc.assert(property, { numRuns: 150 });
});

/** Returns the link that the newest event in the log states; null if none does. */
function stateByLog(store: MemoryEventStore, ids: readonly [string, string]) {
  for (const { stream, type, data } of [...store.log].reverse()) {
    if (stream.startsWith('link-')) return linkTransition({ type, data } as Parameters<typeof linkTransition>[0]).after;
    const pair = (data.pairs as CrosswalkPair[]).find(
      (one) => sortedPair(one.from_id, one.to_id).join() === ids.join(),
    );
    if (pair !== undefined) return { linked: true, relation: relationOfPair(pair) };
  }
  return null;
}

test.run();
