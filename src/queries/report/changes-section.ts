import type { ChangeDocument } from '../../projections/changes.ts';
import type { Condition } from '../../stores/read-store.ts';
import { cutSide } from '../changes.ts';
import { behind } from '../reader.ts';
import { type ChangedRecord, changedRecords, inBatches } from './changed-records.ts';
import { column, detail } from './columns.ts';
import type { Period } from './period.ts';
import type { Column, Content, Figure, ReportContext, Row, Section } from './report-type.ts';
import { type Source, walk } from './walk.ts';

const COLUMNS: readonly Column[] = [
  column('record_type', 'Type'),
  column('record_reference', 'Reference'),
  column('record_name', 'Record'),
  column('recorded_at', 'When'),
  column('event_type', 'What'),
  { field: 'actor_id', title: 'Who', person: true, at: 'recorded_at' },
  column('reason', 'Why'),
  { field: 'changes', title: 'Changes', prose: true, at: 'recorded_at' },
  column('linked.name', 'Linked'),
  detail('effective_at', 'Effective'),
  detail('client', 'Client'),
  detail('revision', 'Revision'),
  column('position', 'Position'),
  detail('record_id', 'Record id'),
];

/** How a report tells the changes of a period: record by record, each record's in their order; a link's of both its records. */
export function changesOf(
  context: ReportContext,
  period: Period,
  note?: string,
): Pick<Content, 'figures'> & { section: Section } {
  const source = between(context, period);
  const records = () => changedRecords(context, source);
  return {
    figures: async () => figuresOf(context, source, (await records()).length),
    section: {
      name: 'changes',
      title: 'Changes by record',
      ...(note === undefined ? {} : { note }),
      columns: COLUMNS,
      group: COLUMNS.filter(({ field }) => field.startsWith('record_')),
      rows: async function* () {
        yield* changesIn(context, source, await records());
      },
      resume: {
        mark: ({ position, record_id }) => `${position} ${record_id}`,
        rows: async function* (mark) {
          const [position = '', id = ''] = mark.split(' ');
          const all = await records();
          const at = all.findIndex((record) => record.id === id);
          if (at < 0) throw behind();
          const later = { key: 'position', op: 'range', gt: Number(position) } as const;
          yield* changesIn(context, { ...source, where: [...source.where, later] }, [all[at]!]);
          yield* changesIn(context, source, all.slice(at + 1));
        },
      },
    },
  };
}

/** Seals are about the log rather than in it: here as in lists they are left out. */
function between({ organizationId }: ReportContext, { first, last }: Period): Source {
  const where: Condition[] = [
    { key: 'position', op: 'range', gte: first, lte: last },
    { key: 'side', op: 'range', gte: 0 },
  ];
  return { collection: 'changes', organizationId, where };
}

/** The changes of these records, in their order. */
async function* changesIn(
  context: ReportContext,
  source: Source,
  records: readonly ChangedRecord[],
): AsyncGenerator<Row> {
  for (const some of inBatches(records)) {
    const values = some.map(({ id }) => id);
    const own = { ...source, where: [{ key: 'record_id', op: 'in', values } as const, ...source.where] };
    const references = new Map(some.map(({ id, reference }) => [id, reference]));
    const rows = new Map<string, Row[]>(values.map((id) => [id, []]));
    for await (const batch of walk(context, own, { key: 'record_id', direction: 'ASC' })) {
      for (const { key, doc } of batch) {
        const row = rowOfChange(doc as unknown as ChangeDocument, references.get(String(key)));
        // Those of a single record come in their order, however many they are.
        if (some.length === 1) yield row;
        else rows.get(String(key))!.push(row);
      }
    }
    yield* [...rows.values()].flat();
  }
}

/** How many changes there were, by how many. */
async function figuresOf(context: ReportContext, source: Source, records: number): Promise<Figure[]> {
  const { models } = context.reader;
  const once = { ...source, where: [...source.where, { key: 'side', op: 'eq', value: 0 } as const] };
  const actors = await models.count(once, ['actor_id']);
  const total = actors.reduce((sum, { total }) => sum + total, 0);
  return [
    figure('changes', 'Changes', total, 'changes in the period: one of a link is told below with both its records'),
    figure(
      'records_changed',
      'Records changed',
      records,
      'records that were changed, linked or unlinked in the period',
    ),
    figure(
      'actors',
      'Made by',
      actors.length,
      'people who made these changes; the service itself is one where it made any',
    ),
  ];
}

const figure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Changes in the period', label, kind: 'COUNT', value, counts };
};

/** @param reference what the record is known by beside its name, at the report's moment */
function rowOfChange(change: ChangeDocument, reference: string | undefined): Row {
  const { record, linked, client } = change;
  return {
    record_id: record.id,
    record_type: record.type,
    ...(reference === undefined ? {} : { record_reference: reference }),
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
