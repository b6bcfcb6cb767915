import { addDays } from '../../../commands/dates.ts';
import type { Row } from '../report-type.ts';
import { chart } from './chart.ts';
import { countBy, INK, LABEL, WIDTH } from './plot.ts';

/** A calendar of more days than this is drawn no more: it would fill pages. */
const MOST_DAYS = 400;
const LEFT = 40;
const TOP = 34;
const CELL = { most: 104, numbered: 34, dated: 44, height: 27 };

/** What falls due on which day, from today on; what is overdue is told in words. @param rows due items */
export function calendarPlot(rows: readonly Row[], today: string, until: string): string | null {
  const days = daysBetween(today, until);
  if (!(days >= 0 && days <= MOST_DAYS)) return null;
  const ahead = countBy(
    rows.filter(({ due }) => String(due) >= today),
    ({ due }) => String(due),
  );
  const overdue = rows.filter((row) => row.overdue === true).length;
  const told = [...ahead].map(([day, count]) => `${count} on ${day}`);
  const said = {
    name: 'calendar',
    title: `What falls due from ${today} until ${until}; ${overdue} more overdue before`,
    text: told.length === 0 ? 'Nothing falls due in these days.' : `${told.join('; ')}.`,
  };
  // Weeks stand beside one another, from Monday.
  const weeks = Math.ceil((days + 1 + weekdayOf(today)) / 7);
  const width = Math.min(CELL.most, Math.floor((WIDTH - LEFT - 8) / weeks));
  const all = Array.from({ length: days + 1 }, (_, after) => addDays(today, after));
  const below = TOP + 7 * CELL.height;
  return chart(said, Math.max(320, LEFT + weeks * width + 8), below + (width < CELL.numbered ? 24 : 8), {
    graphic: width < CELL.numbered ? mondays(today, weeks, width, below + 8) : [],
    visualMap: { show: false, type: 'piecewise', pieces: shades(Math.max(1, ...ahead.values())) },
    calendar: {
      range: [today, until],
      orient: 'horizontal',
      top: TOP,
      left: LEFT,
      cellSize: [width, CELL.height],
      // Between months; of one week it is drawn beyond its days.
      splitLine: { show: weeks > 1, lineStyle: { color: INK, width: 1 } },
      itemStyle: { color: '#ffffff', borderColor: '#d5d9d5' },
      dayLabel: { firstDay: 1, nameMap: ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'], ...LABEL },
      monthLabel: { nameMap: 'en', ...LABEL },
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
          color: INK,
          formatter: ({ value: [day, count] }: { value: [string, number] }) => cellText(day, count, width),
          rich: { day: { color: '#55605d', fontSize: 10 }, count: { color: INK, fontSize: 14, fontWeight: 'bold' } },
        },
        data: all.map((day) => [day, ahead.get(day) ?? 0]),
      },
    ],
  });
}

/** Where days have no numbers, the dates of some Mondays below their weeks. */
function mondays(today: string, weeks: number, width: number, y: number): object[] {
  const each = Math.ceil(CELL.dated / width);
  const first = addDays(today, -weekdayOf(today));
  return Array.from({ length: Math.ceil((weeks - CELL.dated / width) / each) }, (_, at) => {
    const monday = new Date(addDays(first, at * each * 7));
    const text = `${monday.getUTCDate()} ${monday.toLocaleDateString('en', { month: 'short', timeZone: 'UTC' })}`;
    return { type: 'text', x: LEFT + at * each * width, y, style: { text, fill: INK, fontSize: 10 } };
  });
}

/** Where there is room for it, the day of the month; and how many, where there are any. */
function cellText(day: string, count: number, width: number): string {
  const date = width < CELL.numbered ? '' : `{day|${Number(day.slice(8))}}`;
  return `${date}${date && count > 0 ? '  ' : ''}${count > 0 ? `{count|${count}}` : ''}`;
}

const shades = (most: number) => [
  { max: 0, color: '#ffffff' },
  { min: 0.5, max: most / 2, color: '#d8ebe8' },
  { gt: most / 2, min: 0.5, color: '#a9d6cf' },
];

const daysBetween = (from: string, until: string): number =>
  Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000);

/** From Monday, 0, to Sunday. */
const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;
