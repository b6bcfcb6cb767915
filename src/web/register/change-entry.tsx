import { Fragment } from 'preact';
import { addDays } from '../../commands/engine/dates.ts';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import { isMadeByAssistant } from '../../queries/changes/refined-changes.ts';
import type { SealTimes } from '../../queries/proofs/seal-times.ts';
import { familyOfType } from '../../register/families.ts';
import { relationLabel } from '../../register/link.ts';
import { crosswalkFieldText, type NamesByKey } from '../../texts/value-text.ts';
import { DayOf, ExactTime, LongDay } from '../components/components.tsx';
import { isOfPages } from '../server/call-tool.ts';
import { changeText } from '../texts/event-words.ts';
import { roleName } from '../texts/role-labels.ts';
import { Before, FieldChanges, FieldWords, RecordLink, recordAddress } from './change-words.tsx';
import { StateChip } from './field-content.tsx';
import { type RegisterView, registerAddress } from './open-register.ts';
import { isImportedDecision, pastDecision } from './past-decision.tsx';
import { ProofBadge } from './proof-badge.tsx';
import { UndoLink, UndoneText } from './undo/undo-link.tsx';
import type { UndoOffer } from './undo/undo-offers.ts';

type FieldChange = ListedChange['changes'][number];

interface ChangeEntryProps {
  view: RegisterView;
  change: ListedChange;
  people: NamesByKey;
  /** When changes were sealed. Without it, the entry shows no seal. */
  sealTimes?: SealTimes;
  /** The change's undo, if the line says something about it. */
  undo?: UndoOffer | undefined;
  isOpen?: boolean;
}

/**
 * A change in one line: what happened, why, by whom and when, such as `Likelihood 2 → 3 · “Exercise: 17 of 94 clicked” ·
 * Ingrid, with Claude · 26 Oct 2026`. The rest is behind it. Beside it is the way to its proof.
 */
export function ChangeEntry({ view, change, people, sealTimes, undo, isOpen = false }: ChangeEntryProps) {
  const { position } = change;
  return (
    <div class="change">
      <details open={isOpen}>
        <summary>
          <span>
            <ChangeLine view={view} change={change} people={people} undo={undo} />
          </span>
        </summary>
        <ChangeDetails view={view} change={change} headline={headlineOf(change)} people={people} />
      </details>
      <UndoLink view={view} position={position} offer={undo} />
      <a href={registerAddress(view, `/changes/${position}`)} data-row>
        {sealTimes !== undefined && <UnsealedBadge sealedAt={sealTimes.get(position)} />} Change {position}
      </a>
    </div>
  );
}

/** A change in one line: the event or its fields, the reason, the author and the day, in the last 7 days with the minute. */
export function ChangeLine({
  view,
  change,
  people,
  undo,
}: Pick<ChangeEntryProps, 'change' | 'people' | 'undo'> & { view: Pick<RegisterView, 'today'> }) {
  const { reason, recorded_at } = change;
  const RecordedAt = recorded_at >= addDays(view.today, -7) ? ExactTime : DayOf;
  return (
    <>
      <Headline change={change} headline={headlineOf(change)} people={people} isRedo={undo?.isRedo} />
      {reason !== null && !UNDO_REASON.test(reason) && (
        <>
          {' · '}
          <q>{shortText(reasonText(change))}</q>
        </>
      )}
      {' · '}
      <Author change={change} /> · <RecordedAt at={recorded_at} />
      <UndoneText offer={undo} />
      {change.stale && <StateChip tone="danger" text="Not readable" />}
    </>
  );
}

/** The reason that an undo has if nobody gave one. It says no more than the event. */
const UNDO_REASON = /^Undo of call [\da-f-]{36}$/;

/** The first words of a change's line: the event, some of its fields, or both. */
interface Headline {
  /** False if a field says more than its event. */
  hasEvent: boolean;
  fields: readonly FieldChange[];
}

/** Fields of one event that a line names. */
const MAX_HEADLINE_FIELDS = 2;

/** A longer value stands behind the line. */
const MAX_HEADLINE_CHARS = 40;

/**
 * Chooses the words of a change's line: the event and its new state, or some short fields. A field alone says more than
 * "details changed", and than any event if it had a value before.
 */
function headlineOf(change: ListedChange): Headline {
  const { record, revision, event_type, linked, changes } = change;
  // The words of a link's event say the link and its relation, those of an imported decision the decision.
  // The event of a proposal says the new state.
  if (linked !== undefined || record.type === 'PROPOSAL' || isImportedDecision(change)) {
    return { hasEvent: true, fields: [] };
  }
  const family = familyOfType(record.type);
  // To archive and to restore are acts with names. The time that they set says less.
  if ([family?.commonEvents.archived, family?.commonEvents.restored].includes(event_type)) {
    return { hasEvent: true, fields: [] };
  }
  // The words of a removal say the role, and those of an undo that a record was archived or restored.
  if (event_type === 'MemberRemoved') return { hasEvent: true, fields: [] };
  const fields =
    revision === 1
      ? []
      : changes.filter(({ field, from, to }) => field !== 'archived_at' && isShort(from) && isShort(to));
  const state = fields.filter(({ field }) => field === family?.workflow?.field);
  if (state.length > 0) return { hasEvent: true, fields: state };
  const { detailsChanged, undone } = family?.commonEvents ?? {};
  const isCorrection = event_type === detailsChanged;
  const hasEvent =
    event_type === undone || changes.length !== 1 || fields.length !== 1 || (fields[0]!.from === null && !isCorrection);
  return { hasEvent, fields: fields.slice(0, MAX_HEADLINE_FIELDS) };
}

const isShort = (value: unknown): boolean =>
  value === null || (typeof value !== 'object' && String(value).length <= MAX_HEADLINE_CHARS);

interface HeadlineProps {
  change: ListedChange;
  headline: Headline;
  people: NamesByKey;
  isRedo: boolean | undefined;
}

function Headline({ change, headline, people, isRedo }: HeadlineProps) {
  const { hasEvent, fields } = headline;
  return (
    <b class="diff">
      {hasEvent && <EventWords change={change} people={people} isRedo={isRedo} />}
      {fields.map((field, index) => (
        <Fragment key={field.field}>
          {index > 0 ? ', ' : hasEvent ? ': ' : ''}
          <FieldWords type={change.record.type} change={field} people={people} />
        </Fragment>
      ))}
    </b>
  );
}

/** Says which member was removed, such as `Member removed: Ben Editor (Editor)`. Returns null for another event. */
function removalText(change: ListedChange, people: NamesByKey): string | null {
  if (change.event_type !== 'MemberRemoved') return null;
  const member = change.changes.find(({ field }) => field.startsWith('members.'));
  const name = member && people.get(member.field.split('.')[1]!);
  return name === undefined ? null : `${changeText(change)}: ${name} (${roleName(String(member!.from))})`;
}

/** The event in words; of a link, the relation and the other record; of an imported decision, the decision. */
function EventWords({ change, people, isRedo }: Omit<HeadlineProps, 'headline'>) {
  const { event_type, linked, changes } = change;
  if (linked === undefined)
    return <>{pastDecision(change, people) ?? removalText(change, people) ?? changeText(change, isRedo)}</>;
  const relation = changes.find(({ field }) => field === 'relation');
  const [before, after] = [relationLabel(relation?.from), relationLabel(relation?.to)];
  const isUnlinked = event_type === 'RecordsUnlinked';
  const linkedBy = event_type === 'CrosswalkImported' ? 'Crosswalk imported, with' : 'Linked with';
  return (
    <>
      {before !== null && !isUnlinked && <Before words={before} />}
      {isUnlinked ? `No longer ${(before ?? 'linked with').toLowerCase()}` : (after ?? linkedBy)} {linked.name}
    </>
  );
}

/** The rest of a change behind its line: further fields, the whole reason, the exact times, and where it leads. */
function ChangeDetails(props: ChangeEntryProps & { headline: Headline }) {
  const { view, change, people, headline } = props;
  const { record, linked, reason, recorded_at, effective_at, stale } = change;
  const isSaid = (field: FieldChange) =>
    headline.fields.includes(field) ||
    field.field === 'imported' ||
    (field.field === 'decision_reason' && field.to === reason);
  const fields = linked === undefined ? change.changes.filter((field) => !isSaid(field)) : [];
  const isWholeReason = reason === null || shortText(reason) === reason;
  return (
    <div>
      {!headline.hasEvent && changeText(change)}
      <FieldChanges type={record.type} fields={fields} people={people} />
      <CrosswalkPairs change={change} />
      {linked !== undefined && <RecordLink view={view} record={linked} />}
      {stale && <p class="fault">This event could not be read, so its values are unknown.</p>}
      {!isWholeReason && <q>{reasonText(change)}</q>}
      <small>
        Recorded <ExactTime at={recorded_at} />
        {effective_at !== undefined && effective_at !== recorded_at && (
          <>
            {' · effective '}
            <LongDay at={effective_at} />
          </>
        )}
      </small>
      <ChangeLinks view={view} change={change} />
    </div>
  );
}

/** Returns a change's reason. The service ends a proposal with another one, which its reason names by an id. */
const reasonText = ({ record, reason }: ListedChange): string =>
  record.type === 'PROPOSAL'
    ? (reason ?? '').replace(/^It depends on prp_\w+/, 'It depends on another proposal')
    : (reason ?? '');

/** Characters of a reason that a line shows. */
const MAX_REASON_CHARS = 160;

const shortText = (text: string): string =>
  text.length <= MAX_REASON_CHARS ? text : `${text.slice(0, MAX_REASON_CHARS - 1).trimEnd()}…`;

/** The controls that a crosswalk links a control with, or the numbers of its pairs. */
function CrosswalkPairs({ change: { event_type, changes } }: { change: ListedChange }) {
  if (event_type !== 'CrosswalkImported') return null;
  return (
    <ul class="plain diff">
      {changes.map(({ field, to }) => (
        <li key={field}>{crosswalkFieldText(field, to)}</li>
      ))}
    </ul>
  );
}

/** The person, and the client they used. */
function Author({ change }: { change: ListedChange }) {
  const { actor, client, proposal } = change;
  if (proposal !== undefined) {
    const through = proposal.client === null ? '' : ` with ${proposal.client}`;
    const how = proposal.changed ? 'approved with changes' : 'approved';
    return <>{`${how} by ${actor.name}, proposed by ${proposal.proposed_by.name}${through}`}</>;
  }
  const isInBrowser = isOfPages(client);
  return (
    <>
      {actor.kind === 'TOKEN' ? 'a token' : actor.name}
      {isInBrowser && ', in the browser'}
      {client !== null && !isInBrowser && (
        <>
          , {isMadeByAssistant(change) && <span class="for-screen-readers">through an assistant, </span>}with {client}
        </>
      )}
    </>
  );
}

/** Links to a change on its record's page, and to the record and its register before it. */
function ChangeLinks({ view, change }: { view: RegisterView; change: ListedChange }) {
  const { position, record } = change;
  const family = familyOfType(record.type);
  if (family === undefined) return null;
  const asOf = String(Number(position) - 1);
  return (
    <small class="change-links">
      <a href={`${recordAddress(view, record, { change: position })}#change-${position}`}>Link to this change</a>
      {' · '}
      <a href={registerAddress(view, `/${family.plural}/${record.id}/revisions`, { to: position })}>before and after</a>
      {' · '}
      <a href={registerAddress(view, `/${family.plural}`, { as_of: asOf })}>the register before this change</a>
    </small>
  );
}

/** The seal over all these changes. Those that no seal covers, or whose seal is wrong, say so themselves. */
export function SealLine({ changes, sealTimes }: { changes: readonly ListedChange[]; sealTimes: SealTimes }) {
  const sealed = changes.flatMap(({ position }) => sealTimes.get(position) ?? []);
  if (sealed.length === 0) return null;
  return <ProofBadge state={{ kind: 'SEALED', at: sealed.toSorted().at(-1)! }} />;
}

function UnsealedBadge({ sealedAt }: { sealedAt: string | null | undefined }) {
  if (typeof sealedAt === 'string') return null;
  return <ProofBadge state={{ kind: sealedAt === null ? 'MISMATCH' : 'WAITING' }} />;
}
