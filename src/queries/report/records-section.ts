import type { FamilyQuery } from '../family.ts';
import { versionThen } from './beside.ts';
import type { Column, ReportContext, Row, Section } from './report-type.ts';
import { onDay, recordsAt, rowOf, walk } from './walk.ts';

/** Records of a family as a section: which, in what order, and what is told of each. */
export interface RecordsSection {
  name: string;
  title: string;
  note?: string;
  family: FamilyQuery;
  filter?: Readonly<Record<string, unknown>>;
  columns: readonly Column[];
  /** What a batch's rows tell beside the records' own fields, in the batch's order; null for a record that has no row. */
  more?(context: ReportContext, documents: readonly Row[]): Promise<readonly (Row | null)[]>;
}

/** A family's records, live ones, as they were. */
export function recordsSection(context: ReportContext, own: RecordsSection): Section {
  const { name, title, note, columns } = own;
  const resume = { mark: ({ id }: Row) => String(id), rows: (id: string) => recordRows(context, own, id) };
  const told = note === undefined ? {} : { note };
  return { name, title, ...told, columns, rows: () => recordRows(context, own), resume };
}

/** One record as it was, as a section; `beside` are fields that text does not show. */
export function recordSection(
  name: string,
  title: string,
  columns: readonly Column[],
  record: Row,
  beside: readonly string[] = [],
): Section {
  async function* rows(): AsyncGenerator<Row> {
    yield rowOf(record, [...columns.map(({ field }) => field), ...beside]);
  }
  return { name, title, columns, rows };
}

async function* recordRows(context: ReportContext, own: RecordsSection, after?: string): AsyncGenerator<Row> {
  const { family, filter, columns, more } = own;
  const { field: key, direction } = family.defaultOrder;
  const fields = [...new Set(columns.map(({ field }) => field.split('.', 1)[0]!))];
  const behind = after === undefined ? undefined : versionThen(context, after);
  for await (const rows of walk(context, recordsAt(context, family, filter), { key, direction }, behind)) {
    const documents = rows.map(({ doc }) => doc);
    const added = await more?.(context, documents);
    for (const [index, document] of documents.entries()) {
      if (added?.[index] === null) continue;
      const day = onDay(family, document, context.moment.today);
      yield rowOf({ ...day, ...added?.[index] }, fields);
    }
  }
}
