import { endOfDay } from '../../commands/dates.ts';
import { type Priority, priorityOf } from '../../commands/risk.ts';
import { ordinalAt } from '../moment.ts';
import { riskQuery } from '../risks.ts';
import type { ReportContext, TrendPoint } from './report-type.ts';
import { recordsAt } from './walk.ts';

/** So many ends of months before the report's day. */
const MONTHS = 12;

interface Rating {
  likelihood: number;
  impact: number;
  /** How many risks have it. */
  total: number;
}

/** How many risks that are not closed have each likelihood and impact, by the ratings that count, and how many none. */
export async function countRatings(context: ReportContext): Promise<{ rated: Rating[]; unrated: number }> {
  const open = recordsAt(context, riskQuery, { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'] });
  const groups = await context.reader.models.count(open, ['likelihood', 'impact']);
  const rated: Rating[] = [];
  let unrated = 0;
  for (const { values, total } of groups) {
    const [likelihood, impact] = values.map(Number) as [number, number];
    if (likelihood > 0 && impact > 0) rated.push({ likelihood, impact, total });
    else unrated += total;
  }
  return { rated, unrated };
}

/**
 * The risks' scores at the ends of the last months, and on the report's day at its end: a count in the store each. Before the
 * organization's first event there are none.
 */
export async function riskTrend(context: ReportContext): Promise<TrendPoint[]> {
  const { reader, organizationId, moment } = context;
  if (moment.ordinal === 0) return [];
  const points: TrendPoint[] = [];
  for (const day of monthEnds(moment.today)) {
    const ordinal = await ordinalAt(reader, organizationId, endOfDay(day));
    const then = Math.min(ordinal, moment.ordinal);
    if (then > 0) points.push(await pointAt(context, day, then));
  }
  return [...points, await pointAt(context, moment.today, moment.ordinal)];
}

async function pointAt(context: ReportContext, day: string, ordinal: number): Promise<TrendPoint> {
  const then = { ...context, moment: { today: day, ordinal } };
  const counts: Record<Priority, number> = { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
  let risks = 0;
  let sum = 0;
  const { rated, unrated } = await countRatings(then);
  for (const { likelihood, impact, total } of rated) {
    const score = likelihood * impact;
    counts[priorityOf(score)!] += total;
    risks += total;
    sum += score * total;
  }
  return { day, counts, mean: risks === 0 ? null : sum / risks, unrated };
}

/** The last days of the months that ended before a day, earliest first. */
function monthEnds(today: string): string[] {
  const [year, month] = today.split('-').map(Number) as [number, number];
  return Array.from({ length: MONTHS }, (_, index) => {
    const end = new Date(0);
    end.setUTCFullYear(year, month - 1 - (MONTHS - 1 - index), 0);
    return end.toISOString().slice(0, 10);
  }).filter((day) => !day.startsWith('-'));
}
