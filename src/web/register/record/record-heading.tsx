import { daysBetween } from '../../../commands/engine/dates.ts';
import { changesSince } from '../../../queries/records/changes-since.ts';
import type { DueDate } from '../../../queries/records/due-dates.ts';
import type { RecordDetails } from '../../../queries/records/record-details.ts';
import type { FamilyName } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { ExactTime, LongDay } from '../../components/components.tsx';
import { displayedState, isStateField } from '../displayed-state.ts';
import { FieldContent, type RecordRow, StateChip } from '../field-content.tsx';
import { momentAddress } from '../moments/moment-control.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import { ActButtons, ActNotes, type OfferedActs } from './record-acts.tsx';
import { sinceThenText } from './since-then.ts';
import { stateReason } from './state-reason.tsx';

/** A record's title, states, owner and due date, and the sentence that explains its state. */
export function RecordHeading(props: {
  family: FamilyDescription & { type: FamilyName };
  view: RegisterView;
  details: RecordDetails;
  title: string;
  /** The record today, for a page of the past. Null for a page of today. */
  today: RecordDetails | null;
  offered: OfferedActs;
}) {
  const { family, view, details, title, today, offered } = props;
  const { record } = details;
  const reason = stateReason(family.type, details);
  return (
    <header class="record-head">
      <p class="sub crumbs">
        <a href={registerAddress(view, `/${family.plural}`)}>{familyHeading(family)}</a>
      </p>
      <div class="row heading">
        <h1>{title}</h1>
        <ActButtons view={view} acts={offered.acts} />
      </div>
      <p class="states">
        {typeof record.archived_at === 'string' && (
          <span class="chip state archived">
            Archived <ExactTime at={record.archived_at} />
          </span>
        )}
        <States family={family} record={record} />
        {typeof record.owner === 'string' ? <span>Owner: {record.owner}</span> : <NoOwner family={family} />}
        {details.dueDates[0] !== undefined && <Due due={details.dueDates[0]} today={details.today} />}
      </p>
      {reason !== null && <p class="why">{reason}</p>}
      <ActNotes {...offered} />
      {today !== null && <Today family={family} view={view} details={details} today={today} />}
    </header>
  );
}

/** Says what became of a record of the past, and leads to it. */
function Today(props: { family: FamilyDescription; view: RegisterView; details: RecordDetails; today: RecordDetails }) {
  const { family, view, details, today } = props;
  const changes = changesSince(family.fields, details, today);
  return (
    <p class="states">
      {sinceThenText(family, changes)}{' '}
      {changes.fields.length > 0 && (
        <span class="states">
          Today: <States family={family} record={today.record} />
        </span>
      )}
      <a href={momentAddress(view, null)}>See it as it is today</a>
    </p>
  );
}

function NoOwner({ family }: { family: FamilyDescription }) {
  return 'owner_id' in family.fields ? <span class="muted">No owner</span> : null;
}

/** The record's states as chips, and its score. */
export function States({ family, record }: { family: FamilyDescription; record: RecordRow }) {
  return (
    <>
      {Object.entries(family.fields).map(([name, field]) => {
        const value = record[name];
        if (value === null || value === undefined) return null;
        if (name !== 'score' && !isStateField(name)) return null;
        if (displayedState(name, String(value), record)?.kind === 'NOT_APPLICABLE') return null;
        return <FieldContent key={name} name={name} field={field} row={record} />;
      })}
    </>
  );
}

function Due({ due, today }: { due: DueDate; today: string }) {
  const { label, date, isOverdue } = due;
  if (!isOverdue) {
    return (
      <span>
        {label}: <LongDay at={date} />
      </span>
    );
  }
  const days = daysBetween(date, today);
  return (
    <span>
      {label}: <LongDay at={date} /> <StateChip tone="danger" text={days === 1 ? '1 day over' : `${days} days over`} />
    </span>
  );
}
