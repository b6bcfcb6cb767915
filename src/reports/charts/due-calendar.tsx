import { addDays, daysBetween } from '../../commands/engine/dates.ts';
import type { ReportRow } from '../report-type.ts';
import { CHART_WIDTH, ChartFigure, countBy, LinkedPart, type PageAddress, partLink } from './chart.tsx';

/** A longer calendar would fill pages, so it is left out. */
const MAX_CALENDAR_DAYS = 400;
const LEFT = 36;
const TOP = 24;
const CELL_HEIGHT = 28;
const MAX_CELL_WIDTH = 104;
/** A cell of this width has the day's number. Narrower ones have the dates of Mondays below. */
const WIDTH_WITH_DAY = 34;
const MONDAY_LABEL_WIDTH = 44;
const MIN_WIDTH = 320;
const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** A day of the calendar. Each week is a column, from Monday. */
interface CalendarDay {
  date: string;
  week: number;
  weekday: number;
  items: number;
}

interface DueCalendarProps {
  rows: readonly ReportRow[];
  today: string;
  until: string;
  /** Makes each day a link to its items. */
  addressOf?: PageAddress | undefined;
}

/** A calendar of what falls due from today on. The title counts overdue items. */
export function DueCalendar({ rows, today, until, addressOf }: DueCalendarProps) {
  const length = daysBetween(today, until) + 1;
  if (!(length >= 1 && length <= MAX_CALENDAR_DAYS)) return null;
  const ahead = countBy(
    rows.filter(({ due }) => String(due) >= today),
    ({ due }) => String(due),
  );
  const days = Array.from({ length }, (_, index): CalendarDay => {
    const date = addDays(today, index);
    const cell = index + weekdayOf(today);
    return { date, week: Math.floor(cell / 7), weekday: cell % 7, items: ahead.get(date) ?? 0 };
  });
  const overdue = rows.filter((row) => row.overdue === true).length;
  const title = `Due from ${today} to ${until}, plus ${overdue} overdue`;
  const table = { columns: ['Day', 'Items due'], rows: [...ahead].sort(([a], [b]) => (a < b ? -1 : 1)) };
  const weeks = days.at(-1)!.week + 1;
  const cellWidth = Math.min(MAX_CELL_WIDTH, Math.floor((CHART_WIDTH - LEFT - 8) / weeks));
  const isNarrow = cellWidth < WIDTH_WITH_DAY;
  const bottom = TOP + 7 * CELL_HEIGHT;
  const width = Math.max(MIN_WIDTH, LEFT + weeks * cellWidth + 8);
  const most = Math.max(1, ...ahead.values());
  return (
    <ChartFigure
      id="calendar"
      title={title}
      width={width}
      height={bottom + (isNarrow ? 22 : 6)}
      table={table}
      isLinked={addressOf !== undefined}
    >
      {WEEKDAYS.map((name, weekday) => (
        <text key={name} class="quiet end" x={LEFT - 8} y={TOP + weekday * CELL_HEIGHT + 18}>
          {name}
        </text>
      ))}
      {days.map((day) => (
        <DayCell key={day.date} {...{ day, cellWidth, most, addressOf }} />
      ))}
      <path class="border" d={monthBorders(days, cellWidth)} />
      {monthLabels(days, cellWidth).map(({ text, x }) => (
        <text key={x} class="title" x={x} y={TOP - 8}>
          {text}
        </text>
      ))}
      {isNarrow &&
        mondayLabels(days, cellWidth).map(({ text, x }) => (
          <text key={x} class="quiet small" x={x} y={bottom + 15}>
            {text}
          </text>
        ))}
    </ChartFigure>
  );
}

interface DayCellProps extends Pick<DueCalendarProps, 'addressOf'> {
  day: CalendarDay;
  cellWidth: number;
  most: number;
}

function DayCell({ day, cellWidth, most, addressOf }: DayCellProps) {
  const { date, week, weekday, items } = day;
  const href = items > 0 ? addressOf?.('/needs-you', { from: date, until: date }) : undefined;
  const [x, y] = [LEFT + week * cellWidth, TOP + weekday * CELL_HEIGHT];
  const hasDay = cellWidth >= WIDTH_WITH_DAY;
  const tone = items === 0 ? 'empty' : items > most / 2 ? 'many' : 'few';
  return (
    <g class={`tone-${tone}`}>
      <LinkedPart link={partLink(href, `${date}: ${items} due`)}>
        <rect class="tone" x={x} y={y} width={cellWidth} height={CELL_HEIGHT} />
      </LinkedPart>
      {hasDay && (
        <text class="quiet small" x={x + 4} y={y + 12}>
          {Number(date.slice(8))}
        </text>
      )}
      {items > 0 && (
        <text class="value title" x={x + cellWidth / (hasDay ? 1.8 : 2)} y={y + 19}>
          {items}
        </text>
      )}
    </g>
  );
}

/** Returns the path of the lines between months. */
function monthBorders(days: readonly CalendarDay[], cellWidth: number): string {
  return days
    .map(({ date, week, weekday }, index) => {
      const [right, below] = [LEFT + (week + 1) * cellWidth, TOP + (weekday + 1) * CELL_HEIGHT];
      const isOtherMonthAfter = (dayCount: number) => {
        const other = days[index + dayCount];
        return other !== undefined && other.date.slice(0, 7) !== date.slice(0, 7);
      };
      const lineBelow = weekday < 6 && isOtherMonthAfter(1) ? `M${right - cellWidth} ${below}H${right}` : '';
      const lineRight = isOtherMonthAfter(7) ? `M${right} ${below - CELL_HEIGHT}V${below}` : '';
      return lineBelow + lineRight;
    })
    .join('');
}

interface Label {
  text: string;
  x: number;
}

/** Returns the name of each month above the week in which it begins. */
function monthLabels(days: readonly CalendarDay[], cellWidth: number): Label[] {
  const first = days.filter(({ date }, index) => index === 0 || date.endsWith('-01'));
  const labels = first.map(({ date, week }) => ({ text: monthName(date), x: LEFT + week * cellWidth }));
  // The first month may be too short for its name.
  return labels.filter(({ x }, index) => index > 0 || labels.length === 1 || labels[1]!.x - x >= MONDAY_LABEL_WIDTH);
}

/** Returns the dates of some Mondays, as labels below a calendar whose days have no numbers. */
function mondayLabels(days: readonly CalendarDay[], cellWidth: number): Label[] {
  const weeksPerLabel = Math.ceil(MONDAY_LABEL_WIDTH / cellWidth);
  const weeks = days.at(-1)!.week + 1;
  const firstMonday = addDays(days[0]!.date, -days[0]!.weekday);
  const labels: Label[] = [];
  for (let week = 0; week + MONDAY_LABEL_WIDTH / cellWidth <= weeks; week += weeksPerLabel) {
    const monday = addDays(firstMonday, week * 7);
    labels.push({ text: `${Number(monday.slice(8))} ${monthName(monday)}`, x: LEFT + week * cellWidth });
  }
  return labels;
}

const monthName = (date: string): string =>
  new Date(date).toLocaleDateString('en', { month: 'short', timeZone: 'UTC' });

/** Returns 0 for Monday to 6 for Sunday. */
const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;
