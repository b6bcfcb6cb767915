import type { ComponentChildren } from 'preact';
import { LongDay, MomentTime } from '../../components/components.tsx';
import { changeCountText } from '../../texts/counts.ts';
import type { PastMoment } from '../page-moment.ts';
import type { MomentChoice } from './moment-choice.ts';
import { quarterEnds } from './quarter-ends.ts';

/** Parameters that belong to the moment shown, and not to another. */
const MOMENT_PARAMETERS = new Set(['as_of', 'cursor', 'before', 'change']);

function keptParameters({ query }: Pick<MomentChoice, 'query'>): [string, string][] {
  return [...query].filter(([name]) => !MOMENT_PARAMETERS.has(name));
}

/** Returns the address of the same page at another moment. @param asOf null for today */
export function momentAddress(choice: Pick<MomentChoice, 'path' | 'query'>, asOf: string | null): string {
  const query = new URLSearchParams(keptParameters(choice));
  if (asOf !== null) query.set('as_of', asOf);
  return query.size === 0 ? choice.path : `${choice.path}?${query}`;
}

/** Chooses the moment that the page shows: a day, a minute, an audit or a quarter's end. It works without script. */
export function MomentControl({ choice }: { choice: MomentChoice }) {
  const { past, today, audits } = choice;
  return (
    <details class="moment">
      <summary>{past === null ? 'Today' : <MomentTime at={past.time} />}</summary>
      <div class="menu">
        <MomentForm choice={choice}>
          <label for="as_of">
            At the end of a day, in <Zone />
          </label>
          <input
            id="as_of"
            name="as_of"
            type="date"
            required
            max={today}
            value={past?.time.slice(0, 10)}
            data-moment-field={past?.time ?? ''}
          />
        </MomentForm>
        <MomentForm choice={choice}>
          <label for="as_of_minute">
            Or at a minute, in <Zone />
          </label>
          <input
            id="as_of_minute"
            name="as_of"
            type="datetime-local"
            required
            max={`${today}T23:59`}
            data-moment-field=""
          />
        </MomentForm>
        {audits.length > 0 && (
          <MomentLinks title="At an audit">
            {audits.map(({ id, name, completedAt }) => (
              <li key={id}>
                <a href={momentAddress(choice, id)}>
                  {name}{' '}
                  <small>
                    <LongDay at={completedAt} />
                  </small>
                </a>
              </li>
            ))}
          </MomentLinks>
        )}
        <MomentLinks title="At a quarter end">
          {quarterEnds(today).map(({ day, quarter }) => (
            <li key={day}>
              <a href={momentAddress(choice, day)}>
                {quarter}{' '}
                <small>
                  <LongDay at={day} />
                </small>
              </a>
            </li>
          ))}
        </MomentLinks>
      </div>
    </details>
  );
}

/** The zone of a field for a moment: UTC, or the reader's by script. */
export function Zone() {
  return <span data-zone>UTC</span>;
}

function MomentLinks({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul class="plain">{children}</ul>
    </details>
  );
}

/** A form that opens the same page at the moment of its field. */
export function MomentForm({ choice, children }: { choice: MomentChoice; children: ComponentChildren }) {
  return (
    <form method="get" action={choice.path}>
      {keptParameters(choice).map(([name, value]) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit">Go</button>
    </form>
  );
}

/** Invites to see the register as an audit saw it: the last certification, or else the last audit. Then asks what changed. */
export function AuditCard({ choice, organizationId }: { choice: MomentChoice; organizationId: string }) {
  const { audits, past } = choice;
  if (past !== null) return <ChangedSinceCard past={past} organizationId={organizationId} />;
  const audit = audits.find(({ kind }) => kind === 'CERTIFICATION') ?? audits[0];
  if (audit === undefined) return null;
  return (
    <section class="card">
      <h2>See how you stood at your {audit.kind === null ? '' : `${audit.kind.toLowerCase()} `}audit</h2>
      <p class="sub">
        One click puts every page back to <LongDay at={audit.completedAt} />. Then ask what changed since.
      </p>
      <a class="button" href={momentAddress(choice, audit.id)}>
        <span>
          Go to <LongDay at={audit.completedAt} />
        </span>
      </a>
    </section>
  );
}

function ChangedSinceCard({ past, organizationId }: { past: PastMoment; organizationId: string }) {
  const { asOf, changesSince } = past;
  return (
    <section class="card">
      <h2>What changed since?</h2>
      <p class="sub">{changeCountText(changesSince)}, first in one sentence, then one by one.</p>
      <a class="button" href={`/organizations/${organizationId}/compare?from=${encodeURIComponent(asOf)}`}>
        See what changed since
      </a>
    </section>
  );
}
