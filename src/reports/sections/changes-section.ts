import type { ChangeDocument } from '../../projections/history/change-document.ts';
import { shortenValue } from '../../queries/changes/list-changes.ts';
import { keyIn } from '../../queries/lists/filters.ts';
import { type ChangedRecord, notCaughtUp } from '../../queries/moments/snapshot.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { Figure, ReportColumn, ReportContent, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { changedRecords, inBatches } from './changed-records.ts';
import { changeInVersion } from './first-version.ts';
import type { Period } from './period.ts';
import { type RecordSource, readInBatches } from './records.ts';
import { column, detail } from './report-columns.ts';

const COLUMNS: readonly ReportColumn[] = [
  column('record_type', 'Type'),
  column('record_reference', 'Reference'),
  column('record_name', 'Record'),
  column('recorded_at', 'When'),
  column('event_type', 'What'),
  { field: 'actor_id', title: 'Who', person: true, timeField: 'recorded_at' },
  column('reason', 'Why'),
  { field: 'changes', title: 'Changes', prose: true, timeField: 'recorded_at' },
  column('linked.name', 'Linked'),
  detail('effective_at', 'Effective'),
  detail('client', 'Client'),
  detail('revision', 'Revision'),
  column('position', 'Position'),
  detail('record_id', 'Record id'),
];

/** Returns the changes of a period, record by record and in order. A link's change appears with both records. */
export function changesSection(
  context: ReportContext,
  period: Period,
  note?: string,
): Pick<ReportContent, 'figures'> & { section: ReportSection } {
  const source = changesOfPeriod(context, period);
  const records = () => changedRecords(context, source);
  return {
    figures: async () => changeFigures(context, source, await records()),
    section: {
      name: 'changes',
      title: 'Changes by record',
      ...(note === undefined ? {} : { note }),
      columns: COLUMNS,
      group: COLUMNS.filter(({ field }) => field.startsWith('record_')),
      rows: async function* () {
        yield* rowsOfRecords(context, source, await records());
      },
      resume: {
        key: ({ position, record_id }) => `${position} ${record_id}`,
        rows: async function* (key) {
          const [position = '', id = ''] = key.split(' ');
          const all = await records();
          const index = all.findIndex((record) => record.id === id);
          if (index < 0) throw notCaughtUp();
          const isLaterPosition = { key: 'position', op: 'range', gt: Number(position) } as const;
          yield* rowsOfRecords(context, { ...source, where: [...source.where, isLaterPosition] }, [all[index]!]);
          yield* rowsOfRecords(context, source, all.slice(index + 1));
        },
      },
    },
  };
}

/** Returns the types of records whose changes a report lists, each once. Undefined for all. */
export function recordTypesOf({ inputs }: ReportContext): string[] | undefined {
  return inputs.record_types === undefined ? undefined : [...new Set(inputs.record_types.split(','))];
}

/** Selects the changes of a period. Seals are left out, as in listChanges: they change no record. */
function changesOfPeriod(context: ReportContext, { first, last }: Period): RecordSource {
  const types = recordTypesOf(context);
  const where: Condition[] = [
    ...(types === undefined ? [] : [keyIn('record_type', types)]),
    { key: 'position', op: 'range', gte: first, lte: last },
    { key: 'row_index', op: 'range', gte: 0 },
  ];
  return { collection: 'changes', organizationId: context.organizationId, where };
}

/** Yields the changes of these records, record by record. */
async function* rowsOfRecords(
  context: ReportContext,
  source: RecordSource,
  records: readonly ChangedRecord[],
): AsyncGenerator<ReportRow> {
  for (const batchOfRecords of inBatches(records)) {
    const values = batchOfRecords.map(({ id }) => id);
    const sourceOfRecords = { ...source, where: [{ key: 'record_id', op: 'in', values } as const, ...source.where] };
    const references = new Map(batchOfRecords.map(({ id, reference }) => [id, reference]));
    const rows = new Map<string, ReportRow[]>(values.map((id) => [id, []]));
    for await (const batch of readInBatches(context, sourceOfRecords, { key: 'record_id', direction: 'ASC' })) {
      for (const { key, doc } of batch) {
        const change = changeInVersion(context, doc as unknown as ChangeDocument);
        const row = changeRowOf(change, references.get(String(key)));
        // A single record may have many changes. They come in order, so none must be held.
        if (batchOfRecords.length === 1) yield row;
        else rows.get(String(key))!.push(row);
      }
    }
    yield* [...rows.values()].flat();
  }
}

async function countChanges(
  { snapshot: { models } }: ReportContext,
  source: RecordSource,
): Promise<{ changes: number; actors: number }> {
  const firstRowsOnly = { ...source, where: [...source.where, { key: 'row_index', op: 'eq', value: 0 } as const] };
  const actors = await models.count(firstRowsOnly, ['actor_id']);
  return { changes: actors.reduce((sum, { total }) => sum + total, 0), actors: actors.length };
}

/** Counts the changes of some records and their actors. The change of a link between two of them counts once. */
async function countChangesOf(
  { snapshot: { models } }: ReportContext,
  source: RecordSource,
  records: readonly ChangedRecord[],
): Promise<{ changes: number; actors: number }> {
  const positions = new Set<unknown>();
  const actors = new Set<unknown>();
  for (const batch of inBatches(records)) {
    const ofRecords = keyIn(
      'record_id',
      batch.map(({ id }) => id),
    );
    const counts = await models.count({ ...source, where: [ofRecords, ...source.where] }, ['position', 'actor_id']);
    for (const { values } of counts) {
      positions.add(values[0]);
      actors.add(values[1]);
    }
  }
  return { changes: positions.size, actors: actors.size };
}

async function changeFigures(
  context: ReportContext,
  source: RecordSource,
  records: readonly ChangedRecord[],
): Promise<Figure[]> {
  const { record_types, owner_id } = context.inputs;
  const isWhole = record_types === undefined && owner_id === undefined;
  const { changes, actors } = isWhole
    ? await countChanges(context, source)
    : await countChangesOf(context, source, records);
  return [
    changeFigure(
      'changes',
      'Changes',
      changes,
      'changes in the period; the change of a link is listed below with both records',
    ),
    changeFigure(
      'records_changed',
      'Records changed',
      records.length,
      'records that were changed, linked or unlinked in the period',
    ),
    changeFigure(
      'actors',
      'Made by',
      actors,
      'people who made these changes; the service counts as one if it made any',
    ),
  ];
}

const changeFigure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Changes in the period', label, kind: 'COUNT', value, counts };
};

/** Returns a change as a row. @param reference the record's reference id at the report's moment */
export function changeRowOf(change: ChangeDocument, reference?: string): ReportRow {
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
    changes: change.changes.map(({ field, from, to }) => ({ field, from: shortenValue(from), to: shortenValue(to) })),
    ...(change.stale ? { stale: true } : {}),
  };
}
