import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { shareText } from '../../../texts/words.ts';
import { LongDay } from '../../components/components.tsx';
import { changeCountText, countText, MAX_COUNT } from '../../texts/counts.ts';
import { ChangeLine } from '../change-entry.tsx';
import { RecordLink } from '../change-words.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { UndoLink } from '../undo/undo-link.tsx';
import type { UndoOffers } from '../undo/undo-offers.ts';
import { Sparkline } from './sparkline.tsx';
import type { Tile, TilePeriod } from './tiles.ts';

/** The numbers of Home, each a link to the rows that it counts. */
export function TileList({ tiles, period }: { tiles: readonly Tile[]; period: TilePeriod }) {
  return (
    <ul class="plain grid tiles">
      {tiles.map((tile) => (
        <li key={tile.label}>
          <a class="tile" href={tile.address}>
            <TileNumber tile={tile} period={period} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function TileNumber({ tile, period }: { tile: Tile; period: TilePeriod }) {
  const { label, count, change, better, history } = tile;
  const judged = !change || better === null ? undefined : change > 0 === (better === 'MORE') ? 'better' : 'worse';
  const values = count > MAX_COUNT ? history : [...history, count];
  return (
    <>
      <b>{countText(count)}</b>
      {change !== null && (
        <small class={judged}>
          {change > 0 ? `+${change}` : change === 0 ? '±0' : `−${-change}`}{' '}
          {period.words ?? (
            <>
              since <LongDay at={period.since} />
            </>
          )}
          {judged !== undefined && `, ${judged}`}
        </small>
      )}
      <span>{label}</span>
      {values.length > 1 && <Sparkline values={values} />}
    </>
  );
}

/** A framework's share of implemented controls. Null if it has no included controls. */
export interface Coverage {
  frameworkId: string;
  name: string;
  share: number | null;
}

/** The coverage of each framework, as a bar with its share. */
export function CoverageCard({ view, coverages }: { view: RegisterView; coverages: readonly Coverage[] }) {
  if (coverages.length === 0) return null;
  return (
    <section class="card">
      <h2>Coverage of the frameworks</h2>
      <p class="sub">Controls and clauses in scope that are fully implemented.</p>
      <ul class="plain coverage">
        {coverages.map(({ frameworkId, name, share }) => (
          <li key={frameworkId}>
            <a href={registerAddress(view, '/controls', { framework_id: frameworkId })}>{name}</a>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect class="whole" width={100} height={8} />
              <rect class="part" width={100 * (share ?? 0)} height={8} />
            </svg>
            <span>{share === null ? '–' : shareText(share)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest changes of the seven days before a moment. */
export interface Week {
  changes: readonly ListedChange[];
  people: NamesByKey;
  undoOffers: UndoOffers;
  /** All changes of the history since `from`, technical ones too. */
  total: number;
  from: string;
}

/** The newest changes of the seven days before the moment shown. */
export function WeekCard({ view, week }: { view: RegisterView; week: Week }) {
  const { changes, people, undoOffers, total, from } = week;
  const isToday = view.past === null;
  return (
    <section class="card">
      <h2>{isToday ? 'What changed this week' : 'What changed that week'}</h2>
      {changes.length === 0 ? (
        <p class="sub">{isToday ? 'Nothing in the last 7 days.' : 'Nothing in the 7 days before.'}</p>
      ) : (
        <ul class="plain week">
          {changes.map((change) => (
            <li key={change.position}>
              <RecordLink view={view} record={change.record} />
              <small>
                <ChangeLine view={view} change={change} people={people} undo={undoOffers.get(change.position)} />
              </small>{' '}
              <UndoLink view={view} position={change.position} offer={undoOffers.get(change.position)} />
            </li>
          ))}
        </ul>
      )}
      {total > changes.length ? (
        <a href={registerAddress(view, '/changes', { from })}>
          All {changeCountText(total)} of {isToday ? 'this' : 'that'} week
        </a>
      ) : (
        <a href={registerAddress(view, '/changes')}>All changes</a>
      )}
    </section>
  );
}

/** The ways to begin that the reader's role has, for an organization without records. */
export function BeginCards({ view }: { view: RegisterView }) {
  const { role } = view.organization;
  const adopting = [
    'Adopt a framework',
    'Its controls, ready to be linked with your measures.',
    'frameworks/add',
  ] as const;
  const importing = [
    ['Bring a spreadsheet', 'Your vendors, risks or measures, by an assistant or a command.', 'getting-started#import'],
    ['Add a risk', 'The one that keeps you awake.', 'risks/add'],
  ] as const;
  const cards = [
    ...(roleAllows(role, 'adoptFrameworks') ? [adopting] : []),
    ...(roleAllows(role, 'changeRecords') ? importing : []),
  ];
  return (
    <div class="grid">
      {cards.map(([title, about, page]) => (
        <section key={title} class="card">
          <h2>{title}</h2>
          <p class="sub">{about}</p>
          <a class="button quiet" href={`/organizations/${view.organization.id}/${page}`}>
            {title}
          </a>
        </section>
      ))}
      <ConnectCard view={view} />
    </div>
  );
}

/** Invites to connect an assistant, which can do what the reader's role may. */
export function ConnectCard({ view }: { view: RegisterView }) {
  const { role } = view.organization;
  return (
    <section class="card">
      <h2>Connect an assistant</h2>
      <p class="sub">
        {roleAllows(role, 'changeRecords')
          ? 'It adds and changes records for you, with your role. You see here what it did.'
          : 'It finds records and answers questions for you, with your role.'}
      </p>
      <a class="button quiet" href="/connect">
        Connect an assistant
      </a>
    </section>
  );
}
