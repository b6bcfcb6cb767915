import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { Condition, ReadModels, Scalar } from '../../src/stores/read-store.ts';
import { type Keys, put, vendor, walk } from './read-fixtures.ts';
import { naiveCount, naiveFind, sortCounts } from './read-model.ts';

const TEXTS = ['', 'a', 'A', 'ab', 'ä', 'b', '\uffee', '\u{1f600}'];
const NUMBERS = [-2, 0, 0.5, 7, 2 ** 33];
const WORDS = ['a', 'ab', 'abc', 'b.1', 'c-2', '*'];
const KEYS = ['name', 'status', 'score'] as const;
const VENDOR_OPTIONS = { maxLength: 14, selector: (keyed: [string, Keys, string[]]) => keyed[0] };
const QUERIES = { minLength: 1, maxLength: 4 };

const optionalValue = (values: readonly Scalar[]) => fc.option(fc.constantFrom(...values));
const arbitraryId = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '_', '1'), minLength: 1, maxLength: 3 });
const arbitraryVendor = fc.tuple(
  arbitraryId,
  fc.record({
    name: optionalValue(TEXTS),
    status: optionalValue(['ON', 'OFF']),
    score: optionalValue(NUMBERS),
  }) as fc.Arbitrary<Keys>,
  fc.subarray(WORDS, { maxLength: 3 }),
);

const valuesOf = (key: string): readonly Scalar[] =>
  key === 'score' ? NUMBERS : key === 'name' ? TEXTS : ['ON', 'OFF', 'NONE'];

const arbitraryRange = (key: string) => {
  const bound = fc.constantFrom(...valuesOf(key));
  const lower = fc.oneof(fc.record({ gt: bound }), fc.record({ gte: bound }));
  const upper = fc.oneof(fc.record({ lt: bound }), fc.record({ lte: bound }));
  const bounds = fc.oneof(
    lower,
    upper,
    fc.tuple(lower, upper).map(([from, to]) => ({ ...from, ...to })),
  );
  return bounds.map((bound): Condition => ({ key, op: 'range', ...bound }));
};

const arbitraryKeyed = fc.constantFrom(...KEYS).chain((key) => {
  const value = fc.constantFrom(...valuesOf(key));
  return fc.oneof(
    value.map((item): Condition => ({ key, op: 'eq', value: item })),
    fc.array(value, { maxLength: 3 }).map((values): Condition => ({ key, op: 'in', values })),
    arbitraryRange(key),
    fc.constantFrom<Condition>({ key, op: 'present' }, { key, op: 'empty' }),
  );
});

const arbitraryCondition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: arbitraryKeyed },
  { weight: 1, arbitrary: fc.subarray(['a', 'a ', 'abc', 'b.', 'b.1 ', '*'], { minLength: 1 }).map(asWords) },
);

function asWords(prefixes: string[]): Condition {
  return { op: 'words', prefixes };
}

const arbitraryQuery = fc.record({
  where: fc.array(arbitraryCondition, { maxLength: 3 }),
  order: fc.record({ key: fc.constantFrom(...KEYS, null), direction: fc.constantFrom('ASC', 'DESC') }),
  size: fc.integer({ min: 1, max: 9 }),
  by: fc.subarray([...KEYS], { maxLength: 2 }),
});

type Query = typeof arbitraryQuery extends fc.Arbitrary<infer T> ? T : never;

/** Random queries of random vendors, page by page, must return what the naive model returns. */
export async function agreesWithNaive(models: ReadModels): Promise<void> {
  const vendors = fc.uniqueArray(arbitraryVendor, VENDOR_OPTIONS);
  const queries = fc.array(arbitraryQuery, QUERIES);
  let run = 0;
  // Every run has its own organization, so all share one generation.
  const property = fc.asyncProperty(vendors, queries, (some, query) =>
    assertAgrees(models, `org_${++run}`, some, query),
  );
  await fc.assert(property, { numRuns: 25 });
}

/** Asserts that these queries of one organization return what the naive model returns. */
async function assertAgrees(
  models: ReadModels,
  organizationId: string,
  vendors: readonly [string, Keys, string[]][],
  queries: readonly Query[],
): Promise<void> {
  const documents = vendors.map(([id, keys, words]) => vendor(`${organizationId}.${id}`, keys, words, organizationId));
  await put(models, 1, documents, organizationId);
  for (const { where, order, size, by } of queries) {
    const query = { organizationId, where, order };
    assert.equal(await walk(models, query, size), naiveFind(documents, query));
    const counts = await models.count({ collection: 'vendors', organizationId, where }, by);
    assert.equal(sortCounts(counts), naiveCount(documents, query, by));
  }
}
