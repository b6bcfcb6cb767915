import type { Caller } from '../commands/caller.ts';
import { requirePermission, toolPermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { historyOf, type MissingOption } from '../projections/read-model.ts';
import { wordsOf } from '../projections/text.ts';
import type { Condition } from '../stores/read-store.ts';
import { type PageCursor, readCursor, writeCursor } from './cursor.ts';
import { type FamilyQuery, type FilterContext, keyIn, MISSING_OPTION_CONDITIONS } from './family-query.ts';
import { type PageRow, readKeysetPage } from './keyset-page.ts';
import { type Moment, momentOf, recordsById, requireAsOfPermission, validAt } from './moment.ts';
import { countThatFit, cutToFit, presentRecords } from './present-records.ts';
import { isIncomplete, type Reader } from './reader.ts';
import { linkedToCondition } from './record-links.ts';

/** Each word is a condition of its own; SQLite takes a depth of 1,000. */
const MAX_QUERY_WORDS = 100;

export interface ListRecordsInput {
  organization_id: string;
  filter?: Record<string, unknown> | undefined;
  order_by?: { field?: string | undefined; direction?: 'ASC' | 'DESC' | undefined } | undefined;
  size: number;
  cursor?: string | undefined;
  as_of?: string | undefined;
  view: 'SUMMARY' | 'FULL' | 'COUNT';
}

/** A page of a family's records, or their number, now or at any moment. */
export async function listRecords(
  reader: Reader,
  family: FamilyQuery,
  tool: string,
  caller: Caller,
  input: ListRecordsInput,
): Promise<object> {
  requirePermission(caller, input.organization_id, toolPermission(tool));
  const order = orderOf(family, input);
  const boundTo = [tool, input.organization_id, input.filter ?? {}, order, input.as_of ?? null];
  const after = input.cursor === undefined ? null : readCursor(reader.cursorKey, boundTo, input.cursor);
  // With a cursor too: one that somebody else was given leads nobody into the past.
  requireAsOfPermission(reader, caller, input.organization_id, input.as_of);
  const moment: Moment = after ?? (await momentOf(reader, input.organization_id, input.as_of));
  const source = {
    collection: moment.position === null ? family.plural : historyOf(family.plural),
    organizationId: input.organization_id,
    where: [
      ...(await linkedToCondition(reader, input.organization_id, family, moment, input.filter ?? {})),
      ...listConditions(family, moment, {
        today: moment.today,
        account_id: caller.account_id,
        filter: input.filter ?? {},
      }),
    ],
  };
  const notes = answerNotes(reader, input.organization_id, moment);
  if (input.view === 'COUNT') {
    const [counted] = await reader.models.count(source);
    return { total: counted?.total ?? 0, ...notes };
  }
  const rows = await readKeysetPage(reader.models, {
    ...source,
    order: { key: order.field, direction: order.direction },
    size: input.size,
    after,
  });
  const documents = await presentRecords(
    reader,
    family,
    rows.slice(0, input.size).map((row) => row.doc),
    moment,
    input.view,
  );
  const shown = countThatFit(documents);
  const records = documents.slice(0, shown).map((document) => (shown === 1 ? cutToFit(document) : document));
  const next =
    rows.length > shown ? writeCursor(reader.cursorKey, boundTo, cursorAfter(rows[shown - 1]!, moment)) : null;
  return { [family.plural]: records, ...(next ? { next_cursor: next } : {}), ...notes };
}

/** A field's direction, unless given, is the family's own where it is its default field, else ascending. */
function orderOf({ defaultOrder }: FamilyQuery, { order_by }: ListRecordsInput): FamilyQuery['defaultOrder'] {
  if (order_by === undefined) return defaultOrder;
  const { field = defaultOrder.field } = order_by;
  const usual = field === defaultOrder.field ? defaultOrder.direction : 'ASC';
  return { field, direction: order_by.direction ?? usual };
}

function cursorAfter(row: PageRow, moment: Moment): PageCursor {
  return { empty: row.empty, key: row.key, id: row.id, today: moment.today, position: moment.position };
}

/** What an answer says beside its records. */
export function answerNotes(reader: Reader, organizationId: string, moment: Moment): object {
  const incomplete = isIncomplete(reader, organizationId);
  return {
    ...(moment.position === null ? {} : { as_of: { position: String(moment.position), date: moment.today } }),
    ...(incomplete ? { incomplete: true } : {}),
  };
}

/** A filter as conditions on what is stored. */
export function listConditions(family: FamilyQuery, moment: Moment, context: FilterContext): Condition[] {
  const { query, ids, owner_id, linked_to, missing, updated_since, include_archived, ...own } = context.filter;
  // The store checks them in this order, so what leaves most records out comes first, what nearly all pass last.
  const where: Condition[] = [];
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) where.push(...family.filters[name]!(value as never, context));
  }
  if (ids !== undefined) where.push(recordsById(ids as string[], moment));
  if (owner_id !== undefined) where.push(keyIn('owner_id', accountIds(owner_id as string[], context)));
  for (const fact of (missing as MissingOption[] | undefined) ?? [])
    where.push(MISSING_OPTION_CONDITIONS[fact](context.today));
  if (updated_since !== undefined) where.push({ key: 'updated_at', op: 'range', gte: String(updated_since) });
  if (moment.position !== null) where.push(...validAt(moment.position));
  if (!include_archived) where.push({ key: 'archived', op: 'eq', value: 0 });
  const prefixes = query === undefined ? [] : queryWords(String(query));
  if (prefixes.length > 0) where.push({ op: 'words', prefixes });
  return where;
}

/** The different words of a query. @throws Refusal where they are more than a store is asked for at once */
function queryWords(query: string): string[] {
  const words = wordsOf(query);
  if (words.length <= MAX_QUERY_WORDS) return words;
  const message = `query has ${words.length} different words: search by at most ${MAX_QUERY_WORDS}.`;
  throw new Refusal('invalid_input', message, { field: 'filter.query' });
}

function accountIds(ids: readonly string[], context: FilterContext): string[] {
  return ids.map((id) => (id === 'ME' ? context.account_id : id));
}
