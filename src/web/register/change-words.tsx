/** @jsxRuntime automatic @jsxImportSource preact */
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import type { SealTimes } from '../../queries/proofs/seal-times.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { FamilyDescription, Field } from '../../register/field.ts';
import { codeWords, shareText, textOf } from '../../reports/formats/report-text.ts';
import type { NamesByKey } from '../../reports/pages/report-page.ts';
import { accountIdsIn, ReportPeople } from '../../reports/pages/report-people.ts';
import { ExactTime, LongDay } from '../components/components.tsx';
import { momentText } from '../texts/dates.ts';
import { type RegisterView, registerAddress } from './open-register.ts';
import { ProofBadge, type ProofState } from './proof-badge.tsx';

type RecordReference = ListedChange['record'];
type FieldChange = ListedChange['changes'][number];

/** A change with more fields than this shows them only when it is opened, such as a record with its first values. */
const MAX_OPEN_FIELDS = 4;

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
  const family = familyOf(type);
  return family === undefined ? null : registerAddress(view, `/${family.plural}/${id}`, parameters);
}

function familyOf(type: string): FamilyDescription | undefined {
  return FAMILY_DESCRIPTIONS.find((family) => family.type === type);
}

/** A link to a record by its name, or the name alone if the record has no page. */
export function RecordLink({ view, record }: { view: RegisterView; record: RecordReference }) {
  const address = recordAddress(view, record);
  return address === null ? <>{record.name}</> : <a href={address}>{record.name}</a>;
}

/** A change in words: the event, each field before and after, the reason, and who made it with which client. */
export function ChangeWords({
  view,
  change,
  people,
}: {
  view: RegisterView;
  change: ListedChange;
  people: NamesByKey;
}) {
  const { event_type, linked, record, reason, stale } = change;
  const fields = change.changes.filter(({ field }) => field !== 'linked');
  return (
    <div class="change-words">
      <b>{codeWords(event_type)}</b>
      {linked !== undefined && (
        <>
          {' · '}
          <RecordLink view={view} record={linked} />
        </>
      )}
      {stale && <p class="fault">This event could not be read, so its values are unknown.</p>}
      {fields.length > MAX_OPEN_FIELDS ? (
        <details>
          <summary>{fields.length} fields</summary>
          <FieldChanges type={record.type} fields={fields} people={people} />
        </details>
      ) : (
        <FieldChanges type={record.type} fields={fields} people={people} />
      )}
      {reason !== null && <q>{reason}</q>}
      <ChangeByline change={change} />
    </div>
  );
}

/** Fields before and after, one a line. */
export function FieldChanges(props: { type: string; fields: readonly FieldChange[]; people: NamesByKey }) {
  const { type, fields, people } = props;
  if (fields.length === 0) return null;
  return (
    <ul class="plain diff">
      {fields.map(({ field: name, from, to }) => {
        const field = familyOf(type)?.fields[name];
        const before = valueText(field, from, people);
        return (
          <li key={name}>
            {fieldLabel(name, field, people)} {before !== '' && <Before text={before} />}
            <ins>{valueText(field, to, people) || 'none'}</ins>
          </li>
        );
      })}
    </ul>
  );
}

function Before({ text }: { text: string }) {
  return (
    <>
      <del>{text}</del> →{' '}
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
          , <span class="for-screen-readers">through an assistant, </span>with {client}
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

/** Links to a change on its record's page, to the family's register as it was before the change, and to its proof. */
export function ChangeLinks(props: { view: RegisterView; change: ListedChange; sealTimes?: SealTimes }) {
  const { view, change, sealTimes } = props;
  const { position, record } = change;
  const family = familyOf(record.type);
  const asOf = String(Number(position) - 1);
  return (
    <small class="change-links">
      {family !== undefined && (
        <>
          <a href={`${recordAddress(view, record, { change: position })}#change-${position}`}>Change {position}</a>
          {' · '}
          <a href={registerAddress(view, `/${family.plural}`, { as_of: asOf })}>the register before this change</a>
          {' · '}
        </>
      )}
      <a href={registerAddress(view, `/changes/${position}`)}>
        {sealTimes === undefined ? 'its proof' : <ProofBadge state={proofState(sealTimes.get(position))} />}
      </a>
    </small>
  );
}

const proofState = (sealedAt: string | undefined): ProofState =>
  sealedAt === undefined ? { kind: 'WAITING' } : { kind: 'SEALED', at: sealedAt };

function fieldLabel(name: string, field: Field | undefined, people: NamesByKey): string {
  if (field !== undefined) return field.label;
  const [member = '', id = ''] = name.split('.');
  return [codeWords(member.replace(/s$/, id === '' ? 's' : '')), people.get(id)].filter(Boolean).join(' ');
}

/** Returns a field's value in words, by its kind. Returns an empty text for no value. */
function valueText(field: Field | undefined, value: unknown, people: NamesByKey): string {
  if (value === null || value === undefined || value === '') return '';
  switch (field?.kind) {
    case 'enum':
      return field.labels?.[String(value)] ?? codeWords(String(value));
    case 'date':
    case 'time':
      return momentText(String(value));
    case 'share':
      return shareText(Number(value));
    case 'object':
      return Object.entries(value as Readonly<Record<string, unknown>>)
        .map(([name, member]) => [
          field.fields[name]?.label ?? codeWords(name),
          valueText(field.fields[name], member, people),
        ])
        .filter(([, text]) => text !== '')
        .map(([label, text]) => `${label}: ${text}`)
        .join(' · ');
    default:
      return textOf(value, { people, codesInWords: true, toTheMinute: true });
  }
}
