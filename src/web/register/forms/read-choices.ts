import { idPrefix } from '../../../commands/engine/ids.ts';
import { familyQueryFor } from '../../../queries/family-query.ts';
import { readRecordPage } from '../../../queries/lists/list-records.ts';
import { searchRecords } from '../../../queries/lists/search-records.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { FAMILY_DESCRIPTIONS, familyOfPrefix, linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Fields } from '../../../register/field.ts';
import type { Choice } from '../../components/fields.tsx';
import type { ToolError } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import type { FormValues } from '../../server/form-state.ts';
import { dayText } from '../../texts/dates.ts';
import { titleFieldOf } from '../naming-fields.ts';
import { numberedName } from '../record/numbered-name.ts';
import { REGISTER_LISTS } from '../register-lists.ts';
import {
  type FormField,
  isUnknownRecord,
  type OrganizationChoices,
  refusedWord,
  withCandidates,
} from './form-fields.ts';
import type { FormView } from './open-form.ts';

/** The records that a list can name. */
const MAX_NAMED_RECORDS = 20;

/** The records that the search for a word offers. */
const MAX_FOUND_RECORDS = 8;

/** The records that a field offers. Forms choose frameworks and audits this way, of which there are few. */
const MAX_RECORD_CHOICES = 100;

/**
 * Reads the members and records that the fields of a form offer. A list of records has those that the address names, and
 * those that were sent.
 */
export async function readChoices(
  context: Pick<WebContext, 'members' | 'reader'>,
  view: FormView,
  fields: Fields,
): Promise<OrganizationChoices> {
  const records = new Map<string, readonly Choice[]>();
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === 'id' && field.prefix !== '')
      records.set(name, await readRecordChoices(context, view, field.prefix));
    if (field.kind === 'ids') records.set(name, await readNamesOf(context, view, view.namedIds(name)));
  }
  return { members: await readMemberChoices(context, view), records };
}

async function readMemberChoices({ members }: Pick<WebContext, 'members'>, view: FormView): Promise<Choice[]> {
  const all = await members.membersOf(view.organization.id);
  const current = all.filter(({ ended }) => !ended).toSorted((a, b) => a.name.localeCompare(b.name));
  return current.map(({ account_id, name }) => ({
    value: account_id,
    label: account_id === view.caller.account_id ? `${name} (you)` : name,
  }));
}

async function readRecordChoices({ reader }: Pick<WebContext, 'reader'>, view: FormView, prefix: string) {
  const family = FAMILY_DESCRIPTIONS.find((candidate) => candidate.prefix === prefix)!;
  const { query, tool } = REGISTER_LISTS.get(family.plural)!;
  const { records } = await readRecordPage(reader, query, tool, view.caller, {
    organization_id: view.organization.id,
    size: MAX_RECORD_CHOICES,
    view: 'SUMMARY',
  });
  return records.map((record) => ({ value: String(record.id), label: String(record[titleFieldOf(family)]) }));
}

/** A refused form: its fields, and the error. */
interface Refused {
  fields: readonly FormField[];
  error: ToolError;
}

/**
 * Offers the records that a refused word may name: those that have this name, or those that a search finds. It is how records
 * are searched without script.
 */
export async function offerRecords(
  context: Pick<WebContext, 'reader' | 'scanReaderOf'>,
  view: FormView,
  { prefix }: Pick<FamilyDescription, 'prefix'>,
  { fields, error }: Refused,
  values: FormValues,
): Promise<Refused> {
  const word = refusedWord(error, values);
  const candidates =
    error.candidates ??
    (isUnknownRecord(error) ? await findCandidates(context, view, word, linkablePrefixes(prefix)) : []);
  if (candidates.length === 0) return { fields, error };
  const choices = await choicesOf(context, view, candidates);
  return { fields: withCandidates(fields, error, choices), error: { ...error, candidates } };
}

async function findCandidates(
  context: Pick<WebContext, 'scanReaderOf'>,
  { caller, organization }: FormView,
  query: string,
  prefixes: readonly string[],
): Promise<NonNullable<ToolError['candidates']>> {
  const hits = await searchRecords(context.scanReaderOf(caller), caller, { organization_id: organization.id, query });
  return hits
    .flatMap(({ records }) => records)
    .filter(({ id, archived_at }) => prefixes.includes(idPrefix(String(id)) ?? '') && typeof archived_at !== 'string')
    .slice(0, MAX_FOUND_RECORDS)
    .map((record) => ({ id: String(record.id), name: nameOf(record) }));
}

/** Returns records as choices. Those without a number have their id and their day, to tell them apart. */
async function choicesOf(
  context: Pick<WebContext, 'reader'>,
  view: FormView,
  candidates: NonNullable<ToolError['candidates']>,
): Promise<Choice[]> {
  const isShared = (name: string) => candidates.filter((other) => other.name === name).length > 1;
  const shared = candidates.filter(({ name }) => isShared(name)).map(({ id }) => id);
  const days = new Map(
    (await readRecords(context, view, shared)).map(({ id, created_at }) => [id, dayText(String(created_at))]),
  );
  return candidates.map(({ id, name }) => ({
    value: id,
    label: name,
    ...(days.has(id) ? { hint: `${id}, added on ${days.get(id)}` } : {}),
  }));
}

/** Returns the records with these ids that exist, as choices. */
export async function readNamesOf(
  context: Pick<WebContext, 'reader'>,
  view: FormView,
  named: readonly string[],
): Promise<Choice[]> {
  const ids = [...new Set(named)]
    .filter((id) => familyOfPrefix(idPrefix(id) ?? '') !== undefined)
    .slice(0, MAX_NAMED_RECORDS);
  return (await readRecords(context, view, ids)).map((record) => ({ value: String(record.id), label: nameOf(record) }));
}

function nameOf(record: Readonly<Record<string, unknown>>): string {
  const { reference_id = record.section_title } = record;
  const { model } = familyQueryFor(String(record.id));
  return numberedName({ reference_id, name: model.nameOf?.(record) ?? String(record.name) });
}

async function readRecords(
  { reader }: Pick<WebContext, 'reader'>,
  { caller, organization }: FormView,
  ids: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (ids.length === 0) return [];
  const { records } = (await getRecords(reader, caller, { ids, organization_id: organization.id, include: [] })) as {
    records: Readonly<Record<string, unknown>>[];
  };
  return records;
}
