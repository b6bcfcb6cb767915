import { type ComponentChildren, Fragment } from 'preact';
import { ROLES, type Role } from '../../commands/organization/caller.ts';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import { setOnApproval } from '../../queries/changes/proposed-effects.ts';
import { documentsAt } from '../../queries/records/record-links.ts';
import { familyOfType } from '../../register/families.ts';
import type { Field, Fields } from '../../register/field.ts';
import { AUTONOMIES } from '../../register/proposal.ts';
import { accountIdsIn, ReportPeople } from '../../reports/pages/report-people.ts';
import { recordName } from '../../reports/sections/records.ts';
import { isEnumField, type NamesByKey, textOf } from '../../texts/value-text.ts';
import { codeWords, monthsText, shareText } from '../../texts/words.ts';
import { EndTime } from '../components/access-end.tsx';
import { MomentTime } from '../components/components.tsx';
import { AUTONOMY_CHOICES } from '../texts/access-text.ts';
import { decisionText, isDecision } from '../texts/event-words.ts';
import { roleName } from '../texts/role-labels.ts';
import { type RegisterView, registerAddress } from './open-register.ts';
import { PROPOSAL_FIELDS } from './proposals/proposal-fields.ts';

type RecordReference = ListedChange['record'];
type FieldChange = ListedChange['changes'][number];

/** Reads the names of the people and records whose ids are values in these changes. */
export async function readNamesInChanges(
  { snapshot, organization, past }: Pick<RegisterView, 'snapshot' | 'past'> & { organization: { id: string } },
  changes: readonly { record: Pick<RecordReference, 'type'>; changes: readonly FieldChange[] }[],
): Promise<NamesByKey> {
  const position = past?.position ?? snapshot.newestPosition(organization.id);
  const context = { snapshot, organizationId: organization.id, moment: { today: snapshot.today(), position } };
  const accountIds = changes.flatMap(({ changes: fields }) => fields.flatMap(accountIdsInField));
  const names = await new ReportPeople(context).namesFor([...new Set(accountIds)]);
  const records = await documentsAt(context, [...new Set(changes.flatMap(recordIdsIn))]);
  for (const record of records) names.set(String(record.id), recordName(record));
  return names;
}

/** Returns the ids of records among the values: the audit of a finding, what evidence was added for. */
function recordIdsIn({ record, changes }: Parameters<typeof readNamesInChanges>[1][number]): readonly string[] {
  const fields = familyOfType(record.type)?.fields;
  return changes.flatMap(({ field, from, to }) => [from, to].flatMap((value) => recordIdsOf(fields?.[field], value)));
}

/** Returns the ids in a value of a field whose values are records. Else, none. */
export function recordIdsOf(field: Field | undefined, value: unknown): readonly string[] {
  if (field?.kind === 'ids') return (value ?? []) as readonly string[];
  return field?.kind === 'id' && typeof value === 'string' ? [value] : [];
}

/** The fields `members.acc_…` are called after an account. */
function accountIdsInField({ field, from, to }: FieldChange): string[] {
  return accountIdsIn([field.split('.')[1], from, to]);
}

/** Returns the address of a record's page. Returns null for records without a page, such as the organization. */
export function recordAddress(
  view: Pick<RegisterView, 'organization' | 'past'>,
  { id, type }: Pick<RecordReference, 'id' | 'type'>,
  parameters: Readonly<Record<string, string>> = {},
): string | null {
  const family = familyOfType(type);
  return family === undefined ? null : registerAddress(view, `/${family.plural}/${id}`, parameters);
}

/** A link to a record by its name, or the name alone if the record has no page. */
export function RecordLink(props: { view: Pick<RegisterView, 'organization' | 'past'>; record: RecordReference }) {
  const { view, record } = props;
  const isProposal = record.type === 'PROPOSAL';
  const address = isProposal ? registerAddress(view, `/proposals/${record.id}`) : recordAddress(view, record);
  return address === null ? record.name : <a href={address}>{record.name}</a>;
}

interface FieldChangesOptions {
  type: string;
  fields: readonly FieldChange[];
  people: NamesByKey;
}

/** Fields before and after, one a line. */
export function FieldChanges({ type, fields, people }: FieldChangesOptions) {
  if (fields.length === 0) return null;
  return (
    <ul class="plain diff">
      {fields.map((change) => (
        <li key={change.field}>
          <FieldWords type={type} change={change} people={people} />
        </li>
      ))}
    </ul>
  );
}

/** The fields of records that no family describes. */
const FIELDS_WITHOUT_FAMILY: Readonly<Record<string, Fields>> = {
  PROPOSAL: PROPOSAL_FIELDS,
  ORGANIZATION: {
    ceiling: {
      kind: 'enum',
      label: 'Ceiling',
      values: AUTONOMIES,
      labels: Object.fromEntries(AUTONOMY_CHOICES.map(({ value, label }) => [value, label])),
    },
  },
};

/** One field before and after, such as "Likelihood 2 → 3". */
export function FieldWords(props: { type: string; change: FieldChange; people: NamesByKey }) {
  const { change, people } = props;
  const fields = FIELDS_WITHOUT_FAMILY[props.type] ?? familyOfType(props.type)?.fields;
  const field = fields?.[change.field];
  const before = valueWords(field, change.from, people);
  return (
    <>
      {fieldLabel(change.field, field, people)} {before !== null && <Before words={before} />}
      <ins>{valueWords(field, change.to, people) ?? 'none'}</ins>
    </>
  );
}

/** A value that is no more, before the new one. */
export function Before({ words }: { words: ComponentChildren }) {
  return (
    <>
      <del>{words}</del> →{' '}
    </>
  );
}

/** Returns a field's label, such as `Owner`; of a member of the organization, its kind and name. */
export function fieldLabel(name: string, field: Field | undefined, people: NamesByKey): string {
  if (field !== undefined) return field.label;
  const [member = '', id = ''] = name.split('.');
  return [codeWords(member.replace(/s$/, id === '' ? 's' : '')), people.get(id)].filter(Boolean).join(' ');
}

/** Returns a field's value in words, by its kind. Returns null for no value. */
export function valueWords(field: Field | undefined, value: unknown, people: NamesByKey): ComponentChildren {
  if (value === null || value === undefined || value === '') return null;
  const ofApproval = setOnApproval(value);
  if (ofApproval !== undefined) return APPROVAL_WORDS[ofApproval];
  return kindWords(field, value, people);
}

const APPROVAL_WORDS = { TIME: 'when approved', PERSON: 'whoever approves' } as const;

function kindWords(field: Field | undefined, value: NonNullable<unknown>, people: NamesByKey): ComponentChildren {
  switch (field?.kind) {
    case 'enum':
      return field.labels?.[String(value)] ?? codeWords(String(value));
    case 'date':
    case 'time':
      return <MomentTime at={String(value)} />;
    case 'share':
      return shareText(Number(value));
    case 'months':
      return monthsText(Number(value));
    case 'object':
      return memberWords(field.fields, value, people);
    default:
      if (isTimestamp(value)) return <EndTime at={value} />;
      if (field === undefined && typeof value === 'object' && !Array.isArray(value)) {
        return memberWords({}, value, people);
      }
      if (field === undefined && isRole(value)) return roleName(value);
      if (Array.isArray(value) && value.length > 0 && value.every(isDecision))
        return value.map(decisionText).join(', ');
      return textOf(value, { people, codesInWords: true, toTheMinute: true }) || null;
  }
}

/** Returns true for a member's role, which no family describes. */
const isRole = (value: unknown): value is Role => (ROLES as readonly unknown[]).includes(value);

/** Returns true for a point in time of an event without fields of a family, such as a token's end. */
const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value);

/** Returns the members of an object that have a value, each after its label; null if none has. */
function memberWords(fields: Readonly<Record<string, Field>>, object: object, people: NamesByKey): ComponentChildren {
  const members = Object.entries(object)
    .filter(([, member]) => member !== false)
    .map(([name, member]) => ({
      label: fields[name]?.label ?? codeWords(name.replace(/_at$/, '')),
      words: isEnumField(name) ? codeWords(String(member ?? '')) : valueWords(fields[name], member, people),
    }))
    .filter(({ words }) => words !== null && words !== '');
  if (members.length === 0) return null;
  return members.map(({ label, words }, index) => (
    <Fragment key={label}>
      {index > 0 && ' · '}
      {label}: {words}
    </Fragment>
  ));
}
