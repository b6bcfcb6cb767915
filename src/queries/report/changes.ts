import { kindOf } from '../../commands/ids.ts';
import { Refusal } from '../../commands/refusal.ts';
import { adoptionKey, type ChangeDocument } from '../../projections/changes.ts';
import type { Condition, Scalar } from '../../stores/read-store.ts';
import { cutSide } from '../changes.ts';
import { beginOf, completionOf, endOf } from '../moment.ts';
import { column, detail } from './columns.ts';
import type { Column, Content, Figure, ReportContext, Row, Section } from './report-type.ts';
import { walk } from './walk.ts';

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

/** The changes of a period: from which ordinal to which, both included, and how a report tells them. */
export interface Period extends Pick<Content, 'figures'> {
  first: number;
  last: number;
  /** Record by record, each record's in their order. A link is told of both its records. */
  section: Section;
}

/**
 * Changes from a moment until another, each in the forms of `as_of`: from the beginning unless given, until the report's
 * moment, and never beyond it.
 * @throws Refusal where one is no moment
 */
export async function periodOf(context: ReportContext, from: string | null, to: string | null): Promise<Period> {
  const first = from === null ? 1 : await firstFrom(context, from);
  const last = to === null ? context.moment.ordinal : await lastUntil(context, to);
  return {
    first,
    last,
    figures: () => figuresOf(context, first, last),
    section: {
      name: 'changes',
      title: 'Changes by record',
      columns: COLUMNS,
      rows: () => changes(context, first, last),
      resume: {
        mark: ({ position, record_id }) => `${position} ${record_id}`,
        rows: (mark) => changes(context, first, last, mark),
      },
    },
  };
}

/** The first ordinal of a period: of a day its beginning. Beyond the report's moment there is nothing. */
async function firstFrom(context: ReportContext, from: string): Promise<number> {
  const named = await ordinalOf(context, 'from', from);
  if (named !== null) return Math.max(1, named);
  const time = timeOf('from', beginOf(from));
  const after = context.moment.ordinal + 1;
  return Math.min(after, (await changeBy(context, { key: 'log_time', op: 'range', gte: time }, 'ASC')) ?? after);
}

/** The last ordinal of a period: of a day its end, and never beyond the report's moment. */
async function lastUntil(context: ReportContext, to: string): Promise<number> {
  const named = await ordinalOf(context, 'to', to);
  const found =
    named ?? (await changeBy(context, { key: 'log_time', op: 'range', lte: timeOf('to', endOf(to)) }, 'DESC')) ?? 0;
  return Math.min(context.moment.ordinal, found);
}

/** Of a position or a completed audit; null where it is a time. */
async function ordinalOf(
  { reader, organizationId }: ReportContext,
  field: string,
  text: string,
): Promise<number | null> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return kindOf(text) === 'aud' ? completionOf(reader, organizationId, text, field) : null;
}

function timeOf(field: string, time: string | null): string {
  if (time !== null) return time;
  const message = `Give ${field} as a date, a timestamp in UTC, a completed audit's id, or a position.`;
  throw new Refusal('invalid_input', message, { field });
}

async function changeBy(
  { reader, organizationId }: ReportContext,
  condition: Condition,
  direction: 'ASC' | 'DESC',
): Promise<number | null> {
  const order = { key: 'log_time', direction };
  const [found] = await reader.models.find({
    collection: 'changes',
    organizationId,
    where: [condition],
    order,
    limit: 1,
  });
  return found === undefined ? null : Number(found.doc.position);
}

function between({ organizationId }: ReportContext, first: number, last: number) {
  const where: Condition[] = [{ key: 'position', op: 'range', gte: first, lte: last }];
  return { collection: 'changes', organizationId, where };
}

/** @param after mark of the row behind which to begin */
async function* changes(context: ReportContext, first: number, last: number, after?: string): AsyncGenerator<Row> {
  const order = { key: 'record_id', direction: 'ASC' } as const;
  const [position, value = ''] = after?.split(' ') ?? [];
  const behind: Condition[] = [
    { key: 'record_id', op: 'eq', value },
    { key: 'position', op: 'eq', value: Number(position) },
  ];
  const source = between(context, first, last);
  for await (const batch of walk(context, source, order, after === undefined ? undefined : behind)) {
    for (const { key, doc } of batch) {
      // An adoption is found by each of its controls too; here it is told of the framework alone.
      if (!isAdoption(key)) yield rowOfChange(doc as unknown as ChangeDocument);
    }
  }
}

const isAdoption = (key: Scalar | null): boolean => String(key).startsWith(ADOPTION);

/** How many changes there were, on how many records, by how many. */
async function figuresOf(context: ReportContext, first: number, last: number): Promise<Figure[]> {
  const source = between(context, first, last);
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
