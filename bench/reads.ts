import type { Condition } from '../src/stores/read-store.ts';
import { type BenchRegister, createBenchRegister, ONE_YEAR_AGO, PUBLIC_URL } from './bench-register.ts';
import { atMost, compareTimes, type Figure, figure } from './measure.ts';

const FILTER = { status: ['APPROVED'], criticality: ['HIGH'] };
const WHERE: Condition[] = [
  { key: 'status', op: 'eq', value: 'APPROVED' },
  { key: 'criticality', op: 'eq', value: 'HIGH' },
  { key: 'archived', op: 'eq', value: 0 },
];
/** A service answers each call many times. So many rounds let the compiler optimise both sides alike. */
const ROUNDS = 4_000;
export const VERSIONS = 5;

function page(benchRegister: BenchRegister, input: object = {}): () => Promise<unknown> {
  const args = {
    organization_id: benchRegister.organizationId,
    filter: FILTER,
    order_by: { field: 'name', direction: 'ASC' },
    ...input,
  };
  const context = { caller: benchRegister.caller, publicUrl: PUBLIC_URL };
  return () => benchRegister.register.tools.call('listVendors', args, context);
}

function bareQuery(benchRegister: BenchRegister): () => Promise<unknown> {
  return () =>
    benchRegister.register.projections.models.find({
      collection: 'vendors',
      organizationId: benchRegister.organizationId,
      where: WHERE,
      order: { key: 'name', direction: 'ASC' },
      limit: 20,
    });
}

/** Lists against the bare store, against size, and against time. */
export async function readFigures(benchRegister: BenchRegister, vendors: number): Promise<Figure[]> {
  const smallRegister = await createBenchRegister(1_000, VERSIONS);
  const size = vendors.toLocaleString('en');
  const bareQueryTimes = await compareTimes(ROUNDS, page(benchRegister), bareQuery(benchRegister));
  const sizes = await compareTimes(ROUNDS, page(benchRegister), page(smallRegister));
  const times = await compareTimes(ROUNDS, page(benchRegister, { as_of: ONE_YEAR_AGO }), page(benchRegister));
  await smallRegister.close();
  return [
    figure(
      `listVendors, 20 of ${size}, two filters and an order, p50; baseline: the store query`,
      'µs',
      bareQueryTimes.value,
      bareQueryTimes.baseline,
      atMost(2.3),
    ),
    figure(
      `the same page at ${size} vendors, p50; baseline: at 1,000 vendors`,
      'µs',
      sizes.value,
      sizes.baseline,
      atMost(1.3),
    ),
    figure(
      `the same page as of last year, ${VERSIONS} versions each, p50; baseline: the current page`,
      'µs',
      times.value,
      times.baseline,
      atMost(1.35),
    ),
  ];
}
