import { idPrefix } from '../../../commands/engine/ids.ts';
import { familyQueryFor } from '../../../queries/family-query.ts';
import { readRecordPage } from '../../../queries/lists/list-records.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { Fields } from '../../../register/field.ts';
import type { Choice } from '../../components/fields.tsx';
import type { ToolError } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import { dayText } from '../../texts/dates.ts';
import { titleFieldOf } from '../naming-fields.ts';
import { numberedName } from '../record/numbered-name.ts';
import { REGISTER_LISTS } from '../register-lists.ts';
import type { OrganizationChoices } from './form-fields.ts';
import type { FormView } from './open-form.ts';

/** The records that a list can name. */
const MAX_NAMED_RECORDS = 20;

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

/** Reads the records that a refused word may name. Those without a number have their id and their day, to tell them apart. */
export async function readCandidates(
  context: Pick<WebContext, 'reader'>,
  view: FormView,
  { candidates = [] }: Pick<ToolError, 'candidates'>,
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
async function readNamesOf(
  context: Pick<WebContext, 'reader'>,
  view: FormView,
  named: readonly string[],
): Promise<Choice[]> {
  const ids = [...new Set(named)].filter((id) => idPrefix(id) !== null).slice(0, MAX_NAMED_RECORDS);
  return (await readRecords(context, view, ids)).map((record) => {
    const { model } = familyQueryFor(String(record.id));
    const name = model.nameOf?.(record) ?? String(record.name);
    return { value: String(record.id), label: numberedName({ reference_id: record.reference_id, name }) };
  });
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
