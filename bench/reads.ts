import type { Condition } from '../src/stores/read-store.ts';
import { type Bed, LAST_YEAR, layBed } from './data.ts';
import { type Figure, figure, inTurn } from './measure.ts';

const FILTER = { status: ['APPROVED'], criticality: ['HIGH'] };
const WHERE: Condition[] = [
  { key: 'status', op: 'eq', value: 'APPROVED' },
  { key: 'criticality', op: 'eq', value: 'HIGH' },
  { key: 'archived', op: 'eq', value: 0 },
];
const ROUNDS = 400;
export const VERSIONS = 5;

function page(bed: Bed, more: object = {}): () => Promise<unknown> {
  const args = {
    organization_id: bed.organizationId,
    filter: FILTER,
    order_by: { field: 'name', direction: 'ASC' },
    ...more,
  };
  return () => bed.register.tools.call('listVendors', args, { caller: bed.caller });
}

function bareQuery(bed: Bed): () => Promise<unknown> {
  return () =>
    bed.register.projections.models.find({
      collection: 'vendors',
      organizationId: bed.organizationId,
      where: WHERE,
      order: { key: 'name', direction: 'ASC' },
      limit: 20,
    });
}

/** Lists against the bare store, against size, and against time. */
export async function readFigures(bed: Bed, vendors: number): Promise<Figure[]> {
  const small = await layBed(1_000, VERSIONS);
  const size = vendors.toLocaleString('en');
  const bare = await inTurn(ROUNDS, page(bed), bareQuery(bed));
  const sizes = await inTurn(ROUNDS, page(bed), page(small));
  const times = await inTurn(ROUNDS, page(bed, { as_of: LAST_YEAR }), page(bed));
  await small.close();
  return [
    figure(
      `listVendors, 20 of ${size}, two filters and an order, p50, to the store query alone`,
      'µs',
      bare.a,
      bare.b,
      '<=',
      2,
    ),
    figure(`the same page at ${size} to 1,000 vendors, p50`, 'µs', sizes.a, sizes.b, '<=', 1.5),
    figure(
      `the same page as of last year, ${VERSIONS} versions each, to today's, p50`,
      'µs',
      times.a,
      times.b,
      '<=',
      2,
    ),
  ];
}
