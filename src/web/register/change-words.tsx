/** @jsxRuntime automatic @jsxImportSource preact */
import { type ComponentChildren, Fragment } from 'preact';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import { isMadeByAssistant } from '../../queries/changes/refined-changes.ts';
import type { SealTimes } from '../../queries/proofs/seal-times.ts';
import { familyOfType } from '../../register/families.ts';
import type { Field } from '../../register/field.ts';
import { relationLabel } from '../../register/link.ts';
import { codeWords, crosswalkFieldText, shareText, textOf } from '../../reports/formats/report-text.ts';
import type { NamesByKey } from '../../reports/pages/report-page.ts';
import { accountIdsIn, ReportPeople } from '../../reports/pages/report-people.ts';
import { isEnumField } from '../../reports/sections/report-columns.ts';
import { ExactTime, LongDay, StatedTime } from '../components/components.tsx';
import { type RegisterView, registerAddress } from './open-register.ts';
import { pastDecision } from './past-decision.tsx';
import { ProofBadge, type ProofState } from './proof-badge.tsx';

type RecordReference = ListedChange['record'];
type FieldChange = ListedChange['changes'][number];

/** A change with more fields than this shows them only when it is opened, such as a record with its first values. */
const MAX_OPEN_FIELDS = 4;

/** A longer value stands below the event instead of being the headline. */
const MAX_HEADLINE_CHARS = 40;

/** Reads the names of the people whose ids are values in these changes. */
export function readPeopleInChanges(view: RegisterView, changes: readonly ListedChange[]): Promise<NamesByKey> {
  const { snapshot, organization, past } = view;
  const position = past?.position ?? snapshot.newestPosition(organization.id);
  const ids = changes.flatMap(({ changes: fields }) => fields.flatMap(accountIdsInField));
  return new ReportPeople({
    snapshot,
    organizationId: organization.id,
    moment: { today: snapshot.today(), position },
  }).namesFor([...new Set(ids)]);
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
export function RecordLink({ view, record }: { view: RegisterView; record: RecordReference }) {
  const address = recordAddress(view, record);
  return address === null ? record.name : <a href={address}>{record.name}</a>;
}

/** A change in words: what happened, the reason, and who made it with which client. */
export function ChangeWords({
  view,
  change,
  people,
}: {
  view: RegisterView;
  change: ListedChange;
  people: NamesByKey;
}) {
  const { record, reason, stale } = change;
  // The words of a link's event say the link and its relation, those of an imported decision the decision.
  const fields = change.linked === undefined ? change.changes.filter(({ field }) => field !== 'imported') : [];
  const headline = headlineField(record.type, fields);
  return (
    <div class="change-words">
      {headline === undefined ? (
        <>
          <EventWords view={view} change={change} people={people} />
          <FoldedFieldChanges type={record.type} fields={fields} people={people} />
          <CrosswalkPairs change={change} />
        </>
      ) : (
        <div class="diff">
          <b>
            <FieldWords type={record.type} change={headline} people={people} />
          </b>{' '}
          <span class="muted">{codeWords(change.event_type)}</span>
        </div>
      )}
      {stale && <p class="fault">This event could not be read, so its values are unknown.</p>}
      {reason !== null && <q>{reason}</q>}
      <ChangeByline change={change} />
    </div>
  );
}

/**
 * Returns the field that says more than its event, such as a new likelihood: the only one that changed, from a short
 * value to another. A state says less than its event, such as "Risk closed".
 */
function headlineField(type: string, fields: readonly FieldChange[]): FieldChange | undefined {
  const [field] = fields;
  if (field === undefined || fields.length > 1) return undefined;
  const isState = field.field === familyOfType(type)?.workflow?.field;
  const isShort = [field.from, field.to].every((value) => String(value ?? '').length <= MAX_HEADLINE_CHARS);
  return isShort && !isState && field.from !== null ? field : undefined;
}

/** The event in words; of a link, the relation and the other record; of an imported decision, the decision. */
function EventWords(props: { view: RegisterView; change: ListedChange; people: NamesByKey }) {
  const { view, change, people } = props;
  const { event_type, linked, changes } = change;
  if (linked === undefined) return <b>{pastDecision(change, people) ?? codeWords(event_type)}</b>;
  const relation = changes.find(({ field }) => field === 'relation');
  const [before, after] = [relationLabel(relation?.from), relationLabel(relation?.to)];
  const isUnlinked = event_type === 'RecordsUnlinked';
  const linkedBy = event_type === 'CrosswalkImported' ? 'Crosswalk imported, with' : 'Linked with';
  return (
    <b>
      {before !== null && !isUnlinked && <Before words={before} />}
      {isUnlinked ? `No longer ${(before ?? 'linked with').toLowerCase()}` : (after ?? linkedBy)}{' '}
      <RecordLink view={view} record={linked} />
    </b>
  );
}

/** The controls that a crosswalk links a control with, or the number of its pairs. */
function CrosswalkPairs({ change: { event_type, changes } }: { change: ListedChange }) {
  if (event_type !== 'CrosswalkImported') return null;
  const list = (
    <ul class="plain diff">
      {changes.map(({ field, to }) => (
        <li key={field}>{crosswalkFieldText(field, to)}</li>
      ))}
    </ul>
  );
  if (changes.length <= MAX_OPEN_FIELDS) return list;
  return (
    <details>
      <summary>{changes.length} controls</summary>
      {list}
    </details>
  );
}

interface FieldChangesOptions {
  /** The record's type. */
  type: string;
  fields: readonly FieldChange[];
  people: NamesByKey;
}

function FoldedFieldChanges(options: FieldChangesOptions) {
  const { length } = options.fields;
  if (length <= MAX_OPEN_FIELDS) return <FieldChanges {...options} />;
  return (
    <details>
      <summary>{length} fields</summary>
      <FieldChanges {...options} />
    </details>
  );
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

/** One field before and after, such as "Likelihood 2 → 3". */
function FieldWords(props: { type: string; change: FieldChange; people: NamesByKey }) {
  const { change, people } = props;
  const field = familyOfType(props.type)?.fields[change.field];
  const before = valueWords(field, change.from, people);
  return (
    <>
      {fieldLabel(change.field, field, people)} {before !== null && <Before words={before} />}
      <ins>{valueWords(field, change.to, people) ?? 'none'}</ins>
    </>
  );
}

function Before({ words }: { words: ComponentChildren }) {
  return (
    <>
      <del>{words}</del> →{' '}
    </>
  );
}

/** The person, the client they used, and the times. */
function ChangeByline({ change }: { change: ListedChange }) {
  const { actor, client, recorded_at, effective_at } = change;
  return (
    <small>
      by {actor.kind === 'TOKEN' ? 'a token' : actor.name}
      {client !== null && (
        <>
          , {isMadeByAssistant(change) && <span class="for-screen-readers">through an assistant, </span>}with {client}
        </>
      )}{' '}
      · <ExactTime at={recorded_at} />
      {effective_at !== undefined && effective_at !== recorded_at && (
        <>
          {' · effective '}
          <LongDay at={effective_at} />
        </>
      )}
    </small>
  );
}

/** Links to a change on its record's page, to the record and its register before the change, and to its proof. */
export function ChangeLinks(props: { view: RegisterView; change: ListedChange; sealTimes?: SealTimes }) {
  const { view, change, sealTimes } = props;
  const { position, record } = change;
  const family = familyOfType(record.type);
  const asOf = String(Number(position) - 1);
  return (
    <small class="change-links">
      {family !== undefined && (
        <>
          <a href={`${recordAddress(view, record, { change: position })}#change-${position}`}>Change {position}</a>
          {' · '}
          <a href={registerAddress(view, `/${family.plural}/${record.id}/revisions`, { to: position })}>
            before and after
          </a>
          {' · '}
          <a href={registerAddress(view, `/${family.plural}`, { as_of: asOf })}>the register before this change</a>
          {' · '}
        </>
      )}
      <a href={registerAddress(view, `/changes/${position}`)} data-row>
        {sealTimes !== undefined && <ProofBadge state={proofState(sealTimes.get(position))} />} check
      </a>
    </small>
  );
}

function proofState(sealedAt: string | null | undefined): ProofState {
  if (sealedAt === undefined) return { kind: 'WAITING' };
  return sealedAt === null ? { kind: 'MISMATCH' } : { kind: 'SEALED', at: sealedAt };
}

function fieldLabel(name: string, field: Field | undefined, people: NamesByKey): string {
  if (field !== undefined) return field.label;
  const [member = '', id = ''] = name.split('.');
  return [codeWords(member.replace(/s$/, id === '' ? 's' : '')), people.get(id)].filter(Boolean).join(' ');
}

/** Returns a field's value in words, by its kind. Returns null for no value. */
function valueWords(field: Field | undefined, value: unknown, people: NamesByKey): ComponentChildren {
  if (value === null || value === undefined || value === '') return null;
  switch (field?.kind) {
    case 'enum':
      return field.labels?.[String(value)] ?? codeWords(String(value));
    case 'date':
    case 'time':
      return <StatedTime at={String(value)} />;
    case 'share':
      return shareText(Number(value));
    case 'object':
      return memberWords(field.fields, value, people);
    default:
      if (isTimestamp(value)) return <StatedTime at={value} />;
      if (field === undefined && typeof value === 'object' && !Array.isArray(value)) {
        return memberWords({}, value, people);
      }
      return textOf(value, { people, codesInWords: true, toTheMinute: true }) || null;
  }
}

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
