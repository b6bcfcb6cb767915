import { modelOfId } from '../../projections/models.ts';
import type { FamilyQuery } from '../../queries/family-query.ts';
import { listConditions } from '../../queries/lists/filters.ts';
import { findPageStart, type KeysetQuery, type PageRow, readKeysetPages } from '../../queries/lists/keyset-page.ts';
import { notCaughtUp } from '../../queries/moments/snapshot.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { ReportColumn, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { recordInVersion } from './first-version.ts';
import { conditionsForVersion } from './linked-records.ts';

type Document = Record<string, unknown>;
/** The query of a read, without order and page. */
export type RecordSource = Pick<KeysetQuery, 'collection' | 'organizationId' | 'where'>;
type Order = KeysetQuery['order'];

const RECORDS_PER_READ = 500;

/** Returns the query for a family's records at the report's moment. @param filter as the family's list takes it */
export function recordsAt(
  { organizationId, moment, inputs, readsCurrent }: ReportContext,
  family: FamilyQuery,
  filter: Readonly<Record<string, unknown>> = {},
): RecordSource {
  const owned = inputs.owner_id === undefined ? {} : { owner_id: [inputs.owner_id] };
  const context = { today: moment.today, account_id: '', filter: { ...owned, ...filter } };
  return readsCurrent
    ? {
        collection: family.plural,
        organizationId,
        where: listConditions(family, { ...moment, position: null }, context),
      }
    : { collection: family.history, organizationId, where: listConditions(family, moment, context) };
}

/**
 * Reads all matches of a query in batches. Only one batch is in memory at a time.
 * @param after finds the match after which to begin; by default reading begins with the first
 */
export async function* readInBatches(
  context: ReportContext,
  source: RecordSource,
  order: Order,
  after?: readonly Condition[],
): AsyncGenerator<PageRow[]> {
  const { models } = context.snapshot;
  const pageStart = after === undefined ? null : await findPageStart(models, { ...source, order }, after);
  if (after !== undefined && pageStart === null) throw notCaughtUp();
  const query = { ...source, order, size: RECORDS_PER_READ, after: pageStart };
  for await (const rows of readKeysetPages(() => models, query)) {
    context.signal?.throwIfAborted();
    context.recordsRead?.(rows.length);
    yield rows;
  }
}

/**
 * Returns some fields of a record without the empty ones. A record that may lack an event always has `stale`.
 * @param computed fields that replace those of the record
 */
export function pickFields(document: Document, fields: readonly string[], computed: Document = {}): Document {
  const row: Document = {};
  for (const field of fields) {
    const value = field in computed ? computed[field] : document[field];
    if (value !== null && value !== undefined) row[field] = value;
  }
  if (document.stale) row.stale = true;
  return row;
}

/** Returns a record's name for a list with records of several families. */
export function recordName(document: Document): string {
  return modelOfId(String(document.id))!.nameOf(document);
}

/** A section with records of a family. Its rows have the columns' fields. */
export interface RecordsSectionOptions {
  name: string;
  title: string;
  note?: string;
  family: FamilyQuery;
  filter?: Readonly<Record<string, unknown>>;
  /** The query to read instead of the filter's. */
  source?: RecordSource;
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

/** Returns the function that computes `review_overdue`. Records with the final status are never overdue. */
export function reviewOverdueUnless(finalStatus: string) {
  return async ({ moment }: ReportContext, documents: readonly ReportRow[]): Promise<ReportRow[]> =>
    documents.map(({ status, next_review_due: due }) => ({
      review_overdue: status !== finalStatus && typeof due === 'string' && due < moment.today,
    }));
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
  const source = options.source ?? recordsAt(context, family, filter);
  const { field: key, direction } = family.defaultOrder;
  const fields = [...new Set(columns.map(({ field }) => field.split('.', 1)[0]!))];
  const startAfter = after === undefined ? undefined : conditionsForVersion(context, after);
  for await (const rows of readInBatches(context, source, { key, direction }, startAfter)) {
    const documents = rows.map(({ doc }) => recordInVersion(context, family.type, doc));
    const addedFields = await addFields?.(context, documents);
    for (const [index, document] of documents.entries()) {
      if (addedFields?.[index] === null) continue;
      const dayFacts = family.dayFacts(document, context.moment.today);
      yield pickFields(document, fields, { ...dayFacts, ...addedFields?.[index] });
    }
  }
}
