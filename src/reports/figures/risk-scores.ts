import { endOfDay } from '../../commands/engine/dates.ts';
import { priorityOf } from '../../commands/risk.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { dailyFigures, monthEnds } from '../../queries/figures/daily-figures.ts';
import { positionAt } from '../../queries/moments/moment.ts';
import type { Priority } from '../../register/risk.ts';
import type { ReportContext, TrendPoint } from '../report-type.ts';
import { recordsAt } from '../sections/records.ts';

/** Ends of months in the trend, before the report's day. */
const TREND_MONTHS = 12;

interface Rating {
  likelihood: number;
  impact: number;
  risks: number;
}

/** Counts the risks that are not closed by likelihood and impact, and those without a rating. */
export async function countRatings(context: ReportContext): Promise<{ ratings: Rating[]; unrated: number }> {
  const open = recordsAt(context, familyQueryOfType('RISK'), { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'] });
  const groups = await context.snapshot.models.count(open, ['likelihood', 'impact']);
  const ratings: Rating[] = [];
  let unrated = 0;
  for (const { values, total } of groups) {
    const [likelihood, impact] = values.map(Number) as [number, number];
    if (likelihood > 0 && impact > 0) ratings.push({ likelihood, impact, risks: total });
    else unrated += total;
  }
  return { ratings, unrated };
}

/**
 * Returns the risk scores at the end of each of the last 12 months and on the report's day. There are no points before
 * the organization's first event. The months are read from the daily figures. Those don't know owners, so a report of
 * one owner's records counts in the store instead.
 */
export async function riskTrend(context: ReportContext): Promise<TrendPoint[]> {
  const { moment, inputs } = context;
  if (moment.position === 0) return [];
  const days = monthEnds(moment.today, TREND_MONTHS);
  const points = inputs.owner_id === undefined ? await dailyPoints(context, days) : await countedPoints(context, days);
  return [...points, await pointAt(context, moment.today, moment.position)];
}

async function dailyPoints(
  { snapshot, organizationId }: ReportContext,
  days: readonly string[],
): Promise<TrendPoint[]> {
  const figures = await dailyFigures(snapshot.models, { organizationId }, days);
  return days.flatMap((day, index) => {
    const ofDay = figures[index] ?? null;
    if (ofDay === null) return [];
    const count = (name: string) => ofDay[name] ?? 0;
    const counts = {
      LOW: count('risks_low'),
      MEDIUM: count('risks_medium'),
      HIGH: count('risks_high'),
      CRITICAL: count('risks_critical'),
    };
    const risks = Object.values(counts).reduce((sum, riskCount) => sum + riskCount, 0);
    const mean = risks === 0 ? null : count('risks_score_total') / risks;
    return [{ day, counts, mean, unrated: count('risks_without_score') }];
  });
}

async function countedPoints(context: ReportContext, days: readonly string[]): Promise<TrendPoint[]> {
  const { snapshot, organizationId, moment } = context;
  const points: TrendPoint[] = [];
  for (const day of days) {
    const position = await positionAt(snapshot, organizationId, endOfDay(day));
    const earlierPosition = Math.min(position, moment.position);
    if (earlierPosition > 0) points.push(await pointAt(context, day, earlierPosition));
  }
  return points;
}

async function pointAt(context: ReportContext, day: string, position: number): Promise<TrendPoint> {
  const earlierContext = { ...context, moment: { today: day, position } };
  const counts: Record<Priority, number> = { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
  let risks = 0;
  let sum = 0;
  const { ratings: rated, unrated } = await countRatings(earlierContext);
  for (const { likelihood, impact, risks: total } of rated) {
    const score = likelihood * impact;
    counts[priorityOf(score)!] += total;
    risks += total;
    sum += score * total;
  }
  return { day, counts, mean: risks === 0 ? null : sum / risks, unrated };
}
