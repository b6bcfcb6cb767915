import { addressWith } from '../../../addresses/page-addresses.ts';
import { ASSISTANTS } from '../../../http/files/changes-query.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import { isMadeByAssistant } from '../../../queries/changes/refined-changes.ts';
import type { SealTimes } from '../../../queries/proofs/seal-times.ts';
import type { RecordAnswer } from '../../../queries/records/record-details.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { ChangeEntry, SealLine } from '../change-entry.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import type { UndoOffer, UndoOffers } from '../undo/undo-offers.ts';

/** A record's changes, newest first: what happened, why, by whom and when. */
export function Timeline(props: {
  view: RegisterView;
  id: string;
  history: RecordAnswer['history'];
  people: NamesByKey;
  sealTimes: SealTimes;
  undoOffers: UndoOffers;
}) {
  const { view, id, history, people, sealTimes, undoOffers } = props;
  const onlyAssistants = view.query.get('made_by') === ASSISTANTS;
  const changes = history.changes.filter((change) => !onlyAssistants || isMadeByAssistant(change));
  const highlighted = view.query.get('change');
  const hasHighlighted = changes.some(({ position }) => position === highlighted);
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <p class="sub">
        {history.truncated && !onlyAssistants && 'The newest '}
        {changes.length === 1 ? '1 change' : `${changes.length} changes`}
        {onlyAssistants && ' made by assistants'}
        {onlyAssistants && history.truncated && ` among the newest ${history.changes.length}`}
        <MadeByFilter view={view} onlyAssistants={onlyAssistants} changes={history.changes} />
        {history.changes.length > 1 && (
          <>
            {' · '}
            <a href={addressWith(`${view.path}/revisions`, { as_of: view.past?.asOf })}>Before and after</a>
          </>
        )}{' '}
        <SealLine changes={changes} sealTimes={sealTimes} />
      </p>
      {highlighted !== null && !hasHighlighted && /^\d{1,15}$/.test(highlighted) && (
        <p>
          Change {highlighted} is not in this list.{' '}
          <a href={addressWith(view.path, { as_of: highlighted, change: highlighted })}>Show the record after it</a>
        </p>
      )}
      <ol class="timeline">
        {changes.map((change) => (
          <TimelineEntry
            key={change.position}
            view={view}
            change={change}
            people={people}
            sealTimes={sealTimes}
            undo={undoOffers.get(change.position)}
            isHighlighted={change.position === highlighted}
          />
        ))}
      </ol>
      {history.truncated && (
        <p>
          Older changes are not listed here.{' '}
          <a href={registerAddress(view, '/changes', { record_id: id, made_by: onlyAssistants ? ASSISTANTS : null })}>
            {onlyAssistants ? 'All changes made by assistants' : 'All changes'}
          </a>
        </p>
      )}
    </section>
  );
}

/** Filters the timeline by assistants, or shows all changes again. It is absent if no assistant made any of them. */
function MadeByFilter(props: { view: RegisterView; onlyAssistants: boolean; changes: readonly ListedChange[] }) {
  const { view, onlyAssistants, changes } = props;
  if (!onlyAssistants && !changes.some(isMadeByAssistant)) return null;
  const made_by = onlyAssistants ? null : ASSISTANTS;
  return (
    <>
      {' · '}
      <a href={addressWith(view.path, { as_of: view.past?.asOf, made_by })}>
        {onlyAssistants ? 'Show all changes' : 'Only assistants’ changes'}
      </a>
    </>
  );
}

function TimelineEntry(props: {
  view: RegisterView;
  change: ListedChange;
  people: NamesByKey;
  sealTimes: SealTimes;
  undo: UndoOffer | undefined;
  isHighlighted: boolean;
}) {
  const { change, isHighlighted } = props;
  const { position } = change;
  const classes = [isMadeByAssistant(change) && 'bot', isHighlighted && 'highlighted'].filter(Boolean).join(' ');
  return (
    <li id={`change-${position}`} class={classes || undefined} aria-current={isHighlighted ? 'true' : undefined}>
      <ChangeEntry {...props} isOpen={isHighlighted} />
    </li>
  );
}
