import { endOfDay } from '../../../commands/engine/dates.ts';
import { LongDay } from '../../components/components.tsx';
import { changeCountText } from '../../texts/counts.ts';
import { dayText, isDay } from '../../texts/dates.ts';
import type { RegisterView } from '../open-register.ts';
import type { CompletedAudit } from './completed-audits.ts';
import { MomentForm, momentAddress, Zone } from './moment-control.tsx';
import type { TimeBarContent, TimeBarStep } from './read-time-bar.ts';

const HEIGHT = 48;
/** The height of the tallest bar, and of the line of what is sealed. */
const BAR_HEIGHT = 42;
const SEAL_HEIGHT = 2;
const STEP_WIDTH = 10;
/** Few steps don't fill the page: a step is at most this wide, in pixels. */
const MAX_STEP_WIDTH = 24;
/** Later than all times. */
const MAX_TIME = '9999';

/**
 * The changes of an organization or a record over time. Each bar leads to the end of its days, by a click. The audits, the
 * links to the changes beside the moment shown and the field for a date are for the keyboard too. With script, time-bar.js
 * lets a hand drag the moment, and the arrow keys move it.
 */
export function TimeBar({ view, content }: { view: RegisterView; content: TimeBarContent }) {
  const { steps, days, firstDay, neighbours } = content;
  const audits = view.audits.filter(({ completedAt }) => completedAt >= firstDay);
  return (
    <nav class="time" aria-label="Changes over time">
      {steps.length > 0 && <Bars view={view} content={content} audits={audits} />}
      <div class="row time-links">
        {steps.length > 0 ? <LongDay at={firstDay} /> : <DayList view={view} days={days} />}
        <NeighbourLinks view={view} neighbours={neighbours} />
        <MomentForm choice={view}>
          <label for="time-day">
            Go to the end of a day, in <Zone />
          </label>
          <input id="time-day" name="as_of" type="date" required min={firstDay} max={view.today} data-moment-field="" />
        </MomentForm>
        {audits.length > 0 && <AuditLinks view={view} audits={audits} />}
      </div>
    </nav>
  );
}

function NeighbourLinks({ view, neighbours }: { view: RegisterView; neighbours: TimeBarContent['neighbours'] }) {
  const { earlier, later } = neighbours;
  return (
    <ul class="plain row">
      {earlier !== null && (
        <li>
          <a href={momentAddress(view, String(earlier))} data-step="earlier">
            ‹ One change earlier
          </a>
        </li>
      )}
      {later !== null && (
        <li>
          <a href={momentAddress(view, later === 'NOW' ? null : String(later))} data-step="later">
            One change later ›
          </a>
        </li>
      )}
    </ul>
  );
}

interface AuditsProps {
  view: RegisterView;
  /** The audits that were completed since the first change. */
  audits: readonly CompletedAudit[];
}

/** The completed audits. Those next to the moment shown are marked for the keys. */
function AuditLinks({ view, audits }: AuditsProps) {
  const { past } = view;
  const moment = past === null ? MAX_TIME : isDay(past.time) ? endOfDay(past.time) : past.time;
  const earlier = audits.find(({ completedAt }) => completedAt < moment);
  const later = audits.findLast(({ completedAt }) => completedAt > moment);
  return (
    <ul class="plain row audits">
      {audits.map((audit) => (
        <li key={audit.id}>
          <a
            href={momentAddress(view, audit.id)}
            data-step={audit === earlier ? 'earlier-audit' : audit === later ? 'later-audit' : undefined}
          >
            <span>
              <span aria-hidden="true">▲ </span>
              Go to: {audit.name}, <LongDay at={audit.completedAt} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function DayList({ view, days }: { view: RegisterView; days: readonly string[] }) {
  return (
    <ul class="plain row">
      {days.map((day) => (
        <li key={day}>
          <a href={momentAddress(view, day)}>
            <LongDay at={day} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Bars({ view, content, audits }: AuditsProps & { content: TimeBarContent }) {
  const { steps, sealedDay } = content;
  const width = steps.length * STEP_WIDTH;
  const most = Math.max(...steps.map(({ changes }) => changes), 1);
  const markOf = (time: string) => stepIndex(steps, time.slice(0, 10)) * STEP_WIDTH + STEP_WIDTH / 2 - 1;
  const { past } = view;
  const shown = past === null ? steps.length - 1 : stepIndex(steps, past.time.slice(0, 10));
  return (
    <div
      id="time-bar"
      class="bars"
      data-address={momentAddress(view, null)}
      data-days={steps.map(({ day }) => day).join(' ')}
      data-shown={shown}
      data-moment={past?.time}
    >
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={steps.length * MAX_STEP_WIDTH}
        height={HEIGHT}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {steps.map(({ day, changes }, index) => {
          const height = Math.ceil((BAR_HEIGHT * changes) / most);
          const isAfter = past !== null && day > past.time.slice(0, 10);
          return changes === 0 ? null : (
            <a key={day} href={momentAddress(view, day)} tabindex={-1} class={isAfter ? 'after' : undefined}>
              <title data-at={day} data-at-text={dayText(day)}>
                {dayText(day)}: {changeCountText(changes)}
              </title>
              <rect
                x={index * STEP_WIDTH + 1}
                y={HEIGHT - SEAL_HEIGHT - height}
                width={STEP_WIDTH - 2}
                height={height}
              />
            </a>
          );
        })}
        {audits.map(({ id, completedAt }) => (
          <rect key={id} class="audit" x={markOf(completedAt)} y={0} width={2} height={HEIGHT} />
        ))}
        {sealedDay !== null && (
          <rect
            class="sealed"
            x={0}
            y={HEIGHT - SEAL_HEIGHT}
            width={(stepIndex(steps, sealedDay) + 1) * STEP_WIDTH}
            height={SEAL_HEIGHT}
          />
        )}
        {past !== null && <rect class="hand" x={markOf(past.time)} y={0} width={3} height={HEIGHT} />}
      </svg>
    </div>
  );
}

/** Returns the index of the step with a day: the first one for earlier days, the last one for later days. */
function stepIndex(steps: readonly TimeBarStep[], day: string): number {
  const index = steps.findIndex((step) => day <= step.day);
  return index < 0 ? steps.length - 1 : index;
}
