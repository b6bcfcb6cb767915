import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import {
  type FamilyDifferences,
  isImportantField,
  type RecordDifference,
} from '../../../reports/comparison/record-differences.ts';
import type { ReportRow } from '../../../reports/report-type.ts';
import { type NamesByKey, personName } from '../../../texts/value-text.ts';
import { ChangeEntry } from '../change-entry.tsx';
import { FieldChanges } from '../change-words.tsx';
import { StateChip } from '../field-content.tsx';
import type { RegisterView } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';

/** Events of a record that are shown. Its page has all. */
const MAX_EVENTS_SHOWN = 5;

/** Records of each family that the comparison shows, and those that the page of one family shows. */
export const MAX_RECORDS = { ofEach: 10, ofOne: 200 } as const;

interface ChangedFamilyProps {
  view: RegisterView;
  /** The later moment, at which the records are opened; null for today. */
  until: string | null;
  differences: FamilyDifferences;
  people: NamesByKey;
  /** False shows state, score, owner, due dates and links only. */
  allFields: boolean;
  maxRecords: number;
  /** The comparison of this family alone; null on that page. */
  familyAddress: string | null;
}

/** The changed records of a family, each with its differences and the events that did it. */
export function ChangedFamily(props: ChangedFamilyProps) {
  const { view, until, differences, people, allFields, maxRecords, familyAddress } = props;
  const { family } = differences;
  const records = differences.records
    .map((record) => ({
      ...record,
      fields: record.fields.filter(({ field }) => allFields || isImportantField(family, field)),
    }))
    .filter(({ outcome, fields }) => allFields || outcome !== 'CHANGED' || fields.length > 0);
  const others = differences.records.length - records.length;
  return (
    <section class="card">
      <h2>
        {familyHeading(family)}: {countsText(differences.records)}
      </h2>
      <ul class="plain compared">
        {records.slice(0, maxRecords).map((record) => (
          <li key={record.id}>
            <OutcomeChip outcome={record.outcome} />{' '}
            <a href={organizationAddress(view.organization.id, `/${family.plural}/${record.id}`, { as_of: until })}>
              <b>{record.title}</b>
            </a>
            <FieldChanges type={family.type} fields={record.fields} people={people} />
            <Events view={view} record={record} people={people} />
          </li>
        ))}
      </ul>
      {records.length > maxRecords &&
        (familyAddress === null ? (
          <p class="muted">The first {maxRecords} are shown. The report has all.</p>
        ) : (
          <a href={familyAddress}>Show all {records.length}</a>
        ))}
      {others > 0 && (
        <p class="muted">
          {others} {others === 1 ? 'record has' : 'records have'} changes in other fields only.
        </p>
      )}
    </section>
  );
}

/** Returns the number of records by outcome, such as "4 added · 4 changed". */
function countsText(records: readonly RecordDifference[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of records) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome.toLowerCase()}`).join(' · ');
}

function OutcomeChip({ outcome }: Pick<RecordDifference, 'outcome'>) {
  switch (outcome) {
    case 'ADDED':
      return <StateChip tone="done" text="Added" />;
    case 'RESTORED':
      return <StateChip tone="done" text="Restored" />;
    case 'ARCHIVED':
      return <StateChip tone="plain" text="Archived" />;
    case 'CHANGED':
      return null;
  }
}

function Events(props: { view: RegisterView; record: RecordDifference; people: NamesByKey }) {
  const { view, record, people } = props;
  const { events, outcome } = record;
  if (events.length === 0)
    return <p class="muted">{outcome === 'CHANGED' ? 'Changed through its measures.' : 'Added with its framework.'}</p>;
  return (
    <details>
      <summary>{events.length === 1 ? '1 change' : `${events.length} changes`}</summary>
      <ol class="timeline">
        {events.slice(-MAX_EVENTS_SHOWN).map((row) => {
          const change = listedChangeOf(row, people);
          return (
            <li key={change.position}>
              <ChangeEntry view={view} change={change} people={people} />
            </li>
          );
        })}
      </ol>
    </details>
  );
}

/** A row of CHANGES_BETWEEN. The section of changes leaves empty fields out. */
type ChangeRow = Pick<ListedChange, 'position' | 'event_type' | 'recorded_at' | 'changes'> &
  Partial<Pick<ListedChange, 'linked' | 'effective_at' | 'stale'>> & {
    record_id: string;
    record_type: string;
    record_name: string;
    actor_id: string;
    client?: string;
    reason?: string;
    revision?: number;
  };

/** Returns a row of the report as listChanges would return the change. */
function listedChangeOf(row: ReportRow, people: NamesByKey): ListedChange {
  const { record_id, record_type, record_name, actor_id, client, reason, revision, ...change } =
    row as unknown as ChangeRow;
  const isAccount = actor_id.startsWith('acc_');
  const name = personName(people, actor_id, change.recorded_at) ?? (actor_id === 'SYSTEM' ? 'veritrail' : '');
  return {
    ...change,
    record: { id: record_id, type: record_type, name: record_name },
    actor: { id: actor_id, kind: isAccount ? 'ACCOUNT' : actor_id === 'SYSTEM' ? 'SYSTEM' : 'TOKEN', name },
    client: client ?? null,
    reason: reason ?? null,
    revision: revision ?? null,
  };
}
