import { addDays } from '../../commands/engine/dates.ts';
import type { ReportRow } from '../report-type.ts';
import { renderChart } from './chart.ts';
import { countBy, INK_COLOUR, LABEL_STYLE, PLOT_WIDTH } from './plot.ts';

/** A longer calendar would fill pages, so it is left out. */
const MAX_CALENDAR_DAYS = 400;
const LEFT = 40;
const TOP = 34;
/** Pixels. A cell of at least `withDay` has the day's number; else the dates of Mondays, each `mondayLabel` wide, are below. */
const CELL_SIZE = { maxWidth: 104, withDay: 34, mondayLabel: 44, height: 27 };

/** Draws a calendar of what falls due from today on. The title counts overdue items. @param rows due items */
export function calendarPlot(rows: readonly ReportRow[], today: string, until: string): string | null {
  const days = daysBetween(today, until);
  if (!(days >= 0 && days <= MAX_CALENDAR_DAYS)) return null;
  const ahead = countBy(
    rows.filter(({ due }) => String(due) >= today),
    ({ due }) => String(due),
  );
  const overdue = rows.filter((row) => row.overdue === true).length;
  const counts = [...ahead].map(([day, count]) => `${count} on ${day}`);
  const text = {
    name: 'calendar',
    title: `Due from ${today} to ${until}, plus ${overdue} overdue`,
    text: counts.length === 0 ? 'Nothing falls due on these days.' : `${counts.join('; ')}.`,
  };
  // Each week is a column, from Monday.
  const weeks = Math.ceil((days + 1 + weekdayOf(today)) / 7);
  const width = Math.min(CELL_SIZE.maxWidth, Math.floor((PLOT_WIDTH - LEFT - 8) / weeks));
  const all = Array.from({ length: days + 1 }, (_, after) => addDays(today, after));
  const below = TOP + 7 * CELL_SIZE.height;
  return renderChart(text, Math.max(320, LEFT + weeks * width + 8), below + (width < CELL_SIZE.withDay ? 24 : 8), {
    graphic: width < CELL_SIZE.withDay ? mondays(today, weeks, width, below + 8) : [],
    visualMap: { show: false, type: 'piecewise', pieces: shades(Math.max(1, ...ahead.values())) },
    calendar: {
      range: [today, until],
      orient: 'horizontal',
      top: TOP,
      left: LEFT,
      cellSize: [width, CELL_SIZE.height],
      // Separates months. In a calendar of one week ECharts would draw it outside the days.
      splitLine: { show: weeks > 1, lineStyle: { color: INK_COLOUR, width: 1 } },
      itemStyle: { color: '#ffffff', borderColor: '#d5d9d5' },
      dayLabel: { firstDay: 1, nameMap: ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'], ...LABEL_STYLE },
      monthLabel: { nameMap: 'en', ...LABEL_STYLE },
      yearLabel: { show: false },
    },
    series: [
      {
        type: 'heatmap',
        coordinateSystem: 'calendar',
        silent: true,
        emphasis: { disabled: true },
        label: {
          show: true,
          color: INK_COLOUR,
          formatter: ({ value: [day, count] }: { value: [string, number] }) => cellText(day, count, width),
          rich: {
            day: { color: '#55605d', fontSize: 10 },
            count: { color: INK_COLOUR, fontSize: 14, fontWeight: 'bold' },
          },
        },
        data: all.map((day) => [day, ahead.get(day) ?? 0]),
      },
    ],
  });
}

/** Returns the dates of some Mondays, as labels below a calendar whose days have no numbers. */
function mondays(today: string, weeks: number, width: number, y: number): object[] {
  const each = Math.ceil(CELL_SIZE.mondayLabel / width);
  const first = addDays(today, -weekdayOf(today));
  return Array.from({ length: Math.ceil((weeks - CELL_SIZE.mondayLabel / width) / each) }, (_, at) => {
    const monday = new Date(addDays(first, at * each * 7));
    const text = `${monday.getUTCDate()} ${monday.toLocaleDateString('en', { month: 'short', timeZone: 'UTC' })}`;
    return { type: 'text', x: LEFT + at * each * width, y, style: { text, fill: INK_COLOUR, fontSize: 10 } };
  });
}

/** Returns the day of the month, if the cell is wide enough, and the number of items, if there are any. */
function cellText(day: string, count: number, width: number): string {
  const date = width < CELL_SIZE.withDay ? '' : `{day|${Number(day.slice(8))}}`;
  return `${date}${date && count > 0 ? '  ' : ''}${count > 0 ? `{count|${count}}` : ''}`;
}

const shades = (most: number) => [
  { max: 0, color: '#ffffff' },
  { min: 0.5, max: most / 2, color: '#d8ebe8' },
  { gt: most / 2, min: 0.5, color: '#a9d6cf' },
];

const daysBetween = (from: string, until: string): number =>
  Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000);

/** Returns 0 for Monday to 6 for Sunday. */
const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;
