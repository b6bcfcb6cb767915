import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { FamilyQuery } from '../family-query.ts';
import { type Moment, momentHint, momentOf, type QueryContext, requireCursorPosition } from '../moments/moment.ts';
import { isIncomplete, type Reader } from '../moments/snapshot.ts';
import { withLinkedControls } from '../records/link-filters.ts';
import { countThatFit, cutToFit, presentRecords, type RecordView } from '../records/present-records.ts';
import { type PageCursor, readCursor, writeCursor } from './cursor.ts';
import { emptyListHint, valuesForUnknownText } from './empty-list-hint.ts';
import { hasLinkFilter } from './filters.ts';
import { type PageRow, readKeysetPage } from './keyset-page.ts';
import { listSource } from './list-source.ts';
import { nearMatches } from './near-matches.ts';
import { resolveOwnerFilter } from './owner-filter.ts';
import type { ValuesInUse } from './values-in-use.ts';

export interface ListRecordsInput {
  organization_id: string;
  filter?: Record<string, unknown> | undefined;
  order_by?: { field?: string | undefined; direction?: 'ASC' | 'DESC' | undefined } | undefined;
  size: number;
  cursor?: string | undefined;
  /** Reads the page before this cursor instead. Pages of the browser have it, tools don't. */
  before?: string | undefined;
  as_of?: string | undefined;
  /** Counts at most so many records. Pages of the browser have it, tools don't. */
  max_count?: number | undefined;
  view: 'SUMMARY' | 'FULL' | 'COUNT';
}

/** Lists a page of a family's records, or counts them, now or at a past moment. */
export async function listRecords(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput,
): Promise<object> {
  const { view } = input;
  if (view === 'COUNT') {
    const count = await countRecords(reader, family, tool, caller, input);
    return count.total > 0 ? count : { ...count, ...(await hintOf(reader, family, tool, caller, input)) };
  }
  const { records, next, notes } = await readRecordPage(reader, family, tool, caller, { ...input, view });
  const isEmpty = records.length === 0 && input.cursor === undefined;
  const hint = isEmpty ? await hintOf(reader, family, tool, caller, input) : {};
  const answer: Record<string, unknown> = { [family.plural]: records };
  if (next !== null) answer.next_cursor = next;
  return Object.assign(answer, notes, hint);
}

/** Returns the hint of an empty list; an empty object if there is nothing to say. */
async function hintOf(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput,
): Promise<{ hint?: string }> {
  const hint = await emptyListHint(family, input.filter ?? {}, sourceWith(reader, family, tool, caller, input));
  return hint === null ? {} : { hint };
}

/** Returns the values in use of the first text that an empty list is filtered by and no record has; null without one. */
export function valuesForEmptyList(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput,
): Promise<ValuesInUse | null> {
  return valuesForUnknownText(family, input.filter ?? {}, sourceWith(reader, family, tool, caller, input));
}

/** Returns the ids of records that a query nearly finds, archived ones too. */
export async function nearRecordIds(
  reader: Reader,
  family: FamilyQuery,
  caller: Caller,
  { query, ...input }: { organization_id: string; query: string; as_of?: string | undefined },
): Promise<string[]> {
  const sourceOf = sourceWith(reader, family, 'search', caller, { ...input, size: 1, view: 'SUMMARY' });
  const near = await nearMatches(family, query, await sourceOf({ include_archived: true }));
  return near.map(({ id }) => String(id));
}

function sourceWith(reader: Reader, family: FamilyQuery, tool: string, caller: Caller, input: ListRecordsInput) {
  return async (filter: Readonly<Record<string, unknown>>) => {
    const { source, context } = await openList(reader, family, tool, caller, { ...input, filter });
    return { ...source, models: context.snapshot.models };
  };
}

/** Counts the records that a list finds, now or at a past moment. */
export async function countRecords(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput,
): Promise<{ total: number }> {
  const { source, context, notes } = await openList(reader, family, tool, caller, input);
  const [result] = await context.snapshot.models.count({ ...source, limit: input.max_count });
  return { total: result?.total ?? 0, ...notes };
}

/** A page of a list, and the cursors of the pages beside it; null without one. */
export interface RecordPage {
  records: readonly Record<string, unknown>[];
  next: string | null;
  /** The value of `before` for the previous page. */
  previous: string | null;
  notes: object;
}

/** Reads a page of a family's records, after `cursor` or before `before`. */
export async function readRecordPage(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput & { view: RecordView },
): Promise<RecordPage> {
  const { source, context, order, boundTo, after, notes } = await openList(reader, family, tool, caller, input);
  const { snapshot, moment } = context;
  const { filter = {} } = input;
  const isReversed = input.before !== undefined;
  const rows = await readKeysetPage(snapshot.models, {
    ...source,
    order: { key: order.field, direction: order.direction },
    size: input.size,
    after,
    isReversed,
  });
  const presented = await presentRecords(
    context,
    withFilteredFields(family, filter),
    rows.slice(0, input.size).map((row) => row.doc),
    input.view,
  );
  const documents = hasLinkFilter(filter) ? await withLinkedControls(context, filter, presented) : presented;
  const count = countThatFit(documents);
  const records = documents.slice(0, count).map((document) => (count === 1 ? cutToFit(document) : document));
  const hasMore = rows.length > count;
  const page = rows.slice(0, count);
  if (isReversed) {
    records.reverse();
    page.reverse();
  }
  const cursorAt = (row: PageRow | undefined, bound: unknown) =>
    row === undefined ? null : writeCursor(snapshot.cursorKey, bound, cursorOf(row, moment));
  return {
    records,
    next: isReversed || hasMore ? cursorAt(page.at(-1), boundTo) : null,
    previous: (isReversed ? hasMore : after !== null) ? cursorAt(page[0], backwards(boundTo)) : null,
    notes,
  };
}

/** Adds the fields that a filter is about to the summary, so that each row shows why it was found. */
function withFilteredFields(family: FamilyQuery, filter: Record<string, unknown>): FamilyQuery {
  const missing = (filter.missing as readonly string[] | undefined) ?? [];
  const names = Object.keys(filter).filter((name) => filter[name] !== undefined);
  names.push(...missing.map((option) => `missing.${option}`));
  const filteredFields = names.flatMap((name) => family.filteredFields[name] ?? []);
  const addedFields = filteredFields.filter((field) => !family.summary.includes(field));
  return addedFields.length === 0 ? family : { ...family, summary: [...family.summary, ...new Set(addedFields)] };
}

/** The inputs of a cursor for the page before a row. A list's `cursor` is refused as one, and the other way round. */
const backwards = (boundTo: readonly unknown[]): readonly unknown[] => [...boundTo, 'BEFORE'];

/** Opens a list: checks the permissions, resolves the moment, and turns the filter into conditions. */
async function openList(reader: Reader, family: FamilyQuery, tool: string, caller: Caller, input: ListRecordsInput) {
  const { organization_id: organizationId, filter: given = {}, cursor, before, as_of } = input;
  requirePermission(caller, organizationId, 'readRecords');
  const snapshot = reader.snapshot();
  const order = orderOf(family, input);
  const filter = await resolveOwnerFilter(snapshot, caller, organizationId, given);
  const boundTo = [tool, organizationId, filter, order, as_of ?? null];
  const after =
    before !== undefined
      ? readCursor(snapshot.cursorKey, backwards(boundTo), before)
      : cursor !== undefined
        ? readCursor(snapshot.cursorKey, boundTo, cursor)
        : null;
  if (after !== null) {
    const field = before === undefined ? 'cursor' : 'before';
    await requireCursorPosition(snapshot, organizationId, after.position, field);
  }
  const moment: Moment = after ?? (await momentOf(snapshot, organizationId, as_of));
  const context: QueryContext = { snapshot, organizationId, moment };
  const source = await listSource(context, family, caller, filter);
  const resolved = filter === given ? {} : { owner_id: filter.owner_id };
  return { source, context, order, boundTo, after, notes: { ...resolved, ...(await answerNotes(context)) } };
}

/** Returns the order. Without a direction, the family's default field has its default direction, others ascend. */
function orderOf({ defaultOrder }: FamilyQuery, { order_by }: ListRecordsInput): FamilyQuery['defaultOrder'] {
  if (order_by === undefined) return defaultOrder;
  const { field = defaultOrder.field } = order_by;
  const defaultDirection = field === defaultOrder.field ? defaultOrder.direction : 'ASC';
  return { field, direction: order_by.direction ?? defaultDirection };
}

function cursorOf(row: PageRow, moment: Moment): PageCursor {
  return { isKeyEmpty: row.isKeyEmpty, key: row.key, id: row.id, today: moment.today, position: moment.position };
}

/** The members of an answer that describe its moment and completeness. */
interface AnswerNotes {
  as_of?: { position: string; date: string; note?: string };
  incomplete?: true;
}

/** Returns the members of an answer that describe its moment and completeness. */
export async function answerNotes(context: QueryContext): Promise<AnswerNotes> {
  const { snapshot, organizationId, moment } = context;
  const notes: AnswerNotes = {};
  if (moment.position !== null) {
    const note = await momentHint(context);
    const noteMember = note === null ? {} : { note };
    notes.as_of = { position: String(moment.position), date: moment.today, ...noteMember };
  }
  if (isIncomplete(snapshot, organizationId)) notes.incomplete = true;
  return notes;
}
