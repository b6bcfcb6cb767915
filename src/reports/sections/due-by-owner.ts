import type { ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { type DueKind, type DuePeriod, dueRows, dueSource, overdueIn } from './due-rows.ts';
import { column, OWNER } from './report-columns.ts';

/** The number of one owner's due items: all, overdue ones, and by kind. */
interface OwnerCounts {
  /** Null for items of records without an owner. */
  owner: string | null;
  due: number;
  overdue: number;
  byKind: Map<string, number>;
}

/** Returns the section that counts each owner's due items, the owner of most items first. */
export function dueByOwnerSection(context: ReportContext, kinds: readonly DueKind[], bounds: DuePeriod): ReportSection {
  return {
    name: 'by_owner',
    title: 'By owner',
    note: 'Only owners of due items. The row without an owner counts the items that nobody owns.',
    columns: [
      OWNER,
      column('due', 'Due items'),
      { field: 'overdue', title: 'Overdue' },
      ...kinds.map((kind) => column(fieldOf(kind), kind.label)),
    ],
    rows: async function* () {
      for (const { owner, due, overdue, byKind } of await countByOwner(context, kinds, bounds)) {
        const kindCounts = kinds.map((kind) => [fieldOf(kind), byKind.get(kind.name) ?? 0] as const);
        yield { ...(owner === null ? {} : { owner_id: owner }), due, overdue, ...Object.fromEntries(kindCounts) };
      }
    },
  };
}

const fieldOf = ({ name }: DueKind): string => `due_${name.toLowerCase()}`;

/** Yields the items of one owner after the other, in the order of `dueByOwnerSection`. */
export async function* dueRowsByOwner(
  context: ReportContext,
  kinds: readonly DueKind[],
  bounds: DuePeriod,
): AsyncGenerator<ReportRow> {
  for (const { owner } of await countByOwner(context, kinds, bounds)) {
    yield* dueRows(context, kinds, bounds, owner === null ? { missing: ['OWNER'] } : { owner_id: [owner] });
  }
}

async function countByOwner(
  context: ReportContext,
  kinds: readonly DueKind[],
  bounds: DuePeriod,
): Promise<OwnerCounts[]> {
  const { models } = context.snapshot;
  const { today } = context.moment;
  const owners = new Map<string | null, OwnerCounts>();
  const countsOf = (owner: string | null): OwnerCounts => {
    const counts = owners.get(owner) ?? { owner, due: 0, overdue: 0, byKind: new Map() };
    owners.set(owner, counts);
    return counts;
  };
  for (const kind of kinds) {
    for (const { values, total } of await models.count(dueSource(context, kind, bounds), ['owner_id'])) {
      const counts = countsOf(values[0] as string | null);
      counts.due += total;
      counts.byKind.set(kind.name, total);
    }
    const overdueBounds = overdueIn(bounds, today);
    for (const { values, total } of await models.count(dueSource(context, kind, overdueBounds), ['owner_id'])) {
      countsOf(values[0] as string | null).overdue += total;
    }
  }
  return [...owners.values()].sort((a, b) => b.due - a.due || (String(a.owner) < String(b.owner) ? -1 : 1));
}
