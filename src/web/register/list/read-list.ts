import { filterTexts, type ListSelection } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import {
  countRecords,
  type RecordPage,
  readRecordPage,
  valuesForEmptyList,
} from '../../../queries/lists/list-records.ts';
import { listSource } from '../../../queries/lists/list-source.ts';
import type { ValuesInUse } from '../../../queries/lists/values-in-use.ts';
import { currentMoment, logTimeOf, momentOf } from '../../../queries/moments/moment.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import { formerMemberText, readFormerMembers, withFormerOwners } from '../../../queries/records/former-members.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { readMemberNames } from '../../../queries/records/member-names.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import type { Choice } from '../../components/fields.tsx';
import { MAX_COUNT } from '../../texts/counts.ts';
import { titleFieldOf } from '../naming-fields.ts';
import { asOfInput, type RegisterView } from '../open-register.ts';
import { type InputLabels, refusedInput } from '../refused-input.ts';
import { REGISTER_LISTS, type RegisterList } from '../register-lists.ts';
import { withoutFilter } from './list-address.ts';
import type { ListFilter } from './list-filters.ts';

const ROWS_PER_PAGE = 50;
const MAX_FRAMEWORK_CHOICES = 50;

/** A list as its page shows it. Its numbers are at most MAX_COUNT + 1, see countText. */
export interface ListView {
  selection: ListSelection;
  /** Says why the address's filter, order or cursor is not used; null if it is. */
  refusal: string | null;
  page: Pick<RecordPage, 'records' | 'next' | 'previous'>;
  /** The day that due dates are compared with. */
  today: string;
  matching: number;
  /** The number of records without the filters. */
  total: number;
  /** The number of records today, if a past moment is shown. */
  totalToday: number | null;
  /** The values in use of a text that the list is filtered by and no record has; null if there is none. */
  valuesInUse: ValuesInUse | null;
  /** The time of the first change, if a moment before it is shown. */
  firstChangeAt: string | null;
}

/** Reads the list in a view's address. A refused address gives the list without filters, and the refusal. */
export async function readList(
  reader: Reader,
  list: RegisterList,
  view: RegisterView,
  filters: readonly ListFilter[],
): Promise<ListView> {
  try {
    const selection = selectionOf(list, view);
    const page = { cursor: view.query.get('cursor') ?? undefined, before: view.query.get('before') ?? undefined };
    return await readSelection(reader, list, view, selection, page);
  } catch (thrown) {
    const refusal = refusedInput(thrown, inputLabels(filters));
    if (refusal === null) throw thrown;
    return { ...(await readSelection(reader, list, view, { filter: {} }, {})), refusal };
  }
}

/** Returns the labels of filters and of the order, by the names in refusals. */
function inputLabels(filters: readonly ListFilter[]): InputLabels {
  const labels = filters.flatMap(({ name, label }) => [
    [name, label],
    [`filter.${name}`, label],
  ]);
  return { 'order_by.field': 'The order', 'order_by.direction': 'The direction', ...Object.fromEntries(labels) };
}

function selectionOf({ queryReader }: RegisterList, { organization, query }: RegisterView): ListSelection {
  const { filter = {}, order_by } = queryReader.read(organization.id, query);
  return { filter, order_by };
}

async function readSelection(
  reader: Reader,
  { query, tool }: RegisterList,
  view: RegisterView,
  selection: ListSelection,
  cursors: { cursor?: string | undefined; before?: string | undefined },
): Promise<ListView> {
  const { filter, order_by } = selection;
  const input = {
    organization_id: view.organization.id,
    filter,
    order_by,
    size: ROWS_PER_PAGE,
    view: 'SUMMARY',
    ...asOfInput(view),
  } as const;
  const count = (changes: object) =>
    countRecords(reader, query, tool, view.caller, { ...input, max_count: MAX_COUNT + 1, ...changes });
  // Archived records are no part of a register unless the filter asks for them, so they belong to both counts.
  const everything = filter.include_archived === true ? { include_archived: true } : {};
  const isFiltered = Object.keys(withoutFilter(filter, 'include_archived')).length > 0;
  const [page, { total }, matching, countToday, moment] = await Promise.all([
    readRecordPage(reader, query, tool, view.caller, { ...input, ...cursors }),
    count({ filter: everything }),
    isFiltered ? count({}) : null,
    view.past === null ? null : count({ filter: everything, as_of: undefined }),
    momentOf(view.snapshot, view.organization.id, input.as_of),
  ]);
  const isEmpty = isFiltered && matching?.total === 0 && total > 0;
  const context = { snapshot: view.snapshot, organizationId: view.organization.id, moment };
  return {
    selection,
    refusal: null,
    page: { ...page, records: await withFormerOwners(context, page.records) },
    today: moment.today,
    valuesInUse: isEmpty ? await valuesForEmptyList(reader, query, tool, view.caller, input) : null,
    matching: matching?.total ?? total,
    total,
    totalToday: countToday?.total ?? null,
    firstChangeAt: view.past?.position === 0 ? await logTimeOf(view.snapshot, view.organization.id, 1) : null,
  };
}

/**
 * Reads the adopted frameworks as choices of a filter. Returns none for a single framework, and if the address names one
 * that is not among them, such as an archived one.
 */
export async function readFrameworkChoices(reader: Reader, view: RegisterView): Promise<Choice[]> {
  const { query, tool } = REGISTER_LISTS.get(FRAMEWORK.plural)!;
  const { records } = await readRecordPage(reader, query, tool, view.caller, {
    organization_id: view.organization.id,
    size: MAX_FRAMEWORK_CHOICES,
    view: 'SUMMARY',
    ...asOfInput(view),
  });
  const choices = records.map(({ id, name }) => ({ value: String(id), label: String(name) }));
  const isOffered = (id: string) => choices.some(({ value }) => value === id);
  const requested = [...view.query.getAll('framework_id'), ...view.query.getAll('linked_framework_id')];
  return choices.length > 1 && requested.every(isOffered) ? choices : [];
}

/** Reads the people who own records of a list at the view's moment and are no members today, as choices of a filter. */
export async function readFormerOwners({ query }: RegisterList, view: RegisterView): Promise<Choice[]> {
  const { snapshot, organization, caller } = view;
  const organizationId = organization.id;
  const owner_id = await readFormerMembers({ snapshot, organizationId, moment: currentMoment(snapshot) });
  if (owner_id.length === 0) return [];
  const moment = await momentOf(snapshot, organizationId, view.past?.asOf);
  const filter = { owner_id, include_archived: true };
  const source = await listSource({ snapshot, organizationId, moment }, query, caller, filter);
  const ids = (await snapshot.models.count(source, ['owner_id'])).map(({ values }) => String(values[0]));
  const names = await readMemberNames(snapshot, organizationId, ids);
  const choices = ids.map((id) => ({ value: id, label: formerMemberText(names.of(id)) }));
  return choices.sort((a, b) => a.label.localeCompare(b.label));
}

/** Reads the names of the records in a list's filters, such as `framework_id`. */
export async function readFilterNames(
  reader: Reader,
  view: RegisterView,
  filters: readonly ListFilter[],
  { filter }: ListSelection,
): Promise<Map<string, string>> {
  const references = filters.filter(({ name, control }) => control.kind === 'FIXED' && filter[name] !== undefined);
  const ids = [...new Set(references.flatMap(({ name }) => filterTexts(filter[name])))];
  if (ids.length === 0) return new Map();
  const input = { ids, organization_id: view.organization.id, include: ['ARCHIVED' as const], ...asOfInput(view) };
  const { records } = (await getRecords(reader, view.caller, input)) as { records: Record<string, unknown>[] };
  return new Map(records.map((record) => [String(record.id), nameOf(record)]));
}

function nameOf(record: Record<string, unknown>): string {
  const id = String(record.id);
  const family = FAMILY_DESCRIPTIONS.find(({ prefix }) => prefix === idPrefix(id))!;
  return String(record[titleFieldOf(family)] ?? id);
}
