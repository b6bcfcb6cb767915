import { adoptionKey, type ChangeDocument } from '../../projections/changes.ts';
import type { Condition, Scalar } from '../../stores/read-store.ts';
import { cutSide } from '../changes.ts';
import { column, detail } from './columns.ts';
import type { Column, Figure, ReportContext, Row, Section } from './report-type.ts';
import { walkRows } from './walk.ts';

const ADOPTION = adoptionKey('');

const COLUMNS: readonly Column[] = [
  column('record_type', 'Type'),
  column('record_name', 'Record'),
  column('recorded_at', 'When'),
  column('event_type', 'What'),
  { field: 'actor_id', title: 'Who', person: true },
  column('reason', 'Why'),
  { field: 'changes', title: 'Changes', prose: true },
  column('linked.name', 'Linked'),
  detail('effective_at', 'Effective'),
  detail('client', 'Client'),
  detail('revision', 'Revision'),
  column('position', 'Position'),
  detail('record_id', 'Record id'),
];

/** Changes between two ordinals, both included, record by record, each record's in their order. A link is told of both its records. */
export function changesSection(context: ReportContext, first: number, last: number): Section {
  return { name: 'changes', title: 'Changes by record', columns: COLUMNS, rows: () => changes(context, first, last) };
}

function changesBetween({ organizationId }: ReportContext, first: number, last: number) {
  const where: Condition[] = [{ key: 'position', op: 'range', gte: first, lte: last }];
  return { collection: 'changes', organizationId, where };
}

async function* changes(context: ReportContext, first: number, last: number): AsyncGenerator<Row> {
  for await (const batch of walkRows(context, changesBetween(context, first, last), {
    key: 'record_id',
    direction: 'ASC',
  })) {
    for (const { key, doc } of batch) {
      // An adoption is found by each of its controls too; here it is told of the framework alone.
      if (!isAdoption(key)) yield rowOfChange(doc as unknown as ChangeDocument);
    }
  }
}

const isAdoption = (key: Scalar | null): boolean => String(key).startsWith(ADOPTION);

/** How many changes there were, on how many records, by how many. */
export async function changeFigures(context: ReportContext, first: number, last: number): Promise<Figure[]> {
  const source = changesBetween(context, first, last);
  const { models } = context.reader;
  const once = { ...source, where: [...source.where, { key: 'side', op: 'eq', value: 0 } as const] };
  const actors = await models.count(once, ['actor_id']);
  const records = await models.count(source, ['record_id']);
  return [
    { name: 'changes', value: actors.reduce((sum, { total }) => sum + total, 0), counts: 'changes in the period' },
    {
      name: 'records_changed',
      value: records.filter(({ values }) => !isAdoption(values[0] ?? null)).length,
      counts: 'records that were changed, linked or unlinked',
    },
    { name: 'actors', value: actors.length, counts: 'people, and the service itself, who made them' },
  ];
}

function rowOfChange(change: ChangeDocument): Row {
  const { record, linked, client } = change;
  return {
    record_id: record.id,
    record_type: record.type,
    record_name: record.name,
    position: String(change.position),
    recorded_at: change.recorded_at,
    event_type: change.event_type,
    actor_id: change.actor_id,
    ...(change.reason === null ? {} : { reason: change.reason }),
    ...(linked ? { linked } : {}),
    ...(change.revision === null ? {} : { revision: change.revision }),
    ...(change.effective_at ? { effective_at: change.effective_at } : {}),
    ...(client ? { client: `${client.name} ${client.version}`.trim() } : {}),
    changes: change.changes.map(({ field, from, to }) => ({ field, from: cutSide(from), to: cutSide(to) })),
    ...(change.stale ? { stale: true } : {}),
  };
}
