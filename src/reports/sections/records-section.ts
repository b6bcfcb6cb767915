import type { FamilyQuery } from '../../queries/family-query.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { versionAtMoment } from './linked-records.ts';
import { pickFields, readInBatches, recordsAt, withDayFacts } from './read-records.ts';

/** A section with records of a family. Its rows have the columns' fields. */
export interface RecordsSectionOptions {
  name: string;
  title: string;
  note?: string;
  family: FamilyQuery;
  filter?: Readonly<Record<string, unknown>>;
  columns: readonly ReportColumn[];
  /** Returns further fields for a batch of records, in the same order. Null leaves the record out. */
  addFields?(context: ReportContext, documents: readonly ReportRow[]): Promise<readonly (ReportRow | null)[]>;
}

/** Returns a section with a family's records at the report's moment. Archived ones are left out. */
export function recordsSection(context: ReportContext, options: RecordsSectionOptions): ReportSection {
  const { name, title, note, columns } = options;
  const resume = { key: ({ id }: ReportRow) => String(id), rows: (id: string) => recordRows(context, options, id) };
  const noteMember = note === undefined ? {} : { note };
  return { name, title, ...noteMember, columns, rows: () => recordRows(context, options), resume };
}

/** Returns a section with one record. JSON has the `dataFields` too, text does not. */
export function recordSection(
  name: string,
  title: string,
  columns: readonly ReportColumn[],
  record: ReportRow,
  dataFields: readonly string[] = [],
): ReportSection {
  async function* rows(): AsyncGenerator<ReportRow> {
    yield pickFields(record, [...columns.map(({ field }) => field), ...dataFields]);
  }
  return { name, title, columns, rows };
}

async function* recordRows(
  context: ReportContext,
  options: RecordsSectionOptions,
  after?: string,
): AsyncGenerator<ReportRow> {
  const { family, filter, columns, addFields } = options;
  const { field: key, direction } = family.defaultOrder;
  const fields = [...new Set(columns.map(({ field }) => field.split('.', 1)[0]!))];
  const behind = after === undefined ? undefined : versionAtMoment(context, after);
  for await (const rows of readInBatches(context, recordsAt(context, family, filter), { key, direction }, behind)) {
    const documents = rows.map(({ doc }) => doc);
    const addedFields = await addFields?.(context, documents);
    for (const [index, document] of documents.entries()) {
      if (addedFields?.[index] === null) continue;
      const day = withDayFacts(family, document, context.moment.today);
      yield pickFields({ ...day, ...addedFields?.[index] }, fields);
    }
  }
}
