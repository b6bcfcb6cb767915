import { type PRIORITIES, priorityOf } from '../../commands/risk.ts';
import { endOfDay, ordinalAt } from '../moment.ts';
import { riskQuery } from '../risks.ts';
import type { ReportContext } from './report-type.ts';
import { recordsAt } from './walk.ts';

/** So many ends of months before the report's day. */
const MONTHS = 12;

type Priority = (typeof PRIORITIES)[number];

interface Rating {
  likelihood: number;
  impact: number;
  /** How many risks have it. */
  total: number;
}

/** How many risks that are not closed have each likelihood and impact, by the ratings that count. */
export async function countRatings(context: ReportContext): Promise<Rating[]> {
  const rated = recordsAt(context, riskQuery, { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'], min_score: 1 });
  const groups = await context.reader.models.count(rated, ['likelihood', 'impact']);
  return groups.map(({ values: [likelihood, impact], total }) => {
    return { likelihood: Number(likelihood), impact: Number(impact), total };
  });
}

/** Rated risks that were not closed at the end of a day: how many of each priority, and the mean of their scores. */
export interface TrendPoint {
  day: string;
  counts: Readonly<Record<Priority, number>>;
  mean: number | null;
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
  for (const { likelihood, impact, total } of await countRatings(then)) {
    const score = likelihood * impact;
    counts[priorityOf(score)!] += total;
    risks += total;
    sum += score * total;
  }
  return { day, counts, mean: risks === 0 ? null : sum / risks };
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
