import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { normalizeText } from '../../../src/projections/read-models/search-text.ts';
import { daysAgo } from '../../support/histories/story.ts';
import type { Item } from '../../support/mcp/mcp-client.ts';
import { onBothPairs, type ServedPair } from '../../support/stores/pairs.ts';

const TODAY = daysAgo(0);
const WRITES = 40;

const rating = fc.option(fc.integer({ min: 1, max: 5 }));
const due = fc.option(fc.constantFrom(daysAgo(400), daysAgo(1), TODAY, daysAgo(-1), daysAgo(-400)));

/** Fields to write to a risk. The same values come often, so that many sort keys are equal. */
const fields = fc.record({
  name: fc.constantFrom('Äpfel', 'apfel', 'Zebra', 'älter', 'b 2', 'B 10', '1'),
  category: fc.option(fc.constantFrom('Öl', 'ol', 'gas')),
  inherent_likelihood: rating,
  inherent_impact: rating,
  next_review_due: due,
  treatment: fc.option(fc.constantFrom('MITIGATED', 'AVOIDED')),
  status: fc.constantFrom('OPEN', 'IN_TREATMENT'),
});

const filter = fc.record(
  {
    status: fc.constantFrom(['OPEN'], ['IN_TREATMENT'], ['OPEN', 'IN_TREATMENT'], ['CLOSED']),
    priority: fc.uniqueArray(fc.constantFrom('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'), { minLength: 1 }),
    treatment: fc.constantFrom(['MITIGATED'], ['MITIGATED', 'AVOIDED']),
    category: fc.constantFrom(['OL'], ['gas', 'öl']),
    min_score: fc.integer({ min: 1, max: 25 }),
    max_score: fc.integer({ min: 1, max: 25 }),
    due_before: fc.constantFrom(TODAY, daysAgo(-2)),
    overdue: fc.boolean(),
    missing: fc.constantFrom(['SCORE'], ['OWNER']),
    query: fc.constantFrom('ap', 'Ä', 'b', '10 B', 'x'),
  },
  { requiredKeys: [] },
);

const query = fc.record({
  filter,
  order_by: fc.record({
    field: fc.constantFrom('score', 'name', 'next_review_due'),
    direction: fc.constantFrom('ASC', 'DESC'),
  }),
  size: fc.integer({ min: 2, max: 30 }),
  /** A number of writes back; null for now. */
  back: fc.option(fc.nat(WRITES - 1)),
});

type Filter = Record<string, unknown>;
type Rule = (risk: Item, value: never) => boolean;

const among =
  (field: string): Rule =>
  (risk, values: unknown[]) =>
    values.includes(risk[field]);
const score = ({ score }: Item) => score as number | null;

/** The filters again, implemented as simply as possible. */
const RULES: Record<string, Rule> = {
  status: among('status'),
  priority: among('priority'),
  treatment: among('treatment'),
  category: ({ category }, values: string[]) =>
    category !== null && values.map(normalizeText).includes(normalizeText(String(category))),
  min_score: (risk, least: number) => (score(risk) ?? 0) >= least,
  max_score: (risk, most: number) => score(risk) !== null && score(risk)! <= most,
  due_before: ({ next_review_due }, date: string) => next_review_due !== null && String(next_review_due) < date,
  overdue: ({ next_review_due }, isOverdue: boolean) =>
    (next_review_due !== null && String(next_review_due) < TODAY) === isOverdue,
  missing: (risk, [fact]: string[]) => (fact === 'OWNER' ? risk.owner_id : risk.score) === null,
  query: ({ name }, text: string) => {
    const words = normalizeText(name).split(' ');
    return normalizeText(text)
      .split(' ')
      .every((prefix) => words.some((word) => word.startsWith(prefix)));
  },
};

/** Returns the sort keys of all matches in order, empty ones last. */
function expectedOrder(risks: Item[], chosen: Filter, order: { field: string; direction: string }) {
  const matches = risks.filter((risk) =>
    Object.entries(chosen).every(([name, value]) => RULES[name]!(risk, value as never)),
  );
  return {
    ids: matches.map(({ id }) => id).sort(),
    keys: sorted(
      matches.map((risk) => keyOf(risk, order.field)),
      order,
    ),
  };
}

type Key = string | number | null;

function keyOf(risk: Item, field: string): Key {
  return field === 'name' ? normalizeText(risk.name) : ((risk[field] ?? null) as Key);
}

function sorted(keys: Key[], { direction }: { direction: string }): Key[] {
  const present = keys.filter((key) => key !== null).sort((a, b) => (a < b ? -1 : Number(a > b)));
  if (direction === 'DESC') present.reverse();
  return [...present, ...keys.filter((key) => key === null)];
}

await onBothPairs('lists and a naive model', (test) => {
  /** The register after each write, and the write's position. */
  const states: { position: string; risks: Map<string, Item> }[] = [];

  test.before(async ({ owner, organizationId: organization_id }: ServedPair) => {
    const writes = fc.sample(fc.record({ fields, target: fc.nat(30) }), WRITES);
    for (const { fields, target } of writes) {
      const risks = new Map(states.at(-1)?.risks);
      const id = [...risks.keys()][target];
      const answer = await (id === undefined
        ? owner.ok('addRisk', { organization_id, ...fields })
        : owner.ok('updateRisk', { id, ...fields }));
      states.push({ position: answer.position, risks: risks.set(answer.risk.id, answer.risk) });
    }
  });

  test('lists equal a naive register, in the same order, now and as of any position', async ({
    owner,
    organizationId,
  }) => {
    const property = fc.asyncProperty(query, async ({ filter, order_by, size, back }) => {
      const { position, risks } = states[states.length - 1 - (back ?? 0)]!;
      const list = { organization_id: organizationId, filter, order_by, size, view: 'FULL' };
      const asOf = back === null ? {} : { as_of: position };
      const listedRisks = (await owner.walk('listRisks', 'risks', { ...list, ...asOf })) as Item[];
      const expectedRisks = expectedOrder([...risks.values()], filter, order_by);
      assert.equal(listedRisks.map(({ id }) => id).sort(), expectedRisks.ids);
      assert.equal(
        listedRisks.map((risk) => keyOf(risk, order_by.field)),
        expectedRisks.keys,
      );
      for (const risk of listedRisks) assert.equal(risk, risks.get(risk.id));
      const count = await owner.ok('listRisks', { ...list, ...asOf, view: 'COUNT' });
      assert.is(count.total, expectedRisks.ids.length);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});
